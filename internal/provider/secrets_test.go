package provider_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// Credentials with characters that look different once they are escaped for JSON, HTML, a URL or base64.
const (
	secretTokenID = "AKLIVE7Q2fXw+m"
	secretKeyText = `sk/9+Zz"&<q>=w3L`
	sourceA       = "rtmp://origin.example.com/contribution/src-a-5f21c0d9?auth=q8w7e6"
	sourceB       = "rtmps://backup-user:backup-pass-3@origin.example.com:1936/contribution/src-b-99d0e1"
	destinationA  = "rtmp://sink.example.com/distribution/dst-a-77ab19f2"
	destinationB  = "rtmps://sink.example.com/distribution/dst-b-41cc08e5"
)

// mirror is the service behind a gateway that, for the requests that reflects accepts, answers with all that it was
// sent. It notes every upload address that the service hands out.
type mirror struct {
	*acctest.Server
	url      string
	reflects func(*http.Request) bool // nil: none
	answer   func(w http.ResponseWriter, r *http.Request, echo string)

	reflected atomic.Int64

	mu     sync.Mutex
	issued secrets
}

// idToken is a JWT that has not expired.
func idToken(t *testing.T) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "user-7f3a", "exp": time.Now().Add(24 * time.Hour).Unix()}).SignedString([]byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func newMirror(t *testing.T, token string, reflects func(*http.Request) bool, answer func(http.ResponseWriter, *http.Request, string)) *mirror {
	t.Helper()
	m := &mirror{reflects: reflects, answer: answer, issued: secrets{}}
	m.Server = acctest.Start(t, simulator.Options{
		AccessTokenID: secretTokenID, SecretKey: secretKeyText, IDToken: token, StatusPath: []string{"READY"},
	})
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	m.url = server.URL
	return m
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m.reflects == nil || !m.reflects(r) {
		t := &tee{ResponseWriter: w}
		m.Server.ServeHTTP(t, r)
		m.note(t.copied.String())
		return
	}
	m.reflected.Add(1)
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	id, key, _ := r.BasicAuth()
	var values map[string]any
	_ = json.Unmarshal(body, &values)
	said := []string{fmt.Sprintf("cannot %s http://%s%s", r.Method, r.Host, r.URL.RequestURI()), "Authorization: " + r.Header.Get("Authorization"), id + ":" + key, string(body)}
	for name, value := range values {
		said = append(said, fmt.Sprintf("%s=%v", name, value))
	}
	m.answer(w, r, strings.Join(said, "; "))
}

// tee keeps a copy of what is answered.
type tee struct {
	http.ResponseWriter
	copied bytes.Buffer
}

func (t *tee) Write(p []byte) (int, error) {
	t.copied.Write(p)
	return t.ResponseWriter.Write(p)
}

func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

var presigned = regexp.MustCompile(`X-Amz-(Signature|Credential)=([^&"\\]+)`)

func (m *mirror) note(answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, found := range presigned.FindAllStringSubmatch(answer, -1) {
		value, err := url.QueryUnescape(found[2])
		if err != nil {
			continue
		}
		m.issued.add(found[1]+" "+value, value)
	}
}

// secrets is all that must not show, with what was handed out so far.
func (m *mirror) secrets(token string) secrets {
	all := credentialForms(secretTokenID, secretKeyText, token)
	for name, address := range map[string]string{"source a": sourceA, "source b": sourceB, "destination a": destinationA, "destination b": destinationB} {
		all.addStream(name, address)
	}
	all.add("query of source a", "q8w7e6")
	all.add("password in source b", "backup-pass-3")
	all.addIssued(m.Service)
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(all, m.issued)
	return all
}

// spied is a working folder whose runs log everything there is to log.
type spied struct {
	*acctest.CLI
	t        *testing.T
	m        *mirror
	token    string
	logs     string
	progress string
	resume   string
	outputs  strings.Builder
}

func newSpied(t *testing.T, m *mirror, token string) *spied {
	t.Helper()
	s := &spied{CLI: acctest.NewCLI(t, m.Server), t: t, m: m, token: token}
	folder := t.TempDir()
	s.logs, s.progress, s.resume = filepath.Join(folder, "log"), filepath.Join(folder, "progress"), filepath.Join(folder, "resume")
	for name, value := range map[string]string{
		"TF_LOG": "TRACE", "TF_LOG_PATH": s.logs, "VODLIVE_PROGRESS": s.progress, "VODLIVE_RESUME_DIR": s.resume,
		"VODLIVE_BASE_URL": m.url, "VODLIVE_VOD_BASE_URL": m.url,
		"VODLIVE_ACCESS_TOKEN_ID": secretTokenID, "VODLIVE_SECRET_KEY": secretKeyText, "VODLIVE_ID_TOKEN": token,
		"TF_VAR_source_a": sourceA, "TF_VAR_source_b": sourceB, "TF_VAR_destination_a": destinationA, "TF_VAR_destination_b": destinationB,
	} {
		s.Setenv(name, value)
	}
	s.Write("clip.mp4", "the clip")
	s.Write("film.mp4", "the film")
	return s
}

// run runs the CLI and keeps what it shows.
func (s *spied) run(args ...string) acctest.Result {
	s.t.Helper()
	r := s.Run(args...)
	fmt.Fprintf(&s.outputs, "$ %s\n%s\n", strings.Join(args, " "), r.Output)
	return r
}

func (s *spied) must(args ...string) acctest.Result {
	s.t.Helper()
	r := s.run(args...)
	if r.Code != 0 {
		s.t.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), r.Code, r.Output)
	}
	return r
}

// check searches all that was shown, logged or left in files, but for the state, for secrets. The state holds
// sensitive attributes as they are: that is Terraform's rule, and its user's to protect.
func (s *spied) check() {
	s.t.Helper()
	all := s.m.secrets(s.token)
	all.absentFrom(s.t, "the output of the CLI", s.outputs.String())
	log, err := os.ReadFile(s.logs)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range []string{"request to the service", "request body", "[TRACE]"} {
		if !bytes.Contains(log, []byte(line)) {
			s.t.Errorf("the log, of %d bytes, has no line with %q: it would show no secret either", len(log), line)
		}
	}
	all.absentFrom(s.t, "the log", string(log))
	for what, root := range map[string]string{"the progress": s.progress, "a record of an upload": s.resume} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil //nolint:nilerr // not every run uploads
			}
			content, err := os.ReadFile(path)
			if err != nil {
				s.t.Error(err)
			}
			all.absentFrom(s.t, what, string(content))
			return nil
		})
	}
}

const variables = `
variable "source_a" { sensitive = true }
variable "source_b" { sensitive = true }
variable "destination_a" { sensitive = true }
variable "destination_b" { sensitive = true }
`

const pulled = `
resource "vodlive_live_session" "pulled" {
  name                 = "pulled"
  region               = "eu-central-1"
  input                = "RTMP_PULL"
  mode                 = "HA"
  output_mode          = "RTMPS_PUSH"
  input_preset         = { resolution = "HD", bitrate = "MAX_10_MBPS" }
  input_source_a       = var.source_a
  input_source_b       = var.source_b
  output_destination_a = var.destination_a
  output_destination_b = var.destination_b
}
`

const uploads = `
resource "vodlive_media_upload" "clip" {
  source   = "clip.mp4"
  timeouts = { create = "10m" }
}
resource "vodlive_media_upload" "film" {
  source   = "film.mp4"
  method   = "multipart"
  timeouts = { create = "10m" }
}
`

// TestNoSecretShowsInALifeCycle goes through a life cycle that succeeds, with everything logged.
func TestNoSecretShowsInALifeCycle(t *testing.T) {
	t.Parallel()
	token := idToken(t)
	s := newSpied(t, newMirror(t, token, nil, nil), token)
	configuration := variables + pulled + uploads + `
data "vodlive_regions" "all" {}
data "vodlive_live_sessions" "all" { depends_on = [vodlive_live_session.pushed] }
resource "vodlive_live_session" "pushed" {
  name         = "pushed"
  region       = data.vodlive_regions.all.names[1]
  input        = "RTMPS_PUSH"
  mode         = "HA"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "FULL_HD", bitrate = "MAX_20_MBPS" }
}
resource "vodlive_batch_job" "both" {
  paths         = [vodlive_media_upload.clip.key_path, vodlive_media_upload.film.key_path]
  service_modes = ["video_optimizer"]
}
output "session" { value = vodlive_live_session.pushed.id }
output "ports" { value = [vodlive_live_session.pushed.port, vodlive_live_session.pushed.egress_port] }
output "film" { value = vodlive_media_upload.film.location }
output "sessions" { value = data.vodlive_live_sessions.all.sessions }
output "endpoint" {
  value     = vodlive_live_session.pushed.input_endpoint_a
  sensitive = true
}
`
	s.Config(configuration)
	s.must("validate")
	s.must("plan", "-out=plan")
	s.must("show", "plan")
	s.must("apply", "plan")
	s.must("show")
	s.must("output")
	s.must("plan", "-detailed-exitcode")
	id := s.State()["vodlive_live_session.pushed"].Values["id"]
	s.must("state", "rm", "vodlive_live_session.pushed")
	s.must("import", "vodlive_live_session.pushed", fmt.Sprint(id))
	s.Config(strings.Replace(configuration, `"pulled"`+"\n  region", `"renamed"`+"\n  region", 1))
	s.must("apply", "-auto-approve")
	s.must("show")
	s.must("destroy", "-auto-approve")

	if sessions, objects, batches := len(s.m.Sessions()), len(s.m.Objects()), len(s.m.Batches()); sessions != 3 || objects != 2 || batches != 1 {
		t.Errorf("%d sessions, %d objects, %d batches: the life cycle was another", sessions, objects, batches)
	}
	if n := len(s.m.issued); n == 0 {
		t.Error("no upload address was noted")
	}
	s.check()
}

// TestNoSecretShowsOfAnUploadURL: what an ephemeral resource hands out is for its user alone.
func TestNoSecretShowsOfAnUploadURL(t *testing.T) {
	t.Parallel()
	token := idToken(t)
	s := newSpied(t, newMirror(t, token, nil, nil), token)
	s.SkipBelow("ephemeral resources", "1.10.0", "1.11.0")
	s.Config(`ephemeral "vodlive_upload_url" "tool" { file_name = "tool.mp4" }`)
	s.must("plan")
	s.must("apply", "-auto-approve")
	if n := len(s.m.issued); n == 0 {
		t.Error("no upload address was handed out")
	}
	s.check()
}

func isStorage(r *http.Request) bool { return r.Method == http.MethodPut }

// isCall is every call that makes something, and the listing that follows a create whose outcome is not known.
func isCall(r *http.Request) bool { return !isStorage(r) }

func answer(status int, contentType, format string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, echo string) {
		text := echo
		switch {
		case strings.Contains(contentType, "json"):
			quoted, _ := json.Marshal(echo)
			text = string(quoted)
		case strings.Contains(contentType, "xml"):
			var escaped bytes.Buffer
			_ = xml.EscapeText(&escaped, []byte(echo))
			text = escaped.String()
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(format, "ECHO", text))
	}
}

// breaking answers the beginning and breaks the connection.
func breaking(first func(http.ResponseWriter, *http.Request, string)) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, echo string) {
		if first != nil {
			w.Header().Set("Content-Length", "100000")
			first(w, r, echo)
			_ = http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

// cutInTheSignature answers a text that is too long to be shown, so that its end is cut off: in the middle of a secret.
func cutInTheSignature(w http.ResponseWriter, r *http.Request, _ string) {
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, strings.Repeat("-", 260)+" "+r.URL.Query().Get("X-Amz-Signature"))
}

// forADay asks to wait for longer than any operation may take, which ends the calls at once.
func forADay(next func(http.ResponseWriter, *http.Request, string)) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, echo string) {
		w.Header().Set("Retry-After", "86400")
		next(w, r, echo)
	}
}

// TestNoSecretShowsInAFailure lets a session, a batch job and two uploads fail in every way, with everything logged,
// behind a gateway that repeats all it is sent.
func TestNoSecretShowsInAFailure(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(func() {
		other.Close()
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("%d requests followed a redirect to another host", n)
		}
	})
	redirect := func(w http.ResponseWriter, r *http.Request, echo string) {
		w.Header().Set("Location", other.URL+r.URL.Path+"?"+r.URL.RawQuery+"&echo="+url.QueryEscape(echo))
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	const storageSays = `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Denied: ECHO</Message><CanonicalRequest>ECHO</CanonicalRequest><StringToSign>ECHO</StringToSign></Error>`
	for name, tc := range map[string]struct {
		reflects func(*http.Request) bool
		answer   func(http.ResponseWriter, *http.Request, string)
		env      map[string]string // addresses that nobody listens at
		text     []string
	}{
		"400 with an echo":              {reflects: isCall, answer: answer(400, "application/json", `{"message": ECHO, "request": {"body": ECHO, "headers": {"authorization": ECHO}}}`), text: []string{"400 Bad Request: cannot POST"}},
		"401 with an echo":              {reflects: isCall, answer: answer(401, "application/json", `{"errors": [{"detail": ECHO}]}`), text: []string{"401 Unauthorized", "check the environment variable VODLIVE_ID_TOKEN", "`secret_key`"}},
		"500 with HTML":                 {reflects: isCall, answer: answer(500, "text/html", `<html><head><title>ECHO</title></head><body><pre>ECHO</pre></body></html>`), text: []string{"500 Internal Server Error"}},
		"503 with text":                 {reflects: isCall, answer: forADay(answer(503, "text/plain", `ECHO`)), text: []string{"503 Service Unavailable"}},
		"connection broken":             {reflects: isCall, answer: breaking(nil), text: []string{"connection broken"}},
		"truncated JSON":                {reflects: isCall, answer: breaking(answer(200, "application/json", `{"data": {"id": ECHO, "presigned_url": ECHO, "fileKeyPath": ECHO`)), text: []string{"the response broke off"}},
		"not JSON":                      {reflects: isCall, answer: answer(200, "application/json; charset=utf-8", `ECHO and no more`), text: []string{"is not JSON"}},
		"JSON of another shape":         {reflects: isCall, answer: answer(200, "application/json", `{"data": {"presigned_url": [ECHO], "url": [ECHO], "upload_id": [ECHO], "id": [ECHO]}, "message": ECHO}`)},
		"redirect to another host":      {reflects: isCall, answer: redirect, text: []string{"redirects to another host"}},
		"storage 403 with XML":          {reflects: isStorage, answer: answer(403, "application/xml", storageSays), text: []string{"storage answered 403 Forbidden (AccessDenied): Denied"}},
		"storage 400 with text":         {reflects: isStorage, answer: answer(400, "text/plain", `ECHO`), text: []string{"storage answered 400 Bad Request"}},
		"storage 400 that is cut off":   {reflects: isStorage, answer: cutInTheSignature, text: []string{"storage answered 400 Bad Request: ---"}},
		"storage 500 with HTML":         {reflects: isStorage, answer: answer(500, "text/html", `<h1>ECHO</h1>`), text: []string{"storage answered 500"}},
		"storage breaks":                {reflects: isStorage, answer: breaking(nil), text: []string{"Uploading \"clip.mp4\" failed"}},
		"storage redirects elsewhere":   {reflects: isStorage, answer: redirect, text: []string{"storage answered 307"}},
		"nobody listens at the service": {env: map[string]string{"VODLIVE_BASE_URL": "http://127.0.0.1:1", "VODLIVE_VOD_BASE_URL": "http://127.0.0.1:1"}, text: []string{"connection refused"}},
		"nobody listens at storage":     {env: map[string]string{"storage": "http://127.0.0.1:1/storage"}, text: []string{"connection refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := idToken(t)
			m := newMirror(t, token, tc.reflects, tc.answer)
			s := newSpied(t, m, token)
			for name, value := range tc.env {
				if name == "storage" {
					m.SetStorageURL(value)
					continue
				}
				s.Setenv(name, value)
			}
			// With a 401, the region check would end the plan, and nothing else would be asked.
			s.Config(fmt.Sprintf("provider \"vodlive\" {\n  max_retries = 0\n  skip_region_validation = %v\n}\n", strings.HasPrefix(name, "401")) + variables + pulled + uploads + `
resource "vodlive_batch_job" "lost" {
  paths         = ["vod/input/customer/upload/lost.mp4"]
  service_modes = ["video_optimizer"]
}
`)
			r := s.run("apply", "-auto-approve")
			if r.Code != 1 {
				t.Fatalf("exit code %d\n%s", r.Code, r.Output)
			}
			for _, text := range tc.text {
				if !strings.Contains(r.Flat(), text) {
					t.Errorf("the output lacks %q:\n%s", text, r.Output)
				}
			}
			if n := m.reflected.Load(); tc.reflects != nil && n < 2 {
				t.Errorf("%d requests were answered with an echo", n)
			}
			s.run("show")
			s.check()
		})
	}
}
