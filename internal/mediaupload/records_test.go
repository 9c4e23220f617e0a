package mediaupload_test

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// breakOff invokes vodlive_process_media, which has no state: only a record can continue its upload. It fails at the
// third of four parts.
func breakOff(t *testing.T, server *acctest.Server, env map[string]string, path string) {
	t.Helper()
	server.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(breaksAt), Status: http.StatusBadRequest})
	_, diags := invoke(t.Context(), server.Protocol(t, env), path, inParts)
	server.ClearFaults()
	if !strings.Contains(diags, "2 of 4 parts are stored") {
		t.Fatalf("diagnostics: %s", diags)
	}
}

var inParts = map[string]tftypes.Value{"method": acctest.Text("multipart"), "part_size": tftypes.NewValue(tftypes.Number, 5*mib)}

// continues says whether a second run continues what breakOff left.
func continues(t *testing.T, server *acctest.Server, env map[string]string, path string) bool {
	t.Helper()
	if _, diags := invoke(t.Context(), server.Protocol(t, env), path, inParts); diags != "" {
		t.Fatal(diags)
	}
	return server.Count(simulator.CallMultipartCreate) == 1
}

// TestRecordsBelongToAnAccount has a second run find what the first left only when both have the same identity.
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
		"opaque, from another file":         {first: "opaque-1", second: "opaque-1", sources: [2]string{"a", "b"}},
		"opaque, renewed in the same file":  {first: "opaque-1", second: "opaque-2", sources: [2]string{"a", "a"}, continued: true},
		"opaque, from a file instead":       {first: "opaque-1", second: "opaque-1", sources: [2]string{"", "a"}},
		"opaque, from the same environment": {first: "opaque-1", second: "opaque-1", continued: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{})
			folder, records := t.TempDir(), t.TempDir()
			path := filepath.Join(folder, "promo.mp4")
			media(t, path, resumeSize, 1)
			environment := func(token, source string) map[string]string {
				server.SetIDToken(token)
				env := map[string]string{"VODLIVE_RESUME_DIR": records, "VODLIVE_UPLOAD_CONCURRENCY": "1", "VODLIVE_ID_TOKEN": token}
				if source != "" {
					file := filepath.Join(folder, source)
					if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
						t.Fatal(err)
					}
					maps.Copy(env, map[string]string{"VODLIVE_ID_TOKEN": "", "VODLIVE_ID_TOKEN_FILE": file})
				}
				return env
			}
			breakOff(t, server, environment(tc.first, tc.sources[0]), path)
			assertNowhere(t, records, tc.first, "alice")
			want(t, "continued", continues(t, server, environment(tc.second, tc.sources[1]), path), tc.continued)
		})
	}
}

// token is an unsigned JWT with these claims.
func token(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "."
}

// assertNowhere holds that no file below the folder contains any of the texts, and that there is a file.
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

// TestSpellingsOfAnAddressShareRecords continues an upload after `vod_base_url` was written in another way.
func TestSpellingsOfAnAddressShareRecords(t *testing.T) {
	t.Parallel()
	for name, respell := range map[string]func(string) string{
		"trailing slash": func(address string) string { return address + "/" },
		"letter case":    strings.ToUpper,
		"white space":    func(address string) string { return " " + address },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{})
			path := filepath.Join(t.TempDir(), "promo.mp4")
			media(t, path, resumeSize, 1)
			env := map[string]string{"VODLIVE_RESUME_DIR": t.TempDir(), "VODLIVE_UPLOAD_CONCURRENCY": "1"}
			breakOff(t, server, env, path)
			env["VODLIVE_VOD_BASE_URL"] = respell(server.URL)
			want(t, "continued", continues(t, server, env, path), true)
		})
	}
}

// TestFilesOfOthersInResumeDirStay uploads with a `resume_dir` that holds old files with names like the provider's.
func TestFilesOfOthersInResumeDirStay(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	folder := t.TempDir()
	names := []string{
		"upload-final.mov", "hash-list.txt", "upload-notes.tmp", "upload-.json", "upload-final.mov.lock",
		"upload-0123456789abcdef0123456789abcdef.json", "hash-0123456789abcdef0123456789abcdef.json",
	}
	old := time.Now().Add(-30 * 24 * time.Hour)
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, resumeSize, 1)
	if _, diags := invoke(t.Context(), server.Protocol(t, map[string]string{"VODLIVE_RESUME_DIR": folder}), path, inParts); diags != "" {
		t.Fatal(diags)
	}
	for _, name := range names {
		if content, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(content) != "mine" {
			t.Errorf("%s: %q, %v", name, content, err)
		}
	}
}

// TestRecordsThatCannotBeKeptAreNotPromised has a folder for `resume_dir` that is not used.
func TestRecordsThatCannotBeKeptAreNotPromised(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	folder := t.TempDir()
	path := filepath.Join(folder, "promo.mp4")
	media(t, path, resumeSize, 1)
	server.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(breaksAt), Status: http.StatusBadRequest})
	// A file is no folder, on every operating system.
	_, diags := invoke(t.Context(), server.Protocol(t, map[string]string{"VODLIVE_RESUME_DIR": path, "VODLIVE_UPLOAD_CONCURRENCY": "1"}), path, inParts)
	if diags == "" || strings.Contains(diags, "are not lost") {
		t.Errorf("diagnostics: %s", diags)
	}
	want(t, "unfinished uploads", fmt.Sprint(len(server.Uploads())), "1")
}
