package mediafile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
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
	case upload.OtherETag:
		return diag.NewWarningDiagnostic("The stored object's ETag is an unusual one",
			fmt.Sprintf("The ETag of %s is %s. From the ETags of its parts, each of which was right, S3 makes %s.", w.KeyPath, w.Found, w.Expected))
	case upload.TakenAsComplete:
		response := ""
		if w.Err != nil {
			response = fmt.Sprintf("\n\nThe response to the repetition: %s", w.Err)
		}
		return diag.NewWarningDiagnostic("The upload was taken as complete",
			fmt.Sprintf("The response to the request that completes the upload of %q was lost. When the request was repeated, the service did not know the upload any more, "+
				"as it does once an upload is complete. So the file is taken to be stored as %s.\n\n"+
				"Not known are `etag`, `location`, `bucket`, `server_side_encryption` and `version_id`, which are null. "+
				"If the file turns out not to be stored, upload it again: for a resource with `terraform apply -replace=ADDRESS`, where ADDRESS is the address of the resource.%s", w.FileName, w.KeyPath, response))
	case upload.Unproved:
		return diag.NewWarningDiagnostic("Nothing proves what is stored",
			fmt.Sprintf("Storage accepted the content of %q, stored as %s, but returned no checksum and no ETag that is the content's MD5. "+
				"So it is not proved that the stored file has the content of this one. Storage may encrypt with KMS and refuse the header `Content-MD5`. Or a proxy between Terraform and storage has removed headers, or has answered itself.\n\n"+
				"If the file turns out to be missing or damaged, upload it again: for a resource with `terraform apply -replace=ADDRESS`, where ADDRESS is the address of the resource.", w.FileName, w.KeyPath))
	default: // NotContinued
		as := ""
		if w.KeyPath != "" {
			as = ", as " + w.KeyPath
		}
		return diag.NewWarningDiagnostic("An unfinished upload could not be continued",
			fmt.Sprintf("The unfinished upload of %q is not used: the file is uploaded from its beginning%s. The reason: %s", w.FileName, as, providerdata.ErrorText(w.Err)))
	}
}
