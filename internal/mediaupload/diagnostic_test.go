package mediaupload

import (
	"errors"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestImportCommandCanBePasted: a file name may hold what a shell gives a meaning.
func TestImportCommandCanBePasted(t *testing.T) {
	t.Parallel()
	for keyPath, argument := range map[string]string{
		"vod/input/c-1/u_2/a.mp4":        "'vod/input/c-1/u_2/a.mp4'",
		"vod/input/c/u/two words.mp4":    "'vod/input/c/u/two words.mp4'",
		"vod/input/c/u/it's $(here).mp4": `'vod/input/c/u/it'\''s $(here).mp4'`,
		"vod/input/c/u/Übung.mp4":        "'vod/input/c/u/Übung.mp4'",
	} {
		err := &upload.MaybeCompleteError{KeyPath: keyPath, Err: errors.New("404")}
		d := uploadDiagnostic(upload.File{Upload: api.Upload{Name: "a.mp4"}}, nil, err, false, afterCreate)
		if want := "\n  terraform import ADDRESS " + argument + "\n"; !strings.Contains(d.Detail(), want) {
			t.Errorf("the detail lacks %q:\n%s", want, d.Detail())
		}
	}
}
