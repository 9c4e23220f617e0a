package providerdata

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What follows serves the earlier uploads and folders, and goes with them.

// PlanNote is what the plan of an object leaves in its private data. The second plan of a
// replacement reads it, because it gets no state, and so does Delete.
type PlanNote struct {
	Destroy   bool   `json:"destroy,omitempty"`   // nothing replaces the object
	Create    bool   `json:"create,omitempty"`    // a new object is created: a Delete of this plan ends what that replaces
	Protected string `json:"protected,omitempty"` // names the object that `deletion_protection` keeps
	NotHere   bool   `json:"not_here,omitempty"`  // the object is kept, because what would replace it is not on this machine

	Until  time.Time `json:"until,omitzero"`   // the new object can be created before; zero: always
	Region string    `json:"region,omitempty"` // of the new object; "": not known, or no matter

	// Earlier are ids of lines of the ledger that refuse the create, whose arguments a Delete does
	// not know.
	Earlier []string `json:"earlier,omitempty"`
}

const privateNote = "plan"

// ReadPlanNote returns the note in private data. It is empty if there is none that can be read.
func ReadPlanNote(ctx context.Context, private Private) (PlanNote, diag.Diagnostics) {
	return ReadPrivate[PlanNote](ctx, private, privateNote)
}

// Write replaces the note in private data.
func (n PlanNote) Write(ctx context.Context, private Private) diag.Diagnostics {
	return WritePrivate(ctx, private, privateNote, n)
}

// RefuseDelete ends a Delete with errors, after which Terraform keeps the object. Without a state
// in the response it keeps the object's private data, too. With one, it would keep the private data
// of the plan, which describes what was to replace the object.
func RefuseDelete(ctx context.Context, resp *resource.DeleteResponse, why ...diag.Diagnostic) {
	resp.State.RemoveResource(ctx)
	resp.Diagnostics.Append(why...)
}

// ReplaceOrRemove is what a Delete would do, for Protected.
const ReplaceOrRemove = "replace it or remove it from the state. If it is tainted, `terraform untaint` is needed first"

// ProtectsChange reports whether `deletion_protection` refuses a change in place: state and plan
// have it. So a plan that lifts it may also make the change, which may be waiting for that. A value
// that is not known yet is judged in the apply, before anything is sent.
func ProtectsChange(state, plan types.Bool) bool { return state.ValueBool() && plan.ValueBool() }

// ProtectedChange is the error of a change in place that ProtectsChange refuses. Its arguments are
// those of Protected.
func ProtectedChange(kind, label, change string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The "+kind+" is protected from deletion",
		fmt.Sprintf("%s %s has `deletion_protection = true` in state and configuration, and this plan would %s. To allow that, set `deletion_protection = false` in its resource "+
			"block: the next plan shows both changes.%s", strings.ToUpper(kind[:1])+kind[1:], label, change, ofSeveral))
}

// ofSeveral is how the protection of one of many is lifted.
const ofSeveral = " For one instance of a resource with `for_each`, set `deletion_protection = each.key != \"KEY\"` with its key."

// Protected is the error of a plan, or of a Delete, that would change an object while
// `deletion_protection` is true in the state. kind is "live session" or the like, label names the
// object, and change is what would be done to it, such as "replace it".
func Protected(kind, label, change string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The "+kind+" is protected from deletion",
		fmt.Sprintf("%s %s has `deletion_protection = true` in the state, and this plan would %s. To allow that, set `deletion_protection = false` in its resource "+
			"block, apply, and plan again. If the block is no longer in the configuration, add it again first.%s", strings.ToUpper(kind[:1])+kind[1:], label, change, ofSeveral))
}

// Private is the private data of an object. The framework's type of it is internal.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ReadPrivate returns what WritePrivate has written under a key. It is the zero value if there is
// nothing that can be read.
func ReadPrivate[T any](ctx context.Context, private Private, key string) (T, diag.Diagnostics) {
	content, diags := private.GetKey(ctx, key)
	var value T
	if json.Unmarshal(content, &value) != nil {
		value = *new(T)
	}
	return value, diags
}

// WritePrivate writes a value, of which JSON can be made, under a key.
func WritePrivate(ctx context.Context, private Private, key string, value any) diag.Diagnostics {
	content, _ := json.Marshal(value)
	return private.SetKey(ctx, key, content)
}
