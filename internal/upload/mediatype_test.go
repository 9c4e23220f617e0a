package upload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
)

// TestMediaTypesByExtension depend on neither the bytes of a file nor its letter case.
func TestMediaTypesByExtension(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for extension, want := range mediaTypes {
		if problem := MediaTypeProblem(want); problem != "" || extension != strings.ToLower(extension) {
			t.Errorf("%s: %q %s", extension, want, problem)
		}
		for _, content := range []string{"\x1f\x8b\b", "\x89PNG\r\n\x1a\n", "abc", "\x00\x00\x00\x18ftypmp42", "-----BEGIN PGP MESSAGE-----"} {
			f := File{Path: filepath.Join(dir, "x"+strings.ToUpper(extension))}
			must.Succeed(t, os.WriteFile(f.Path, []byte(content), 0o600))
			if got, err := f.DefaultType(); got != want || err != nil {
				t.Errorf("%s with %q: %q, %v, want %q", extension, content, got, err, want)
			}
		}
	}
	for name, want := range map[string]string{
		"init.cmfv": "video/mp4", "seg-1.cmfv": "video/mp4", "a.cmfa": "audio/mp4", "a.cmft": "application/mp4", "seg-1.m4s": "video/iso.segment",
		"enc.key": "application/octet-stream", "a.ac3": "audio/ac3", "a.ec3": "audio/eac3", "a.dfxp": "application/ttml+xml", "a.vtt": "text/vtt",
		"a.mpd": "application/dash+xml", "a.m3u8": "application/vnd.apple.mpegurl", "a.ts": "video/mp2t", "a.mxf": "application/mxf",
		"a.mov": "video/quicktime", "a.mkv": "video/matroska", "a.unknown": "",
	} {
		if got := TypeByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
