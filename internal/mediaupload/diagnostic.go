package mediaupload

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// steps say how a user goes on after an upload that failed.
type steps struct {
	toContinue string // what sends the parts that are not stored; "" if nothing does
	ifStored   string // when the file may be stored; KEY_PATH stands for the key path
	ifNot      string
}

const importSteps = "If the file is stored, run `terraform state rm ADDRESS` if the state has this resource, and then\n\n" +
	"  terraform import ADDRESS KEY_PATH\n\nwhere ADDRESS is the address of this resource."

var (
	afterCreate = steps{
		toContinue: "the next apply sends only the others. Its plan reads \"must be replaced\", because Terraform marks what could not be " +
			"created as tainted; the upload continues all the same. If `prevent_destroy` forbids that plan, run `terraform untaint` with the " +
			"address of this resource and apply again. With `destroy = false`, or with `create_before_destroy` here or in a resource that depends on this one, the upload continues only on this machine, from its record in `resume_dir`: " +
			"elsewhere, run `terraform untaint` first.",
		ifStored: importSteps,
		ifNot:    "apply again: that uploads it from its beginning.",
	}
	afterUpdate = steps{
		toContinue: "the next apply sends only the others.",
		ifStored:   importSteps,
		ifNot:      "apply again: that uploads it from its beginning.",
	}
	afterInvoke = steps{
		toContinue: "the action sends only the others when it is invoked again on this machine.",
		ifStored:   "If the file is stored, submit a job on this key path instead.",
		ifNot:      "invoke the action again: that uploads it from its beginning.",
	}
)

func uploadDiagnostic(f upload.File, left *resume.Upload, err error, next steps) diag.Diagnostic {
	if unsure, ok := errors.AsType[*upload.MaybeCompleteError](err); ok {
		return diag.NewErrorDiagnostic(fmt.Sprintf("The upload of %q may be complete", f.Name),
			fmt.Sprintf("%s\n\nFind out whether the file is stored, for example with a batch job on this key path.\n\n%s\n\nIf the file is not stored, %s",
				providerdata.ErrorText(err), strings.ReplaceAll(next.ifStored, "KEY_PATH", quote.Shell(unsure.KeyPath)), next.ifNot))
	}
	d := providerdata.ErrorDiagnostic(fmt.Sprintf("Uploading %q", f.Name), err)
	// The parts of a file that changed are other ones.
	if _, changed := errors.AsType[*transfer.ChangedError](err); changed || left == nil || next.toContinue == "" {
		return d
	}
	stored := left.ReusableParts()
	if stored == 0 {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), fmt.Sprintf("%s\n\n%d of %d parts are stored and are not lost: %s",
		d.Detail(), stored, transfer.PartCount(f.Size, left.PartSize), next.toContinue))
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
	at := path.Root(problem.Argument)
	switch problem.Argument {
	case "method":
		return diag.NewAttributeErrorDiagnostic(at, "The file is too large for one PUT", problem.Detail)
	case "part_size":
		return diag.NewAttributeErrorDiagnostic(at, "The part size does not fit the file", problem.Detail)
	}
	return diag.NewAttributeErrorDiagnostic(at, "The file is too large", problem.Detail)
}
