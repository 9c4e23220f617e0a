package mediaupload

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// steps say how a user goes on after an upload that failed.
type steps struct {
	toContinue string // what sends the parts that are not stored; "" if nothing does
	ifMade     string // when the file has another hash than the configured one
	ifStored   string // when the file may be stored; KEY_PATH stands for the key path
	ifNot      string
}

var (
	afterUpdate = steps{
		toContinue: "the next apply sends only the others.",
		ifMade:     " If this apply makes the file, set `triggers` to values of the resource that makes it.",
		ifStored: "If the file is stored, run `terraform state rm ADDRESS` if the state has this resource, and then\n\n" +
			"  terraform import ADDRESS KEY_PATH\n\nwhere ADDRESS is the address of this resource.",
		ifNot: "apply again: that uploads it from its beginning.",
	}
	afterCreate = steps{
		toContinue: "the next apply sends only the others. Its plan reads \"must be replaced\", because Terraform marks what could not be " +
			"created as tainted, but the upload continues. If `prevent_destroy` forbids that plan, run `terraform untaint` with the " +
			"address of this resource and apply again. With `destroy = false`, or with `create_before_destroy` here or in a resource that depends on this one, the upload continues only on this machine, from its record in `resume_dir`: " +
			"elsewhere, run `terraform untaint` first.",
		ifMade: afterUpdate.ifMade, ifStored: afterUpdate.ifStored, ifNot: afterUpdate.ifNot,
	}
	afterInvoke = steps{
		toContinue: "the action sends only the others when it is invoked again on this machine.",
		ifStored:   "If the file is stored, submit a job on this key path instead.",
		ifNot:      "invoke the action again: that uploads it from its beginning.",
	}
)

// uploadDiagnostic says why an upload failed, and how to go on. given reports whether the hash is
// configured.
func uploadDiagnostic(f upload.File, left *resume.Unfinished, err error, given bool, next steps) diag.Diagnostic {
	if unsure, ok := errors.AsType[*upload.MaybeCompleteError](err); ok {
		return diag.NewErrorDiagnostic("The upload may be complete",
			fmt.Sprintf("File %q: %s\n\nFind out whether the file is stored, for example with a batch job on this key path.\n\n%s\n\nIf the file is not stored, %s",
				f.Name, providerdata.ErrorText(err), strings.ReplaceAll(next.ifStored, "KEY_PATH", parse.Shell(unsure.KeyPath)), next.ifNot))
	}
	d := providerdata.ErrorDiagnostic("Uploading the file", fmt.Errorf("file %q: %w", f.Name, err))
	changed, ok := errors.AsType[*transfer.ChangedError](err)
	mistyped := ok && given && changed.SHA256 != ""
	if mistyped {
		d = differs(f, changed.SHA256, mediafile.ReadSending, next)
	}
	// The parts of a file that changed are other ones.
	if ok && !mistyped || left == nil || next.toContinue == "" {
		return d
	}
	stored := left.ReusableParts()
	if stored == 0 {
		return d
	}
	count := transfer.PartCount(f.Size, left.PartSize)
	if stored == count {
		next.toContinue = strings.Replace(next.toContinue, "sends only the others", "only completes the upload", 1)
	}
	return diag.NewErrorDiagnostic(d.Summary(), fmt.Sprintf("%s\n\n%d of %d parts are stored and are not lost: %s", d.Detail(), stored, count, next.toContinue))
}

// otherHash is the error for a file whose remembered hash, if there is one, is not the configured
// one. With `change_detection = "content"` no hash is taken from memory.
func otherHash(f upload.File, remembered, detection string, next steps) diag.Diagnostic {
	if remembered == "" || remembered == f.SHA256 || detection == upload.DetectContent {
		return nil
	}
	return differs(f, remembered, mediafile.ReadBefore, next)
}

func differs(f upload.File, found, how string, next steps) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("sha256"), "The file has another SHA-256",
		providerdata.ErrorText(mediafile.OtherHash("sha256", f.SHA256, f.Path, how, found))+next.ifMade)
}

func protected(keyPath, change string) diag.Diagnostic {
	return providerdata.Protected("stored file", keyPath, change)
}

// fileDiagnostic says why File.Check or File.CheckSize does not accept a file.
func fileDiagnostic(err error) diag.Diagnostic {
	problem, ok := errors.AsType[*upload.SizeError](err)
	if !ok {
		return diag.NewAttributeErrorDiagnostic(path.Root("source"), "The file cannot be uploaded", err.Error()+".")
	}
	detail := providerdata.ErrorAndAdvice(err)
	switch problem.Limit {
	case upload.LimitPut:
		return diag.NewAttributeErrorDiagnostic(path.Root("method"), "The file is too large for one PUT", detail)
	case upload.LimitParts:
		return diag.NewAttributeErrorDiagnostic(path.Root("part_size"), "The part size does not fit the file", detail)
	default:
		return diag.NewAttributeErrorDiagnostic(path.Root("source"), "The file is too large", detail)
	}
}
