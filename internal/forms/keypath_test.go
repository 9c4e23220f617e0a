package forms_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/forms"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]forms.KeyPath{
		"vod/input/c/u/a b.mp4": {CustomerID: "c", UploadID: "u", FileName: "a b.mp4"},
		"/vod/input/c/u/a.mp4":  {},
		"vod/input/c/u/a.mp4/":  {},
		"vod/input/c/u":         {},
		"vod/input//u/a.mp4":    {},
		"vod/output/c/u/a.mp4":  {},
		"":                      {},
	} {
		got, err := forms.ParseKeyPath(s)
		if got != want || (err != nil) != (want == forms.KeyPath{}) {
			t.Errorf("%q is %+v, %v", s, got, err)
		}
	}
}
