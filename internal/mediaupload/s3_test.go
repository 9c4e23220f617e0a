package mediaupload_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
)

// onS3 is a fixture whose files go to a real S3 server.
func onS3(t *testing.T, size int) *fixture {
	t.Helper()
	storage, err := storagetest.NewS3(t.Context(), storagetest.Versitygw(t))
	if err != nil {
		t.Fatal(err)
	}
	server := acctest.Start(t, simulator.Options{Storage: storage})
	f := &fixture{CLI: acctest.NewCLI(t, server), server: server}
	f.path = filepath.Join(f.Dir, "media.mp4")
	f.sum = media(t, f.path, size, 1)
	return f
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
			f := onS3(t, tc.size)
			f.upload(tc.arguments...)
			f.apply()
			object := onlyObject(t, f.server)
			state := f.State()[address].Values
			want(t, "SHA-256", object.SHA256, f.sum)
			want(t, "key_path", state["key_path"], object.KeyPath)
			want(t, "part_count", state["part_count"], tc.parts)
			f.AssertNoChanges()
			sum := media(t, f.path, tc.size, 2)
			f.apply()
			want(t, "sha256", f.State()[address].Values["sha256"], sum)
			want(t, "objects", len(f.server.Objects()), 2)
			f.Must("destroy", "-auto-approve")
		})
	}
}

func TestInterruptedUploadContinuesOnARealS3Server(t *testing.T) {
	t.Parallel()
	f := onS3(t, resumeSize)
	f.uploadInParts()
	// PUTs do not pass the simulator, so the run breaks off where the service is asked for the third address.
	f.server.Fail(simulator.Fault{Call: simulator.CallMultipartURL, After: breaksAt - 1, Status: http.StatusInternalServerError})
	contains(t, f.Run("apply", "-auto-approve"), "2 of 4 parts are stored")
	f.server.ClearFaults()
	since := len(f.server.Journal())
	f.apply()
	asked := 0
	for _, r := range f.server.Journal()[since:] {
		if r.Call == simulator.CallMultipartURL {
			asked++
		}
	}
	want(t, "addresses asked for in the second run", asked, rest)
	want(t, "SHA-256", onlyObject(t, f.server).SHA256, f.sum)
	f.AssertNoChanges()
}
