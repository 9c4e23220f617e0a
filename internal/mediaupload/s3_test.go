package mediaupload_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
)

// onS3 is a world whose files go to a real S3 server.
func onS3(t *testing.T, size int) *world {
	t.Helper()
	storage, err := storagetest.NewS3(t.Context(), storagetest.Versitygw(t))
	if err != nil {
		t.Fatal(err)
	}
	server := acctest.Start(t, simulator.Options{Storage: storage})
	w := &world{CLI: acctest.NewCLI(t, server), server: server}
	w.path = filepath.Join(w.Dir, "media.mp4")
	w.sum = media(t, w.path, size, 1)
	return w
}

// TestUploadsToARealS3Server runs the life cycle of an upload where storage is not ours.
func TestUploadsToARealS3Server(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		size      int
		arguments []string
		parts     int
	}{
		"single":              {size: 3 * mib, parts: 0},
		"single, odd name":    {size: 1000, arguments: []string{`file_name = "Übung & mehr +1.mp4"`}, parts: 0},
		"multipart":           {size: 21*mib + 1, arguments: []string{`method = "multipart"`, `part_size = 5242880`}, parts: 5},
		"multipart, one part": {size: 100, arguments: []string{`method = "multipart"`}, parts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := onS3(t, tc.size)
			w.upload(tc.arguments...)
			w.apply()
			object := onlyObject(t, w.server)
			state := w.State()[address].Values
			want(t, "SHA-256", object.SHA256, w.sum)
			want(t, "key_path", state["key_path"], object.KeyPath)
			want(t, "part_count", state["part_count"], tc.parts)
			w.AssertNoChanges()
			sum := media(t, w.path, tc.size, 2)
			w.apply()
			want(t, "sha256", w.State()[address].Values["sha256"], sum)
			want(t, "objects", len(w.server.Objects()), 2)
			w.Must("destroy", "-auto-approve")
		})
	}
}

func TestInterruptedUploadContinuesOnARealS3Server(t *testing.T) {
	t.Parallel()
	w := onS3(t, resumeSize)
	w.uploadInParts()
	// PUTs do not pass the simulator, so the run breaks off where the service is asked for the
	// third address.
	w.server.Fail(simulator.Fault{Call: simulator.CallMultipartURL, After: breaksAt - 1, Status: http.StatusInternalServerError})
	contains(t, w.Run("apply", "-auto-approve"), "2 of 4 parts are stored")
	w.server.ClearFaults()
	since := len(w.server.Journal())
	w.apply()
	asked := 0
	for _, r := range w.server.Journal()[since:] {
		if r.Call == simulator.CallMultipartURL {
			asked++
		}
	}
	want(t, "addresses asked for in the second run", asked, rest)
	want(t, "SHA-256", onlyObject(t, w.server).SHA256, w.sum)
	w.AssertNoChanges()
}
