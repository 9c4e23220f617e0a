package mediaupload_test

import (
	"encoding/base64"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

var (
	inParts  = acctest.Attrs{"method": "multipart", "part_size": 5 * mib}
	oneByOne = acctest.Attrs{"upload_concurrency": 1}
)

// TestRecordsBelongToAnAccount has a second run find what the first left only when both have the
// same identity.
func TestRecordsBelongToAnAccount(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first, second string // tokens
		sources       [2]string
		continued     bool
	}{
		"same JWT":             {first: token(`{"sub":"alice"}`), second: token(`{"sub":"alice"}`), continued: true},
		"renewed JWT":          {first: token(`{"sub":"alice","exp":4102444800}`), second: token(`{"sub":"alice","exp":4102444900,"jti":"2"}`), continued: true},
		"JWT of somebody else": {first: token(`{"sub":"alice"}`), second: token(`{"sub":"bob"}`)},
		"JWT of another customer": {
			first: token(`{"sub":"alice","custom:customer_id":"1"}`), second: token(`{"sub":"alice","custom:customer_id":"2"}`),
		},
		"JWT from another source": {
			first: token(`{"sub":"alice"}`), second: token(`{"sub":"alice"}`), sources: [2]string{"", "token"}, continued: true,
		},
		"opaque, from the path in other words": {
			first: "opaque-1", second: "opaque-1", sources: [2]string{"a", "./a"}, continued: true,
		},
		"opaque, from another file":         {first: "opaque-1", second: "opaque-1", sources: [2]string{"a", "b"}},
		"opaque, renewed in the same file":  {first: "opaque-1", second: "opaque-2", sources: [2]string{"a", "a"}, continued: true},
		"opaque, from a file instead":       {first: "opaque-1", second: "opaque-1", sources: [2]string{"", "a"}},
		"opaque, from the same environment": {first: "opaque-1", second: "opaque-1", continued: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage.Large(t)
			w, folder := acctest.NewWorld(t, simulator.Options{}), t.TempDir()
			path := filepath.Join(folder, "promo.mp4")
			media(t, path, resumeSize, 1)
			setToken := func(token, source string) {
				w.SetIDToken(token)
				w.Env["VODLIVE_ID_TOKEN"], w.Env["VODLIVE_ID_TOKEN_FILE"] = token, ""
				if source != "" {
					file := folder + string(filepath.Separator) + source // Join would clean it
					if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
						t.Fatal(err)
					}
					w.Env["VODLIVE_ID_TOKEN"], w.Env["VODLIVE_ID_TOKEN_FILE"] = "", file
				}
			}
			setToken(tc.first, tc.sources[0])
			// The action has no state: only a record can continue its upload.
			w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(breaksAt), Status: http.StatusNotImplemented})
			if _, diags := invoke(w.Provider(oneByOne), path, inParts); !strings.Contains(diags, "2 of 4 parts are stored") {
				t.Fatalf("diagnostics: %s", diags)
			}
			w.ClearFaults()
			assertNowhere(t, w.Env["VODLIVE_RESUME_DIR"], tc.first, "alice")
			setToken(tc.second, tc.sources[1])
			if _, diags := invoke(w.Provider(oneByOne), path, inParts); diags != "" {
				t.Fatal(diags)
			}
			want(t, "continued", w.Count(simulator.CallMultipartCreate) == 1, tc.continued)
		})
	}
}

// token is an unsigned JWT with these claims.
func token(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "."
}

// assertNowhere holds that no file below the folder contains any of the texts, and that there is a
// file.
func assertNowhere(t *testing.T, folder string, texts ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for _, text := range texts {
			if strings.Contains(string(content), text) {
				t.Errorf("%s contains %q", path, text)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files in %s, %v", files, folder, err)
	}
}
