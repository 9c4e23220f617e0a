package provider_test

import (
	"bytes"
	"encoding/json"
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
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// Credentials with characters that look different once they are escaped for JSON, HTML, a URL or
// base64.
const (
	secretTokenID = "AKLIVE7Q2fXw+m"
	secretKeyText = `sk/9+Zz"&<q>=w3L`
	sourceA       = "rtmp://origin.example.com/contribution/src-a-5f21c0d9?auth=q8w7e6"
	sourceB       = "rtmps://backup-user:backup-pass-3@origin.example.com:1936/contribution/src-b-99d0e1"
	destinationA  = "rtmp://sink.example.com/distribution/dst-a-77ab19f2"
	destinationB  = "rtmps://sink.example.com/distribution/dst-b-41cc08e5"
)

// mirror makes a service repeat what it was sent, and notes every upload address that the service
// hands out.
type mirror struct {
	*simulator.Service

	mu        sync.Mutex
	reflected int
	issued    secrets
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

// reflection is a failure behind a gateway that repeats what it was sent.
type reflection struct {
	// fault has ECHO and SIGNATURE where its body repeats the whole request and the signature in
	// its URL. Its Match selects the requests; nil is none.
	fault  simulator.Fault
	escape func(string) string // for the body; nil: it repeats the request as it is
	text   []string            // of the errors
}

// newMirror makes the service fail as the reflection says. Requests must arrive one at a time: a
// response repeats the last one.
func newMirror(service *simulator.Service, r reflection) *mirror {
	m := &mirror{Service: service, issued: secrets{}}
	if fault := r.fault; fault.Match != nil {
		var echo, signature string
		service.Hook("", func(r *http.Request) {
			if !fault.Match(r) {
				return
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			m.reflected++
			echo, signature = everything(r), r.URL.Query().Get("X-Amz-Signature")
		})
		fault.Rewrite = func(body []byte) []byte {
			m.mu.Lock()
			defer m.mu.Unlock()
			text := echo
			if r.escape != nil {
				text = r.escape(text)
			}
			return []byte(strings.NewReplacer("ECHO", text, "SIGNATURE", signature).Replace(string(body)))
		}
		service.Fail(fault)
	}
	service.Fail(simulator.Fault{Rewrite: m.note})
	return m
}

// everything is what a request contains, as a whole and one by one.
func everything(r *http.Request) string {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	id, key, _ := r.BasicAuth()
	var values map[string]any
	_ = json.Unmarshal(body, &values)
	said := []string{fmt.Sprintf("cannot %s http://%s%s", r.Method, r.Host, r.URL.RequestURI()), "Authorization: " + r.Header.Get("Authorization"), id + ":" + key, string(body)}
	for name, value := range values {
		said = append(said, fmt.Sprintf("%s=%v", name, value))
	}
	return strings.Join(said, "; ")
}

var presigned = regexp.MustCompile(`X-Amz-(Signature|Credential)=([^&"\\]+)`)

// note notes the upload addresses in a response.
func (m *mirror) note(body []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, found := range presigned.FindAllStringSubmatch(string(body), -1) {
		value, err := url.QueryUnescape(found[2])
		if err != nil {
			continue
		}
		m.issued.add(found[1]+" "+value, value)
	}
	return body
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

func newSpied(t *testing.T, r reflection) *spied {
	t.Helper()
	token := idToken(t)
	server := acctest.Start(t, secretOptions(token))
	s := &spied{CLI: acctest.NewCLI(t, server), t: t, m: newMirror(server.Service, r), token: token}
	folder := t.TempDir()
	s.logs, s.progress, s.resume = filepath.Join(folder, "log"), filepath.Join(folder, "progress"), filepath.Join(folder, "resume")
	for name, value := range map[string]string{
		"TF_LOG": "TRACE", "TF_LOG_PATH": s.logs, "VODLIVE_PROGRESS": s.progress, "VODLIVE_RESUME_DIR": s.resume,
		"VODLIVE_ACCESS_TOKEN_ID": secretTokenID, "VODLIVE_SECRET_KEY": secretKeyText, "VODLIVE_ID_TOKEN": token,
		"TF_VAR_source_a": sourceA, "TF_VAR_source_b": sourceB, "TF_VAR_destination_a": destinationA, "TF_VAR_destination_b": destinationB,
	} {
		s.Setenv(name, value)
	}
	s.Write("clip.mp4", "the clip")
	s.Write("film.mp4", "the film")
	return s
}

func secretOptions(token string) simulator.Options {
	return simulator.Options{AccessTokenID: secretTokenID, SecretKey: secretKeyText, IDToken: token, StatusPath: []string{"READY"}}
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

// check searches all that was shown, logged or left in files, but for the state, for secrets. The
// state holds sensitive attributes as they are: that is Terraform's rule, and its user's to
// protect.
func (s *spied) check() {
	s.t.Helper()
	log, err := os.ReadFile(s.logs)
	if err != nil {
		s.t.Fatal(err)
	}
	if !bytes.Contains(log, []byte("[TRACE]")) {
		s.t.Errorf("the log, of %d bytes, is not at TRACE", len(log))
	}
	s.m.secrets(s.token).absentFromRun(s.t, s.outputs.String(), string(log), s.progress, s.resume)
}

// absentFromRun searches what was shown, the log, and the files of the progress and of the records
// of uploads.
func (s secrets) absentFromRun(t *testing.T, shown, log, progress, resume string) {
	t.Helper()
	s.absentFrom(t, "what is shown", shown)
	s.absentFrom(t, "the log", log)
	for _, line := range []string{"request to the service", "request body"} {
		if !strings.Contains(log, line) {
			t.Errorf("the log, of %d bytes, has no line with %q: it would show no secret either", len(log), line)
		}
	}
	for what, root := range map[string]string{"the progress": progress, "a record of an upload": resume} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil //nolint:nilerr // not every run uploads
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			s.absentFrom(t, what, string(content))
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
	s := newSpied(t, reflection{})
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
	s := newSpied(t, reflection{})
	s.SkipBelow("ephemeral resources", "1.10.0", "1.11.0")
	s.Config(`ephemeral "vodlive_upload_url" "tool" { file_name = "tool.mp4" }`)
	s.must("plan")
	s.must("apply", "-auto-approve")
	if n := len(s.m.issued); n == 0 {
		t.Error("no upload address was handed out")
	}
	s.check()
}

// TestNoSecretShowsOfWhatIsSentUnasked: net/http logs what a server sends behind a response.
func TestNoSecretShowsOfWhatIsSentUnasked(t *testing.T) {
	t.Parallel()
	s := newSpied(t, reflection{})
	service := s.Env("VODLIVE_BASE_URL")
	client := &http.Transport{}
	t.Cleanup(client.CloseIdleConnections)
	twice := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, service+r.URL.RequestURI(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header = r.Header
		resp, err := client.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = fmt.Fprintf(out, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", resp.StatusCode, len(body), body, body)
		_ = out.Flush()
		_, _ = io.Copy(io.Discard, conn) // until the provider closes it
		_ = conn.Close()
	}))
	t.Cleanup(twice.Close)
	s.Setenv("VODLIVE_BASE_URL", twice.URL)
	s.Config(variables + pulled)
	s.must("apply", "-auto-approve")
	s.must("plan", "-detailed-exitcode")
	s.check()
}

func isStorage(r *http.Request) bool { return r.Method == http.MethodPut }

// isCall is every call that makes something, and the listing that follows a create whose outcome is
// not known.
func isCall(r *http.Request) bool { return !isStorage(r) }

func contentType(typ string) http.Header { return http.Header{"Content-Type": {typ}} }

const storageSays = `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Denied: ECHO</Message><CanonicalRequest>ECHO</CanonicalRequest><StringToSign>ECHO</StringToSign></Error>`

var reflections = map[string]reflection{
	"400 with an echo": {
		fault:  simulator.Fault{Match: isCall, Status: 400, Header: contentType("application/json"), Body: `{"message": ECHO, "request": {"body": ECHO, "headers": {"authorization": ECHO}}}`},
		escape: quoted, text: []string{"400 Bad Request: cannot POST"},
	},
	"storage 403 with XML": {
		fault:  simulator.Fault{Match: isStorage, Status: 403, Header: contentType("application/xml"), Body: storageSays},
		escape: inXML, text: []string{"storage answered 403 Forbidden (AccessDenied): Denied"},
	},
	"storage 400 that is cut off": { // the text is too long to be shown, so that its end is cut off: in the middle of a secret
		fault: simulator.Fault{Match: isStorage, Status: 400, Body: strings.Repeat("-", 260) + " SIGNATURE"},
		text:  []string{"storage answered 400 Bad Request: ---"},
	},
}

// TestNoSecretShowsInAFailure lets a session, two uploads and a batch job fail behind a gateway
// that repeats all it is sent, with everything logged. TestNoSurfaceShowsASecret has more failures.
func TestNoSecretShowsInAFailure(t *testing.T) {
	t.Parallel()
	for name, tc := range reflections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpied(t, tc)
			s.Config("provider \"vodlive\" {\n  max_retries = 0\n}\n" + variables + pulled + uploads + `
resource "vodlive_batch_job" "lost" {
  paths         = ["vod/input/customer/upload/lost.mp4"]
  service_modes = ["video_optimizer"]
}
`)
			r := s.run("apply", "-auto-approve", "-parallelism=1")
			if r.Code != 1 {
				t.Fatalf("exit code %d\n%s", r.Code, r.Output)
			}
			for _, text := range tc.text {
				if !strings.Contains(r.Flat(), text) {
					t.Errorf("the output lacks %q:\n%s", text, r.Output)
				}
			}
			if s.m.reflected < 2 {
				t.Errorf("%d requests were answered with an echo", s.m.reflected)
			}
			s.run("show")
			s.check()
		})
	}
}
