package providerdata

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// RefuseDelete ends a Delete with errors, after which Terraform keeps the object. Without a state in the
// response it keeps the object's private data, too. With one, it would keep the private data of the plan,
// which describes what was to replace the object.
func RefuseDelete(ctx context.Context, resp *resource.DeleteResponse, why ...diag.Diagnostic) {
	resp.State.RemoveResource(ctx)
	resp.Diagnostics.Append(why...)
}

// ReplaceOrRemove is what a Delete would do, for Protected.
const ReplaceOrRemove = "replace it or remove it from the state. If it is tainted, `terraform untaint` is needed first"

// Protected is the error of a plan, or of a Delete, that would change an object while
// `deletion_protection` is true in the state. kind is "live session" or the like, label names the
// object, and change is what would be done to it, such as "replace it".
func Protected(kind, label, change string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The "+kind+" is protected from deletion",
		fmt.Sprintf("%s %s has `deletion_protection = true` in the state, and this plan would %s. To allow that, set `deletion_protection = false` in its resource "+
			"block, apply, and plan again. If the block is no longer in the configuration, add it again first.", strings.ToUpper(kind[:1])+kind[1:], label, change))
}
