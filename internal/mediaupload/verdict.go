package mediaupload

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// facts describe one file. Of the stored file, null means not known, as after an import. Of the wanted file, null means
// that anything will do, and unknown that only the apply knows.
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
	// verdictAdopt takes the file at hand for the content of an imported one.
	verdictAdopt
	// verdictUpload uploads a file of which nothing, or not everything, is stored.
	verdictUpload
	// verdictReplace uploads another file in place of the stored one.
	verdictReplace
	// verdictUndecided plans a replacement that turns out needless if the apply finds the stored file to be the wanted one.
	verdictUndecided
)

// judge compares the stored file (nil: no complete one) with the wanted one. The reasons are the attributes that ask for
// a replacement, or that may ask for it. An import whose content is not known is never undecided: by its content the
// apply could not recognise it, and would send the file again.
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
