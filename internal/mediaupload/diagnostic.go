package mediaupload

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// explainer puts a failed upload into words: what went wrong, and what the next run will do about it.
type explainer func(s spec, left *providerdata.Unfinished, err error) diag.Diagnostic

// uploadDiagnostic is the explainer of Create.
func uploadDiagnostic(s spec, left *providerdata.Unfinished, err error) diag.Diagnostic {
	d, stored := failure(s, left, err)
	if stored == "" {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), fmt.Sprintf(
		"%s\n\n%s and are not lost: the next apply sends only the others. Its plan reads \"must be replaced\", because Terraform "+
			"marks what could not be created as tainted; the upload continues all the same. If `prevent_destroy` forbids that plan, run `terraform untaint` "+
			"with the address of this resource and apply again.", d.Detail(), stored))
}

// continueDiagnostic is the explainer of Update.
func continueDiagnostic(s spec, left *providerdata.Unfinished, err error) diag.Diagnostic {
	d, stored := failure(s, left, err)
	if stored == "" {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), fmt.Sprintf("%s\n\n%s and are not lost: the next apply sends only the others.", d.Detail(), stored))
}

// actionDiagnostic is the explainer of an action, which has no state: only a record can continue its upload.
func actionDiagnostic(s spec, left *providerdata.Unfinished, recorded bool, err error) diag.Diagnostic {
	d, stored := failure(s, left, err)
	if stored == "" || !recorded {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), fmt.Sprintf("%s\n\n%s and are not lost: the action sends only the others when it is invoked again on this machine.", d.Detail(), stored))
}

// failure is the error itself, and how much of the file is stored, "" if nothing can be continued.
func failure(s spec, left *providerdata.Unfinished, err error) (d diag.Diagnostic, stored string) {
	d = providerdata.ErrorDiagnostic(fmt.Sprintf("Uploading %q", s.FileName), err)
	if _, lost := errors.AsType[*maybeCompleteError](err); lost {
		return diag.NewErrorDiagnostic(fmt.Sprintf("The upload of %q may be complete", s.FileName), d.Detail()), ""
	}
	if left == nil {
		if refusalOf(err).final() {
			d = diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\nThis upload cannot be continued. Apply again, which uploads the file from its beginning.")
		}
		return d, ""
	}
	// Of a file that changed nothing can be continued: its parts are other ones.
	if _, changed := errors.AsType[*transfer.ChangedError](err); changed {
		return d, ""
	}
	if n := reusable(left.Parts); n > 0 {
		return d, fmt.Sprintf("%d of %d parts are stored", n, transfer.PartCount(s.Size, s.PartSize))
	}
	return d, ""
}

// reusable is how many parts need not be sent again: those whose ETag proves their content, or whose checksum does.
func reusable(parts []transfer.Part) int {
	return countParts(slices.DeleteFunc(slices.Clone(parts), func(p transfer.Part) bool { return !etagIsMD5(p) && p.Checksum == "" }))
}

// countParts counts a part once that the state and the record describe differently.
func countParts(parts []transfer.Part) int {
	numbers := map[int]bool{}
	for _, p := range parts {
		numbers[p.Number] = true
	}
	return len(numbers)
}
