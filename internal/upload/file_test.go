package upload_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

func TestCheckSize(t *testing.T) {
	t.Parallel()
	const mib, gib, tib = 1 << 20, 1 << 30, 1 << 40
	for name, tc := range map[string]struct {
		method   string
		size     int64
		partSize int64 // 0: not configured
		problem  any   // an upload.SizeLimit, nil for none
	}{
		"single, largest":              {upload.MethodSingle, 5 * gib, 0, nil},
		"single, too large":            {upload.MethodSingle, 5*gib + 1, 0, upload.LimitPut},
		"single ignores the part size": {upload.MethodSingle, 5 * gib, 5 * mib, nil},
		"auto, large":                  {upload.MethodAuto, 48 * tib, 0, nil},
		"auto, parts too small":        {upload.MethodAuto, 50 * gib, 5 * mib, upload.LimitParts},
		"auto, one PUT":                {upload.MethodAuto, 16 * mib, 5 * mib, nil},
		"multipart, parts fit":         {upload.MethodMultipart, 10_000 * 5 * mib, 5 * mib, nil},
		"multipart, one part too many": {upload.MethodMultipart, 10_000*5*mib + 1, 5 * mib, upload.LimitParts},
		"more than storage takes":      {upload.MethodAuto, 10_000*5*gib + 1, 0, upload.LimitObject},
		"more than any part size fits": {upload.MethodMultipart, 10_000*5*gib + 1, 5 * gib, upload.LimitObject},
	} {
		f := upload.File{Method: tc.method, Size: tc.size, PartSize: tc.partSize}
		var got any
		if problem, ok := errors.AsType[*upload.SizeError](f.CheckSize()); ok {
			got = problem.Limit
		}
		if got != tc.problem {
			t.Errorf("%s: the problem is %v, want %v", name, got, tc.problem)
		}
	}
	unknown := upload.File{Method: upload.MethodMultipart, PartSize: 5 * mib}
	if err := unknown.CheckSize(); err != nil {
		t.Errorf("a size that is not known yet: %v", err)
	}
}

// TestNamesThatNoKeyPathHas: the service's answer with such a name is refused, after the upload has
// begun.
func TestNamesThatNoKeyPathHas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a\u202e4pm.exe":            "holds the control or format character U+202E",
		"a\u200b.mp4":               "holds the control or format character U+200B",
		"a\u00ad.mp4":               "holds the control or format character U+00AD",
		"a\n.mp4":                   "holds the control or format character U+000A",
		"a\u2028.mp4":               "holds the control or format character U+2028",
		strings.Repeat("x", 976):    "has 976 bytes, more than the 975 that a key path can hold",
		strings.Repeat("x", 975):    "",
		"👩\u200d💻 می\u200cخواهم.ts": "",
	} {
		if got := upload.NameProblem(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
