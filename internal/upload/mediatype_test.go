package upload_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

func TestMediaTypesByExtension(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"init.cmfv": "video/mp4", "a.cmfa": "audio/mp4", "a.cmft": "application/mp4", "seg-1.m4s": "video/iso.segment", "enc.key": "application/octet-stream",
		"a.vtt": "text/vtt", "a.mpd": "application/dash+xml", "a.m3u8": "application/vnd.apple.mpegurl", "a.ts": "video/mp2t", "a.mxf": "application/mxf",
		"A.MOV": "video/quicktime", "a.mkv": "video/matroska", "a.unknown": "", "mp4": "",
	} {
		if got := upload.TypeByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestMediaTypesThatNoHeaderCarries(t *testing.T) {
	t.Parallel()
	for given, valid := range map[string]bool{
		"video/mp4": true, `video/mp4; codecs="avc1.42E01E"`: true, "video": false, "video/": false, " video/mp4": false, "video/mp4\n": false, "vidéo/mp4": false,
	} {
		if problem := upload.MediaTypeProblem(given); (problem == "") != valid {
			t.Errorf("%q: %q", given, problem)
		}
	}
}
