package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestTimeLimitOfAnUpload: the parts that are stored when the time is over are kept for the next apply.
func TestTimeLimitOfAnUpload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const partSize = 5 << 20
		w := newWorld(t, simulator.Options{}, nil, attrs{"upload_concurrency": 1, "stall_timeout": "1h"})
		file := filepath.Join(t.TempDir(), "clip.mp4")
		writeFile(t, file, strings.Repeat("0123456789abcdef", 4*partSize/16))
		clip := attrs{"source": file, "method": "multipart", "part_size": partSize, "change_detection": "stat", "timeouts": attrs{"create": "20m"}}

		hold := w.service.Hold(simulator.CallPutPart, func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" })
		begun := time.Now()
		text := show(w.create("vodlive_media_upload", clip))
		if took := time.Since(begun); took != 20*time.Minute {
			t.Errorf("the upload ended after %s, want its time limit", took)
		}
		for _, want := range []string{"The time limit of 20m0s (timeouts.create) was reached", "1 of 4 parts are stored"} {
			if !strings.Contains(text, want) {
				t.Errorf("the diagnostics lack %q: %s", want, text)
			}
		}
		hold.Release()
		if diags := w.create("vodlive_media_upload", clip); len(diags) > 0 {
			t.Fatal(show(diags))
		}
		if objects := w.service.Objects(); len(objects) != 1 || objects[0].Size != 4*partSize {
			t.Errorf("objects: %+v", objects)
		}
	})
}

// TestTimeLimitOfASession: a session that is not ready when the time is over was created, and the error says so.
func TestTimeLimitOfASession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, simulator.Options{ReadyAfter: 24 * time.Hour}, nil, nil)
		begun := time.Now()
		text := show(w.create("vodlive_live_session", attrs{
			"name": "match", "region": "eu-central-1", "input": "RTMP_PULL", "mode": "NORM", "output_mode": "RTMP_PUSH",
			"input_source_a": streamSource, "output_destination_a": streamDestination,
			"input_preset": attrs{"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"}, "timeouts": attrs{"create": "10m"},
		}))
		if took := time.Since(begun); took != 10*time.Minute {
			t.Errorf("creating the session ended after %s, want its time limit", took)
		}
		for _, want := range []string{
			"The live session was not ready in time", "Live session " + w.service.Sessions()[0].ID + " was created",
			"ended after 10m0s. The last status seen was PENDING", "`terraform untaint`", "`timeouts.create`",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the diagnostics lack %q: %s", want, text)
			}
		}
	})
}

// TestRenewedTokenIsGood has the token of a file expire and be renewed during an upload, before a call that uses it.
func TestRenewedTokenIsGood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		token := func(lifetime time.Duration) string {
			claims := fmt.Appendf(nil, `{"exp":%d}`, time.Now().Add(lifetime).Unix())
			return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString(claims) + ".c2ln"
		}
		first, renewed := token(time.Minute), token(time.Hour)
		file := filepath.Join(t.TempDir(), "token")
		writeFile(t, file, first)
		w := newWorld(t, simulator.Options{IDToken: first}, map[string]string{"VODLIVE_ID_TOKEN": unset}, attrs{"id_token_file": file, "stall_timeout": "1h"})
		w.service.Hook(simulator.CallPutObject, func(*http.Request) {
			w.service.SetIDToken(renewed)
			writeFile(t, file, renewed)
			<-time.After(2 * time.Minute)
		})
		if diags := w.upload("single"); len(diags) > 0 {
			t.Fatal(show(diags))
		}
		if diags := w.batch(w.service.Objects()[0].KeyPath); len(diags) > 0 {
			t.Fatal(show(diags))
		}
	})
}
