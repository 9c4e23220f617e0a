package livesession

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// What Terraform keeps of a session besides its attributes: the identity, and two entries of the
// private state, privateData and intent.

// saveCreated writes a session to the response of Create.
func (m *model) saveCreated(ctx context.Context, data *privateData, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privateDataKey, data)...)
	setIdentity(ctx, resp.Identity, m.ID.ValueString(), &resp.Diagnostics)
}

// setIdentity sets the identity if the CLI supports identities.
func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, id string, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

// privateData is what the private state has of a session.
type privateData struct {
	// Spellings are the values that the service has shown since the create in place of the
	// configured values: by argument, the SHA-256 of each, because some values are secrets.
	Spellings map[string][]string `json:"spellings,omitempty"`
	// NotReadBy is the call, GET or listing, by which the session has not been read yet. It may show
	// a value differently: what it shows first is a spelling, whatever the other call shows, because
	// no call changes a session.
	NotReadBy string `json:"not_read_by,omitempty"`
	// Unconfirmed is set until a GET has returned the new session. Until then a 404 does not mean
	// that the session is gone.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// ListedIn is the status, quoted, at the last lookup in the listing.
	ListedIn string `json:"listed_in,omitempty"`
}

// The values of privateData.NotReadBy.
const byGet, byListing = "get", "listing"

const privateDataKey = "session"

func (d *privateData) addSpelling(argument string, value attr.Value) {
	if d.hasSpelling(argument, value) {
		return
	}
	if d.Spellings == nil {
		d.Spellings = map[string][]string{}
	}
	d.Spellings[argument] = append(d.Spellings[argument], digest(value))
}

func (d *privateData) hasSpelling(argument string, value attr.Value) bool {
	return slices.Contains(d.Spellings[argument], digest(value))
}

func digest(value attr.Value) string {
	sum := sha256.Sum256([]byte(value.String()))
	return hex.EncodeToString(sum[:])
}

// intent is what a plan notes for Delete. The zero value is that of a destroy.
type intent struct {
	Action string `json:"action,omitempty"`
	// Protected names the session if deletion_protection forbids to replace it. Terraform may decide
	// to replace it after the first call of ModifyPlan: the second one reports the error.
	Protected string `json:"protected,omitempty"`
	// Unknown are the attributes that were not known while planning. Known is the SHA-256 of the
	// others. They tell for which Create a session is offered.
	Unknown []string `json:"open,omitempty"`
	Known   string   `json:"known,omitempty"`
	// What Delete can check before the session is forgotten, "" if it was not known while planning.
	Region      string `json:"region,omitempty"`
	Timezone    string `json:"timezone,omitempty"`
	ScheduledAt string `json:"scheduled_at,omitempty"`
}

// The values of intent.Action.
const (
	actionReplace = "replace"
	// actionDecide is to replace the session unless the arguments come out at apply as they were.
	actionDecide = "decide at apply"
)

const intentKey = "intent"
