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

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestTimeLimitOfAnUpload: the error says how many parts were stored when the time was over. There
// are only two: three sums at once are computed by md5-simd, which shares channels between uploads,
// and those of one bubble of synctest may not be used outside of it.
func TestTimeLimitOfAnUpload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const partSize = 5 << 20
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(attrs{"upload_concurrency": 1, "stall_timeout": "1h"})
		file := filepath.Join(t.TempDir(), "clip.mp4")
		writeFile(t, file, strings.Repeat("0123456789abcdef", 2*partSize/16))
		clip := attrs{"source": file, "method": "multipart", "part_size": partSize, "change_detection": "stat", "timeouts": attrs{"create": "20m"}}

		hold := w.Hold(simulator.CallPutPart, func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" })
		begun := time.Now()
		_, diags := p.Create("vodlive_media_upload", clip)
		if took := time.Since(begun); took != 20*time.Minute {
			t.Errorf("the upload ended after %s, want its time limit", took)
		}
		for _, want := range []string{"the time limit of 20m0s (timeouts.create) was reached", "1 of 2 parts are stored"} {
			if !strings.Contains(diags.String(), want) {
				t.Errorf("the diagnostics lack %q: %s", want, diags)
			}
		}
		hold.Release()
		if _, diags := p.Create("vodlive_media_upload", clip); len(diags) > 0 {
			t.Fatal(diags)
		}
		if objects := w.Objects(); len(objects) != 1 || objects[0].Size != 2*partSize {
			t.Errorf("objects: %+v", objects)
		}
	})
}

// TestRenewedTokenIsGood has the token of a file expire and be renewed during an upload, before a
// call that uses it.
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
		w := withoutToken(t, simulator.Options{IDToken: first})
		p := w.Provider(attrs{"id_token_file": file, "stall_timeout": "1h"})
		w.Hook(simulator.CallPutObject, func(*http.Request) {
			w.SetIDToken(renewed)
			writeFile(t, file, renewed)
			<-time.After(2 * time.Minute)
		})
		if diags := upload(t, p, "single"); len(diags) > 0 {
			t.Fatal(diags)
		}
		if diags := batch(p, w.Objects()[0].KeyPath); len(diags) > 0 {
			t.Fatal(diags)
		}
	})
}

// TestWrongAddressIsFoundOnce: in one process, only the first call of an address that refuses every
// connection is repeated. What was reached before is worth the retries.
func TestWrongAddressIsFoundOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		took := func(p *acctest.Provider) time.Duration {
			begun := time.Now()
			if diags := session(w, p); !diags.Failed() {
				t.Error("the session was created")
			}
			return time.Since(begun)
		}
		p := w.Provider(nil)
		w.Live.Refuse(-1)
		if first := took(p); first < 5*time.Second || first > 10*time.Second {
			t.Errorf("plan and create took %s, want ten seconds at most", first)
		}
		if again := took(p); again != 0 {
			t.Errorf("another session took %s", again)
		}
		w.Live.Refuse(0)
		p = w.Provider(nil)
		if diags := read(p, "vodlive_regions", nil); len(diags) > 0 {
			t.Fatal(diags)
		}
		w.Live.Refuse(-1)
		if outage := took(p); outage < 5*time.Minute || outage > 6*time.Minute {
			t.Errorf("an address that had answered was given up after %s", outage)
		}
		if again := took(p); again != 0 {
			t.Errorf("another session took %s, after an outage that had lasted too long", again)
		}
	})
}
