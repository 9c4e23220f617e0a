package mediafile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Warnings adds one warning for each kind of warning.
func Warnings(warnings []upload.Warning, diags *diag.Diagnostics) {
	details := map[string][]string{}
	for _, w := range warnings {
		d := diagnostic(w)
		details[d.Summary()] = append(details[d.Summary()], d.Detail())
	}
	for _, summary := range slices.Sorted(maps.Keys(details)) {
		diags.AddWarning(summary, strings.Join(details[summary], "\n\n"))
	}
}

func diagnostic(w upload.Warning) diag.Diagnostic {
	switch w.Kind {
	case upload.OtherKeyPath:
		return diag.NewWarningDiagnostic("The file may be stored under another key path",
			fmt.Sprintf("When the upload of %q began, the service announced the key path %s, which is what `key_path` holds. When the upload was complete, it named %s.",
				w.FileName, w.KeyPath, w.Found))
	case upload.TakenAsComplete:
		return diag.NewWarningDiagnostic("The upload was taken as complete",
			fmt.Sprintf("The response to the request that completes the upload of %q was lost. Asked again, the service no longer knew the upload, as after its completion: the file is taken to be stored as %s. "+
				"`etag`, `location`, `bucket`, `server_side_encryption` and `version_id` are not known. If the file turns out not to be stored, run `terraform apply -replace=ADDRESS`. The response: %s", w.FileName, w.KeyPath, providerdata.ErrorText(w.Err)))
	case upload.Unproved:
		return diag.NewWarningDiagnostic("Nothing proves what is stored",
			fmt.Sprintf("Storage accepted %q, stored as %s, but returned no checksum and no ETag that is its MD5, so it is not proved that the stored file is this one. "+
				"Storage may encrypt with KMS, or a proxy may have removed headers. If the stored file is missing or damaged, run `terraform apply -replace=ADDRESS`.", w.FileName, w.KeyPath))
	default: // NotContinued
		return diag.NewWarningDiagnostic("An unfinished upload could not be continued",
			fmt.Sprintf("The unfinished upload of %q is not used: the file is sent from its beginning, as %s. The reason: %s", w.FileName, w.KeyPath, providerdata.ErrorText(w.Err)))
	}
}

// NotLost says how an upload that failed goes on.
func NotLost(f upload.File, left *resume.Upload, replaces bool) string {
	text := fmt.Sprintf("%d of %d parts are stored and are not lost: the next apply sends only the others.", len(left.Parts), transfer.PartCount(f.Size, left.PartSize))
	if replaces {
		text += " Its plan reads \"must be replaced\", because Terraform marks what could not be created as tainted, but the upload continues. With `prevent_destroy`, first run `terraform untaint` with the address of the resource."
	}
	return text
}
