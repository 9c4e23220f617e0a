package upload

import (
	"slices"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	null, unknown := (*string)(nil), text("")
	a, b := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	file := func(sum, name, contentType *string, size *int64) Facts {
		return Facts{SHA256: sum, FileName: name, ContentType: contentType, Size: size}
	}
	size, later, absent := new(int64), new(int64), (*int64)(nil)
	stored := file(text(a), text("a.mp4"), text("video/mp4"), size)
	imported := file(null, text("a.mp4"), null, absent)
	for name, tc := range map[string]struct {
		stored  *Facts
		wanted  Facts
		verdict Verdict
		reasons []string
	}{
		"nothing stored":              {nil, file(text(a), null, null, size), VerdictUpload, nil},
		"nothing stored, not known":   {nil, file(unknown, unknown, unknown, later), VerdictUpload, nil},
		"the same":                    {&stored, file(text(a), null, null, size), VerdictKeep, nil},
		"the same in capitals":        {&stored, file(text(strings.ToUpper(a)), text("a.mp4"), text("video/mp4"), size), VerdictKeep, nil},
		"file absent":                 {&stored, file(null, null, null, absent), VerdictKeep, nil},
		"file absent, another hash":   {&stored, file(text(b), null, null, absent), VerdictReplace, []string{"sha256"}},
		"source not known, hash is":   {&stored, file(text(a), null, null, later), VerdictKeep, nil},
		"content not known":           {&stored, file(unknown, null, null, later), VerdictUndecided, []string{"sha256"}},
		"name and type not known":     {&stored, file(text(a), unknown, unknown, size), VerdictUndecided, []string{"file_name", "content_type"}},
		"another content":             {&stored, file(text(b), null, null, size), VerdictReplace, []string{"sha256"}},
		"another name, type unknown":  {&stored, file(text(a), text("b.mp4"), unknown, size), VerdictReplace, []string{"file_name"}},
		"another type":                {&stored, file(text(a), null, text("video/x"), size), VerdictReplace, []string{"content_type"}},
		"import":                      {&imported, file(text(a), null, text("video/x"), size), VerdictAdopt, nil},
		"import, file absent":         {&imported, file(text(a), null, null, absent), VerdictKeep, nil},
		"import, content not known":   {&imported, file(unknown, null, unknown, later), VerdictAdopt, nil},
		"import, another name":        {&imported, file(text(a), text("b.mp4"), null, size), VerdictReplace, []string{"file_name"}},
		"import, name not known":      {&imported, file(text(a), unknown, null, size), VerdictAdopt, nil},
		"import with a hash, another": {&Facts{SHA256: text(a), FileName: text("a.mp4"), Size: absent}, file(text(b), null, null, size), VerdictReplace, []string{"sha256"}},
	} {
		if v, reasons := Judge(tc.stored, tc.wanted); v != tc.verdict || !slices.Equal(reasons, tc.reasons) {
			t.Errorf("%s: verdict %d for %q, want %d for %q", name, v, reasons, tc.verdict, tc.reasons)
		}
	}
}
