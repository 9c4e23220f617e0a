package upload

import "strings"

// Facts describe one file for Judge. Of a stored file, nil is not known, as after an import. Of a wanted
// file, nil is any value, and a pointer to "" one that only the apply knows.
type Facts struct {
	SHA256      *string // hexadecimal in any letter case
	FileName    *string
	ContentType *string
	Size        *int64 // of the wanted file: nil when the file is not here
}

// Verdict is what a plan does with one file.
type Verdict int

// Verdicts of Judge.
const (
	VerdictKeep      Verdict = iota // the stored file stays as it is
	VerdictAdopt                    // the local file is taken for the content of an imported one
	VerdictUpload                   // a file of which nothing, or not everything, is stored
	VerdictReplace                  // another file is uploaded in place of the stored one
	VerdictUndecided                // a replacement, unless the apply finds that the stored file is the wanted one
)

// Judge compares the stored file (nil: no complete one) with the wanted one. The reasons are the attributes
// that require, or may require, a replacement. An import whose content is not known is never undecided:
// the apply could not recognise it.
func Judge(stored *Facts, wanted Facts) (v Verdict, reasons []string) {
	if stored == nil {
		return VerdictUpload, nil
	}
	var differing, open []string
	compare := func(attribute string, want, have *string, equal func(a, b string) bool) {
		switch {
		case want == nil || have == nil:
		case *want == "":
			open = append(open, attribute)
		case !equal(*want, *have):
			differing = append(differing, attribute)
		}
	}
	same := func(a, b string) bool { return a == b }
	compare("sha256", wanted.SHA256, stored.SHA256, strings.EqualFold)
	compare("file_name", wanted.FileName, stored.FileName, same)
	compare("content_type", wanted.ContentType, stored.ContentType, same)
	switch {
	case len(differing) > 0:
		return VerdictReplace, differing
	case len(open) > 0 && stored.SHA256 != nil:
		return VerdictUndecided, open
	case stored.Size == nil && wanted.Size != nil:
		return VerdictAdopt, nil
	}
	return VerdictKeep, nil
}
