package mediaupload

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// facts describe one file. For the stored file, null means not known, as after an import. For the
// wanted file, null means any value, and unknown that only the apply knows it.
type facts struct {
	SHA256      types.String // hexadecimal in any letter case
	FileName    types.String
	ContentType types.String
	Size        types.Int64 // of the wanted file: null when the file is not here
}

// verdict is what a plan does with one file.
type verdict int

const (
	// verdictKeep leaves the stored file as it is.
	verdictKeep verdict = iota
	// verdictAdopt takes the local file for the content of an imported one.
	verdictAdopt
	// verdictUpload uploads a file of which nothing, or not everything, is stored.
	verdictUpload
	// verdictReplace uploads another file in place of the stored one.
	verdictReplace
	// verdictUndecided plans a replacement. The apply keeps the stored file if it turns out to be
	// the wanted one.
	verdictUndecided
)

// judge compares the stored file (nil: no complete one) with the wanted one. The reasons are the
// attributes that require, or may require, a replacement. An import whose content is not known is
// never undecided: the apply could not recognise it by its content, and would send the file again.
func judge(stored *facts, wanted facts) (v verdict, reasons []string) {
	if stored == nil {
		return verdictUpload, nil
	}
	var differing, open []string
	compare := func(attribute string, want, have types.String, equal func(a, b string) bool) {
		switch {
		case want.IsNull() || have.IsNull():
		case want.IsUnknown():
			open = append(open, attribute)
		case !equal(want.ValueString(), have.ValueString()):
			differing = append(differing, attribute)
		}
	}
	same := func(a, b string) bool { return a == b }
	compare("sha256", wanted.SHA256, stored.SHA256, strings.EqualFold)
	compare("file_name", wanted.FileName, stored.FileName, same)
	compare("content_type", wanted.ContentType, stored.ContentType, same)
	switch {
	case len(differing) > 0:
		return verdictReplace, differing
	case len(open) > 0 && !stored.SHA256.IsNull():
		return verdictUndecided, open
	case stored.Size.IsNull() && !wanted.Size.IsNull():
		return verdictAdopt, nil
	}
	return verdictKeep, nil
}
