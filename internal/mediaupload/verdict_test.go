package mediaupload

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	text, null, unknown := types.StringValue, types.StringNull(), types.StringUnknown()
	a, b := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	file := func(sum, name, contentType types.String, size types.Int64) model {
		return model{FileArguments: FileArguments{SHA256: sum, FileName: name, ContentType: contentType}, Size: size}
	}
	size, later, absent := types.Int64Value(5), types.Int64Unknown(), types.Int64Null()
	inState := func(m model) *model {
		m.KeyPath, m.Incomplete = text("vod/input/c/u/a.mp4"), complete
		return &m
	}
	stored := inState(file(text(a), text("a.mp4"), text("video/mp4"), size))
	imported := inState(file(null, text("a.mp4"), null, absent))
	unfinished := inState(file(text(a), text("a.mp4"), text("video/mp4"), size))
	unfinished.KeyPath, unfinished.Incomplete = null, mediafile.IncompleteObject(upload.File{}, &resume.Unfinished{})
	beside := inState(file(text(a), text("a.mp4"), text("video/mp4"), size))
	beside.Incomplete = unfinished.Incomplete
	for name, tc := range map[string]struct {
		stored  *model
		wanted  model
		verdict verdict
		reasons []string
	}{
		"nothing stored":              {nil, file(text(a), null, null, size), verdictUpload, nil},
		"nothing stored, not known":   {nil, file(unknown, unknown, unknown, later), verdictUpload, nil},
		"not everything stored":       {unfinished, file(text(a), null, null, size), verdictUpload, nil},
		"also of another content":     {beside, file(text(a), null, null, size), verdictKeep, nil},
		"the same":                    {stored, file(text(a), null, null, size), verdictKeep, nil},
		"the same in capitals":        {stored, file(text(strings.ToUpper(a)), text("a.mp4"), text("video/mp4"), size), verdictKeep, nil},
		"file absent":                 {stored, file(null, null, null, absent), verdictKeep, nil},
		"file absent, another hash":   {stored, file(text(b), null, null, absent), verdictUpload, []string{"sha256"}},
		"source not known, hash is":   {stored, file(text(a), null, null, later), verdictKeep, nil},
		"content not known":           {stored, file(unknown, null, null, later), verdictDecide, []string{"sha256"}},
		"name and type not known":     {stored, file(text(a), unknown, unknown, size), verdictDecide, []string{"file_name", "content_type"}},
		"another content":             {stored, file(text(b), null, null, size), verdictUpload, []string{"sha256"}},
		"another name, type unknown":  {stored, file(text(a), text("b.mp4"), unknown, size), verdictUpload, []string{"file_name"}},
		"another type":                {stored, file(text(a), null, text("video/x"), size), verdictUpload, []string{"content_type"}},
		"import":                      {imported, file(text(a), null, text("video/x"), size), verdictAdopt, nil},
		"import, file absent":         {imported, file(text(a), null, null, absent), verdictKeep, nil},
		"import, content not known":   {imported, file(unknown, null, unknown, later), verdictAdopt, nil},
		"import, another name":        {imported, file(text(a), text("b.mp4"), null, size), verdictUpload, []string{"file_name"}},
		"import, name not known":      {imported, file(text(a), unknown, null, size), verdictAdopt, nil},
		"import with a hash, another": {inState(file(text(a), text("a.mp4"), null, absent)), file(text(b), null, null, size), verdictUpload, []string{"sha256"}},
	} {
		if v, reasons := judge(tc.stored, tc.wanted); v != tc.verdict || !slices.Equal(reasons, tc.reasons) {
			t.Errorf("%s: verdict %d for %q, want %d for %q", name, v, reasons, tc.verdict, tc.reasons)
		}
	}
}
