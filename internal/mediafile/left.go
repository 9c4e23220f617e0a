package mediafile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// OtherHash is the error for a file that has another hash than an argument says. how says when the
// hash that was found was computed.
func OtherHash(argument, expected, file, how, found string) error {
	return fmt.Errorf("`%[1]s` has %[2]s for %[3]s, but the file, which %[4]s, has %[5]s. Correct `%[1]s`, or put the right file there",
		argument, expected, file, how, found)
}

// What OtherHash says of a hash.
const (
	ReadBefore  = "was not touched since its content was last read"
	ReadSending = "was read while it was sent"
)

// Forgotten warns of stored files that leave the state. A line names one of them.
func Forgotten(lines []string, advice string, diags *diag.Diagnostics) {
	if len(lines) > 0 {
		diags.AddWarning("Uploaded files stay at the service",
			fmt.Sprintf("The service has no call to delete a file. Terraform forgets these uploads (%d), which stay stored:\n%s%s", len(lines), providerdata.List(lines), advice))
	}
}

// NotFinished warns of unfinished uploads as a state has them, by the names of their files.
func NotFinished(uploads map[string]types.Object, diags *diag.Diagnostics) {
	var lines []string
	unread := 0 // what uses it says why
	for _, name := range slices.Sorted(maps.Keys(uploads)) {
		f, left, problem := Unfinished(uploads[name])
		unread += min(len(problem), 1)
		if left != nil {
			again := ""
			if unproved := left.StoredParts() - left.ReusableParts(); unproved > 0 {
				again = fmt.Sprintf("; sent again, unless this machine has recorded their checksums: %d", unproved)
			}
			lines = append(lines, fmt.Sprintf("%s: %s (stored parts: %d of %d%s)", name, left.KeyPath, left.StoredParts(), transfer.PartCount(f.Size, left.PartSize), again))
		}
	}
	detail := "An earlier apply has not uploaded everything."
	if len(lines) > 0 {
		detail += " These files are stored in part:\n" + providerdata.List(lines) + "\n\n"
	} else {
		detail += " "
	}
	if unread > 0 {
		detail += fmt.Sprintf("What the state has of unfinished uploads (%d) cannot be read: an apply sends these files from their beginning. ", unread)
	}
	if unread == 0 || unread < len(uploads) {
		detail += "An apply sends what is missing, unless the file has changed or its resource has left the configuration. If its plan says \"must be replaced\" and removes values, nothing is lost: the upload continues. " +
			"But with `create_before_destroy` or `destroy = false`, first run `terraform untaint` with the address of the resource."
	}
	diags.AddWarning("An upload is not finished", strings.TrimSpace(detail))
}

// GivenUp warns of unfinished uploads that leave the state, by the names of their files. One that u
// has continued, one that is an object, and nil, are left out.
func GivenUp(ctx context.Context, left map[string]*resume.Unfinished, u *upload.Uploader, diags *diag.Diagnostics) {
	var unfinished, completing []string
	for _, name := range slices.Sorted(maps.Keys(left)) {
		switch one := left[name]; {
		case one == nil || u.Taken(one.UploadID) || u.Completed(ctx, one.UploadID):
		case one.Completing:
			completing = append(completing, fmt.Sprintf("%s: %s", name, one.KeyPath))
		default:
			unfinished = append(unfinished, fmt.Sprintf("%s: %s (stored parts: %d)", name, one.KeyPath, one.StoredParts()))
		}
	}
	if len(completing) > 0 {
		diags.AddWarning("Uploaded files may stay at the service",
			"The requests that complete these uploads got no response, so the files may be stored. The state no longer has these uploads. "+
				"The service has no call to delete a file.\n"+providerdata.List(completing))
	}
	if len(unfinished) > 0 {
		diags.AddWarning("Unfinished uploads are given up",
			"The service has no call to end a multipart upload. The state no longer has these:\n"+providerdata.List(unfinished))
	}
}
