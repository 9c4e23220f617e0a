package provider_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// The walk over all surfaces: every operation of everything that the provider registers, while each
// of its calls is refused with a message that has every known secret in every form. None may show.

// forms are the ways in which texts write a secret.
var forms = map[string]func(string) string{
	"plain": strings.Clone, "percent": url.QueryEscape, "path": url.PathEscape, "HTML": html.EscapeString,
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"base64":     func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64 URL": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"JSON": func(s string) string {
		text, _ := json.Marshal(s)
		return strings.Trim(string(text), `"`)
	},
}

const (
	secretTokenID = "AKLIVE7Q2fXw+m"
	secretKey     = `sk/9+Zz"&<q>=w3L`
	secretToken   = "id-token-Zm9vYmFy/8271+"
	streamKey     = `src-key&5f"21<c0`
)

// known are the secrets of a world, with the signatures of the upload addresses that were used.
type known struct {
	mu  sync.Mutex
	all map[string]bool
}

// texts are the secrets in all forms.
func (k *known) texts() (texts []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for secret := range k.all {
		for _, form := range forms {
			texts = append(texts, form(secret))
		}
	}
	return texts
}

// absentFrom fails the test if a text has a secret.
func (k *known) absentFrom(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range k.texts() {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows %s: %.2000s", what, secret, text)
			return
		}
	}
}

func knownTo(w *acctest.World, secrets ...string) *known {
	k := &known{all: map[string]bool{}}
	for _, secret := range secrets {
		k.all[secret] = true
	}
	w.Hook("", func(r *http.Request) {
		if signature := r.URL.Query().Get("X-Amz-Signature"); signature != "" {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.all[signature] = true
		}
	})
	return k
}

// scene is a world with a session and a stored file.
type scene struct {
	t               *testing.T
	p               *acctest.Provider
	folder          string
	session, upload acctest.Instance
}

func (s *scene) config(name string) attrs {
	return match.With(attrs{"name": name, "input_source_a": "rtmp://origin.example.com/contribution/" + streamKey, "timeouts": attrs{"create": "1m"}})
}

func (s *scene) file(name string) attrs {
	path := filepath.Join(s.folder, name)
	writeFile(s.t, path, "the content of "+name)
	return attrs{"source": path, "timeouts": attrs{"create": "1m", "update": "1m"}}
}

func (s *scene) job() attrs {
	return attrs{"paths": []string{s.upload.Text("key_path")}, "service_modes": []string{"video_optimizer"}}
}

// invoke interrupts an action that still tries after a minute.
func (s *scene) invoke(typ string, config attrs) string {
	p, cancel := s.p.WithCancel()
	defer time.AfterFunc(time.Minute, cancel).Stop()
	progress, diags := p.Invoke(typ, config)
	return strings.Join(progress, "\n") + diags.String()
}

func second[T any](_ T, diags acctest.Diagnostics) string { return diags.String() }

// operations return all that the user is shown. Their names begin with what they use.
var operations = map[string]func(s *scene) string{
	"resource vodlive_live_session: create":  func(s *scene) string { return second(s.p.Create("vodlive_live_session", s.config("another"))) },
	"resource vodlive_live_session: refresh": func(s *scene) string { return second(s.p.Read(s.session)) },
	"resource vodlive_live_session: replace": func(s *scene) string { return second(s.p.Change(s.session, s.config("another"))) },
	"resource vodlive_live_session: import":  func(s *scene) string { return second(s.p.Import("vodlive_live_session", s.session.Text("id"))) },
	"resource vodlive_media_upload: single":  func(s *scene) string { return second(s.p.Create("vodlive_media_upload", s.file("b.mp4"))) },
	"resource vodlive_media_upload: parts": func(s *scene) string {
		return second(s.p.Create("vodlive_media_upload", s.file("b.mp4").With(attrs{"method": "multipart"})))
	},
	"resource vodlive_media_upload: update": func(s *scene) string { return second(s.p.Change(s.upload, s.file("b.mp4"))) },
	"resource vodlive_media_folder: create": func(s *scene) string {
		s.file("media/c.mp4")
		return second(s.p.Create("vodlive_media_folder", attrs{"source_dir": filepath.Join(s.folder, "media"), "timeouts": attrs{"create": "1m"}}))
	},
	"resource vodlive_batch_job: create": func(s *scene) string { return second(s.p.Create("vodlive_batch_job", s.job())) },
	"data vodlive_regions: read":         func(s *scene) string { return read(s.p, "vodlive_regions", nil).String() },
	"data vodlive_live_session: read": func(s *scene) string {
		return read(s.p, "vodlive_live_session", attrs{"id": s.session.Text("id")}).String()
	},
	"data vodlive_live_sessions: read": func(s *scene) string { return read(s.p, "vodlive_live_sessions", nil).String() },
	"list vodlive_live_session: list": func(s *scene) string {
		var said strings.Builder
		for listed := range s.p.List("vodlive_live_session", nil, true, 10) {
			said.WriteString(listed.Name + listed.Diags.String())
		}
		return said.String()
	},
	"ephemeral vodlive_upload_url: open": func(s *scene) string { return second(s.p.Open("vodlive_upload_url", attrs{"file_name": "a.mp4"})) },
	"ephemeral vodlive_live_session: open": func(s *scene) string {
		return second(s.p.Open("vodlive_live_session", attrs{"id": s.session.Text("id")}))
	},
	"action vodlive_submit_batch_job: invoke": func(s *scene) string { return s.invoke("vodlive_submit_batch_job", s.job()) },
	"action vodlive_process_media: invoke": func(s *scene) string {
		return s.invoke("vodlive_process_media", attrs{"source": s.file("d.mp4")["source"], "service_modes": []string{"video_optimizer"}})
	},
}

// callsOf are the calls that an operation may make.
func callsOf(operation string) []string {
	uploads := []string{
		simulator.CallPresignURL, simulator.CallPutObject, simulator.CallMultipartCreate, simulator.CallMultipartURL, simulator.CallPutPart, simulator.CallMultipartComplete,
	}
	switch {
	case strings.Contains(operation, "media"):
		return append(uploads, simulator.CallBatch)
	case strings.Contains(operation, "upload_url"):
		return uploads[:1]
	case strings.Contains(operation, "batch"):
		return []string{simulator.CallBatch}
	}
	return []string{simulator.CallRegions, simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions}
}

func TestNoSurfaceShowsASecret(t *testing.T) {
	t.Parallel()
	for operation, run := range operations {
		for _, call := range callsOf(operation) {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
				t.Run(fmt.Sprintf("%s/%s/%d", operation, call, status), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { show(t, run, call, status) })
				})
			}
		}
	}
}

// show runs an operation, one of whose calls is answered with all secrets.
func show(t *testing.T, run func(*scene) string, call string, status int) {
	t.Helper()
	w := acctest.NewWorld(t, simulator.Options{AccessTokenID: secretTokenID, SecretKey: secretKey, IDToken: secretToken})
	s := &scene{t: t, folder: t.TempDir()}
	maps.Copy(w.Env, map[string]string{
		"VODLIVE_ACCESS_TOKEN_ID": secretTokenID, "VODLIVE_SECRET_KEY": secretKey, "VODLIVE_ID_TOKEN": secretToken,
		"VODLIVE_PROGRESS": filepath.Join(s.folder, "progress"), "VODLIVE_RESUME_DIR": filepath.Join(s.folder, "resume"),
	})
	k := knownTo(w, secretTokenID, secretKey, secretToken, streamKey)
	s.p = w.Provider(attrs{"max_retries": 1, "request_timeout": "5s", "stall_timeout": "5s"})
	var diags acctest.Diagnostics
	s.session, diags = s.p.Create("vodlive_live_session", s.config("match"))
	diags.Must(t)
	s.upload, diags = s.p.Create("vodlive_media_upload", s.file("a.mp4"))
	diags.Must(t)
	w.Fail(simulator.Fault{Call: call, Status: status, Body: "{}", Rewrite: func([]byte) []byte {
		said := "cannot use " + strings.Join(k.texts(), " or ")
		if strings.HasPrefix(call, "put-") { // storage does not answer JSON
			return []byte(said)
		}
		text, _ := json.Marshal(map[string]string{"message": said})
		return text
	}})
	before := w.Count(call)
	shown := run(s)
	if made := w.Count(call) > before; made && status == http.StatusBadRequest && !strings.Contains(shown, "***") {
		t.Errorf("the refusal is not shown: %s", shown)
	}
	k.absentFrom(t, "what the user is shown", shown)
	k.absentFrom(t, "the log", w.Log.String())
	_ = filepath.WalkDir(s.folder, func(path string, entry fs.DirEntry, _ error) error {
		if content, err := os.ReadFile(path); err == nil && !strings.HasSuffix(path, ".mp4") {
			k.absentFrom(t, path, string(content))
		}
		return nil
	})
}

// TestSurfacesAreComplete fails when the provider registers what operations does not have.
func TestSurfacesAreComplete(t *testing.T) {
	t.Parallel()
	all := acctest.NewProvider(t, nil).Schema
	registered := slices.Concat(
		named("resource ", all.ResourceSchemas), named("data ", all.DataSourceSchemas), named("list ", all.ListResourceSchemas),
		named("ephemeral ", all.EphemeralResourceSchemas), named("action ", all.ActionSchemas))
	for _, name := range registered {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(operations)), func(o string) bool { return strings.HasPrefix(o, name+":") }) {
			t.Errorf("there is no operation of %s", name)
		}
	}
}

func named[T any](prefix string, all map[string]T) (names []string) {
	for name := range all {
		names = append(names, prefix+name)
	}
	return names
}
