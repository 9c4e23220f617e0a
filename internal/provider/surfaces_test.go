package provider_test

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// surface is a resource, data source, list resource, ephemeral resource or action, in all that
// Terraform does with it.
type surface struct {
	// calls are those of the operations unless one fails.
	calls []string
	// prepare makes what the operations need, with a provider process of its own; nil: nothing.
	prepare    func(s *scene, p *acctest.Provider)
	operations map[string]operation
}

// operation returns all that the user is shown.
type operation struct {
	run func(s *scene) string
	// has tells that the configuration or the state has the URL of a stream.
	has bool
}

// scene is a world with what an operation needs, in which trials of that operation follow one
// another.
type scene struct {
	t      *testing.T
	w      *acctest.World
	p      *acctest.Provider // of the trial
	kind   kind              // of sessions
	stream string            // a URL with a stream key
	object acctest.Instance
	id     string // of a session
	path   string // of a stored file
	folder string
	// records are those of uploads on the disk, after the preparation.
	records string
}

var uploadCalls = []string{
	simulator.CallPresignURL, simulator.CallPutObject, simulator.CallMultipartCreate, simulator.CallMultipartURL, simulator.CallPutPart, simulator.CallMultipartComplete,
}

// surfaces are all that the provider registers: TestSurfacesAreComplete.
var surfaces = map[string]surface{
	"resource vodlive_live_session": {
		calls:   []string{simulator.CallRegions, simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions},
		prepare: func(s *scene, p *acctest.Provider) { s.make(p, "vodlive_live_session", s.session()) },
		operations: map[string]operation{
			"create":  {has: true, run: func(s *scene) string { return s.create("vodlive_live_session", s.session()) }},
			"refresh": {has: true, run: func(s *scene) string { return second(s.p.Read(s.object)) }},
			"replace": {has: true, run: func(s *scene) string {
				return second(s.p.Change(s.object, s.session().With(attrs{"name": "another"})))
			}},
			"destroy": {has: true, run: func(s *scene) string { return second(s.p.Destroy(s.object)) }},
			"import":  {run: func(s *scene) string { return second(s.p.Import("vodlive_live_session", s.id)) }},
			"validate": {has: true, run: func(s *scene) string {
				return s.p.Validate("vodlive_live_session", s.session().With(attrs{"mode": "of " + s.stream})).String()
			}},
			"upgrade": {has: true, run: (*scene).upgrade},
		},
	},
	"resource vodlive_live_session_status": {
		calls: []string{simulator.CallListSessions},
		prepare: func(s *scene, p *acctest.Provider) {
			s.make(p, "vodlive_live_session", s.session())
			s.make(p, "vodlive_live_session_status", attrs{"session_ids": []string{s.id}})
		},
		operations: map[string]operation{
			"create": {run: func(s *scene) string {
				return s.create("vodlive_live_session_status", attrs{"session_ids": []string{s.id}, "timeouts": attrs{"create": "1m"}})
			}},
			"update": {run: func(s *scene) string {
				return second(s.p.Change(s.object, attrs{"session_ids": []string{s.id}, "triggers": attrs{"again": "1"}, "timeouts": attrs{"update": "1m"}}))
			}},
			"refresh": {run: func(s *scene) string { return second(s.p.Read(s.object)) }},
			"destroy": {run: func(s *scene) string { return second(s.p.Destroy(s.object)) }},
		},
	},
	"resource vodlive_media_upload": {
		calls: uploadCalls,
		prepare: func(s *scene, p *acctest.Provider) {
			s.make(p, "vodlive_media_upload", attrs{"source": s.file("a.mp4", "the content")})
		},
		operations: map[string]operation{
			"single":    {run: func(s *scene) string { return s.create("vodlive_media_upload", s.upload("single")) }},
			"multipart": {run: func(s *scene) string { return s.create("vodlive_media_upload", s.upload("multipart")) }},
			"content": {run: func(s *scene) string {
				return s.create("vodlive_media_upload", attrs{"content": "WEBVTT", "file_name": "a.vtt", "timeouts": attrs{"create": "1m"}})
			}},
			"replace": {run: func(s *scene) string { return second(s.p.Change(s.object, s.upload("multipart"))) }},
			"refresh": {run: func(s *scene) string { return second(s.p.Read(s.object)) }},
			"destroy": {run: func(s *scene) string { return second(s.p.Destroy(s.object)) }},
			"import":  {run: func(s *scene) string { return second(s.p.Import("vodlive_media_upload", s.path)) }},
		},
	},
	"resource vodlive_media_folder": {
		calls: uploadCalls,
		prepare: func(s *scene, p *acctest.Provider) {
			s.make(p, "vodlive_media_folder", s.media("one.mp4"))
		},
		operations: map[string]operation{
			"create": {run: func(s *scene) string { return s.create("vodlive_media_folder", s.media("two.mp4")) }},
			"multipart": {run: func(s *scene) string {
				return s.create("vodlive_media_folder", s.media("two.mp4").With(attrs{"method": "multipart"}))
			}},
			"update":  {run: func(s *scene) string { return second(s.p.Change(s.object, s.media("two.mp4"))) }},
			"refresh": {run: func(s *scene) string { return second(s.p.Read(s.object)) }},
			"destroy": {run: func(s *scene) string { return second(s.p.Destroy(s.object)) }},
		},
	},
	"resource vodlive_batch_job": {
		calls: []string{simulator.CallBatch},
		prepare: func(s *scene, p *acctest.Provider) {
			s.make(p, "vodlive_media_upload", s.upload("single"))
			s.make(p, "vodlive_batch_job", s.job())
		},
		operations: map[string]operation{
			"create":  {run: func(s *scene) string { return s.create("vodlive_batch_job", s.job()) }},
			"refresh": {run: func(s *scene) string { return second(s.p.Read(s.object)) }},
			"destroy": {run: func(s *scene) string { return second(s.p.Destroy(s.object)) }},
		},
	},
	"data vodlive_regions": {calls: []string{simulator.CallRegions}, operations: map[string]operation{
		"read": {run: func(s *scene) string { return read(s.p, "vodlive_regions", nil).String() }},
	}},
	"data vodlive_live_session": {
		calls:   []string{simulator.CallGetSession, simulator.CallListSessions},
		prepare: func(s *scene, p *acctest.Provider) { s.make(p, "vodlive_live_session", s.session()) },
		operations: map[string]operation{
			"by id": {run: func(s *scene) string { return read(s.p, "vodlive_live_session", attrs{"id": s.id}).String() }},
		},
	},
	"data vodlive_live_sessions": {calls: []string{simulator.CallListSessions}, operations: map[string]operation{
		"read": {run: func(s *scene) string { return read(s.p, "vodlive_live_sessions", nil).String() }},
	}},
	"list vodlive_live_session": {
		calls:   []string{simulator.CallListSessions},
		prepare: func(s *scene, p *acctest.Provider) { s.make(p, "vodlive_live_session", s.session()) },
		operations: map[string]operation{
			"list": {run: func(s *scene) string {
				var said []string
				for listed := range s.p.List("vodlive_live_session", nil, true, 10) {
					said = append(said, listed.Name, listed.Diags.String())
				}
				return strings.Join(said, "\n")
			}},
		},
	},
	"ephemeral vodlive_upload_url": {calls: []string{simulator.CallPresignURL}, operations: map[string]operation{
		"open": {run: func(s *scene) string { return second(s.p.Open("vodlive_upload_url", attrs{"file_name": "a.mp4"})) }},
	}},
	"ephemeral vodlive_live_session": {
		calls:   []string{simulator.CallGetSession, simulator.CallListSessions},
		prepare: func(s *scene, p *acctest.Provider) { s.make(p, "vodlive_live_session", s.session()) },
		operations: map[string]operation{
			"open": {run: func(s *scene) string { return second(s.p.Open("vodlive_live_session", attrs{"id": s.id})) }},
		},
	},
	"action vodlive_submit_batch_job": {
		calls:   []string{simulator.CallBatch},
		prepare: func(s *scene, p *acctest.Provider) { s.make(p, "vodlive_media_upload", s.upload("single")) },
		operations: map[string]operation{
			"invoke": {run: func(s *scene) string { return s.invoke("vodlive_submit_batch_job", s.job()) }},
		},
	},
	"action vodlive_process_media": {calls: []string{simulator.CallPresignURL, simulator.CallPutObject, simulator.CallBatch}, operations: map[string]operation{
		"file": {run: func(s *scene) string {
			return s.invoke("vodlive_process_media", attrs{"source": s.file("b.mp4", "more"), "service_modes": []string{"video_optimizer"}})
		}},
		"folder": {run: func(s *scene) string {
			return s.invoke("vodlive_process_media", attrs{"source_dir": s.media("c.mp4")["source_dir"], "service_modes": []string{"video_optimizer"}})
		}},
	}},
}

func second[T any](_ T, diags acctest.Diagnostics) string { return diags.String() }

// kind is where a session has its URL with a stream key.
type kind string

const (
	inState       kind = "in the state"
	writeOnly     kind = "write-only"
	endpoint      kind = "endpoint"
	droppedPoints kind = "endpoint that is not in the state"
)

var kinds = []kind{inState, writeOnly, endpoint, droppedPoints}

func (s *scene) session() attrs {
	config := match.With(attrs{"input_source_a": s.stream, "timeouts": attrs{"create": "1m"}})
	switch s.kind {
	case inState:
	case writeOnly:
		return config.With(attrs{"input_source_a": nil, "input_source_a_wo": s.stream, "urls_wo_version": 1})
	case endpoint:
		return config.With(attrs{"input_source_a": nil, "input": "RTMP_PUSH"})
	case droppedPoints:
		return config.With(attrs{"input_source_a": nil, "input": "RTMP_PUSH", "endpoints_in_state": false})
	}
	return config
}

// generated returns a fault by which the service shows the stream key in the endpoint that it
// generates.
func (s *scene) generated() simulator.Fault {
	return simulator.Fault{Rewrite: func(body []byte) []byte {
		return regexp.MustCompile(`"input_endpoint_a": *"[^"]*"`).ReplaceAll(body, []byte(`"input_endpoint_a":`+quoted(s.stream)))
	}}
}

func (s *scene) job() attrs {
	return attrs{"paths": []string{s.path}, "service_modes": []string{"video_optimizer"}}
}

func (s *scene) upload(method string) attrs {
	return attrs{"source": s.file("b.mp4", "more content"), "method": method, "timeouts": attrs{"create": "1m"}}
}

func (s *scene) media(name string) attrs {
	file := s.file("media/"+name, "the content of "+name)
	return attrs{"source_dir": filepath.Dir(file), "timeouts": attrs{"create": "1m", "update": "1m"}}
}

func (s *scene) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	writeFile(s.t, path, content)
	return path
}

func (s *scene) make(p *acctest.Provider, typ string, config attrs) {
	s.t.Helper()
	o, diags := p.Create(typ, config)
	diags.Must(s.t)
	s.object = o
	switch typ {
	case "vodlive_live_session":
		s.id = o.Text("id")
	case "vodlive_media_upload":
		s.path = o.Text("key_path")
	}
}

func (s *scene) create(typ string, config attrs) string { return second(s.p.Create(typ, config)) }

// invoke interrupts an action that still tries to upload after a minute: it has a day, and no
// setting for that.
func (s *scene) invoke(typ string, config attrs) string {
	p, cancel := s.p.WithCancel()
	defer time.AfterFunc(time.Minute, cancel).Stop()
	progress, diags := p.Invoke(typ, config)
	return strings.Join(progress, "\n") + diags.String()
}

// upgrade reads the state as an earlier release wrote it.
func (s *scene) upgrade() string {
	state := s.object.Attrs()
	state["gone"], state["port"] = "x", s.stream // which no schema has, so that this fails
	raw, err := json.Marshal(state)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.p.Server.UpgradeResourceState(s.p.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: s.object.Type, RawState: &tfprotov6.RawState{JSON: raw}})
	if err != nil {
		s.t.Fatal(err)
	}
	return acctest.Diagnostics(resp.Diagnostics).String()
}

// TestSurfacesAreComplete fails when the provider registers what surfaces does not have.
func TestSurfacesAreComplete(t *testing.T) {
	t.Parallel()
	all := acctest.NewProvider(t, nil).Schema
	registered := slices.Concat(
		named("resource ", all.ResourceSchemas), named("data ", all.DataSourceSchemas), named("list ", all.ListResourceSchemas),
		named("ephemeral ", all.EphemeralResourceSchemas), named("action ", all.ActionSchemas))
	slices.Sort(registered)
	if have := slices.Sorted(maps.Keys(surfaces)); !slices.Equal(have, registered) {
		t.Errorf("surfaces has\n%s\nthe provider has\n%s", strings.Join(have, "\n"), strings.Join(registered, "\n"))
	}
}

func named[T any](prefix string, all map[string]T) (names []string) {
	for name := range all {
		names = append(names, prefix+name)
	}
	return names
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

func inXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// failures are what a response may be, by how it holds a text.
var failures = withIngests(map[string]func(text string) simulator.Fault{
	"400 JSON": func(s string) simulator.Fault {
		return simulator.Fault{Status: 400, Body: `{"message":` + quoted(s) + `}`}
	},
	"401 list": func(s string) simulator.Fault {
		return simulator.Fault{Status: 401, Body: `{"errors":[{"detail":` + quoted(s) + `}]}`}
	},
	"403 text": func(s string) simulator.Fault { return simulator.Fault{Status: 403, Body: s} },
	"403 XML": func(s string) simulator.Fault {
		return simulator.Fault{Status: 403, Body: `<Error><Code>AccessDenied</Code><Message>` + inXML(s) + `</Message></Error>`}
	},
	"404 code": func(s string) simulator.Fault {
		return simulator.Fault{Status: 404, Body: `<Error><Code>` + inXML(s) + `</Code></Error>`}
	},
	"409 key": func(s string) simulator.Fault {
		return simulator.Fault{Status: 409, Body: `{` + quoted(s) + `:{"a":1}}`}
	},
	"500 HTML": func(s string) simulator.Fault {
		return simulator.Fault{Status: 500, Body: `<html><body><pre>` + inXML(s) + `</pre></body></html>`}
	},
	"503 lines": func(s string) simulator.Fault { return simulator.Fault{Status: 503, Body: "sorry\n" + s + "\nbye"} },
	"refused with 200": func(s string) simulator.Fault {
		return simulator.Fault{Status: 200, Body: `{"statusCode":400,"message":` + quoted(s) + `}`}
	},
	"not JSON": func(s string) simulator.Fault { return simulator.Fault{Status: 200, Body: s} },
	"another shape": func(s string) simulator.Fault {
		return simulator.Fault{Status: 200, Body: `{"data":{` + quoted(s) + `:[` + quoted(s) + `]}}`}
	},
	"request id": func(s string) simulator.Fault {
		return simulator.Fault{Status: 400, Header: http.Header{"X-Request-Id": {s}}}
	},
	"ETag": func(s string) simulator.Fault { return simulator.Fault{Header: http.Header{"Etag": {s}}} },
	"checksum": func(s string) simulator.Fault {
		return simulator.Fault{Header: http.Header{"X-Amz-Checksum-Crc32": {s}}}
	},
	"redirect": func(s string) simulator.Fault {
		return simulator.Fault{Status: 307, Header: http.Header{"Location": {"http://other.example.com/" + url.PathEscape(s)}}}
	},
	"truncated": func(s string) simulator.Fault {
		return simulator.Fault{Status: 400, Body: `{"message":` + quoted(s+strings.Repeat(" ", len(s)+20)) + `}`, Truncate: true}
	},
	"connection broken": func(string) simulator.Fault { return simulator.Fault{BreakAfter: true} },
})

// anothersKey is a stream key that nothing tells the provider but the names of what is around it.
const anothersKey = "its-stream-key-8c41"

// ingests are objects with a stream key.
var ingests = []string{
	`{"server":"rtmp://in.example.com/live","key":"%s"}`, `{"server":{"host":"in.example.com"},"ingest_key":"%s"}`, `{"publishKey":"%s"}`, `{"stream_id":"%s","latency":120}`,
	`{"host":"in.example.com","port":1935,"path":"live/%s"}`, `{"url":"in.example.com/live/%s"}`, `{"keys":["%s"]}`, `"{\"server\":\"in.example.com\",\"key\":\"%s\"}"`,
	`[{"Stream-Keys":{"a":"%s"}}]`,
}

// withIngests adds failures of the live API.
func withIngests(failures map[string]func(text string) simulator.Fault) map[string]func(text string) simulator.Fault {
	live := func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/live/") }
	for i, ingest := range ingests {
		ingest = fmt.Sprintf(ingest, anothersKey)
		failures[fmt.Sprint("ingest ", i)] = func(s string) simulator.Fault {
			return simulator.Fault{Match: live, Status: 400, Body: `{"message":` + quoted(s) + `,"ingest":` + ingest + `}`}
		}
		failures[fmt.Sprint("ingest without a message ", i)] = func(string) simulator.Fault {
			return simulator.Fault{Match: live, Status: 500, Body: `{"input_ingest":` + ingest + `}`}
		}
		failures[fmt.Sprint("endpoint as ingest ", i)] = func(string) simulator.Fault {
			return simulator.Fault{Call: simulator.CallGetSession, Status: 200, Body: `{"id":"s-1","name":"n","input_endpoint_a":` + ingest + `}`}
		}
	}
	return failures
}

// calls are the calls that may fail, "" for all of them.
var calls = []string{
	"", simulator.CallRegions, simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions, simulator.CallPresignURL, simulator.CallPutObject,
	simulator.CallMultipartCreate, simulator.CallMultipartURL, simulator.CallPutPart, simulator.CallMultipartComplete, simulator.CallBatch,
}

// disguises are encodings of a secret.
var disguises = map[string]func(string) string{
	"plain":               func(s string) string { return s },
	"upper case":          strings.ToUpper,
	"beginning":           func(s string) string { return s[:14] },
	"percent, lower case": func(s string) string { return eachByte(s, "%%%02x") },
	"percent, twice":      func(s string) string { return url.QueryEscape(eachByte(s, "%%%02X")) },
	"query":               url.QueryEscape,
	"JSON":                func(s string) string { return eachByte(s, `\u%04x`) },
	"JSON, twice":         func(s string) string { return strings.ReplaceAll(eachByte(s, `\u%04X`), `\`, `\\`) },
	"HTML":                func(s string) string { return eachByte(s, "&#%d;") },
	"HTML in percent":     func(s string) string { return url.QueryEscape(eachByte(s, "&#x%x;")) },
	"base64":              func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, inside":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(`{"x":"` + s + `"}`)) },
	"hex":                 func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex with colons":     func(s string) string { return strings.TrimSuffix(eachByte(s, "%02X:"), ":") },
	"mixed":               func(s string) string { return s[:5] + eachByte(s[5:9], `\u%04x`) + eachByte(s[9:], "%%%02x") },
}

// shapes are URLs of streams, endpointShapes what else the service may show as an endpoint.
var (
	shapes = []string{
		"rtmp://origin.example.com/contribution/%s", "rtmps://origin.example.com:1936/contribution/%s/", "rtmp://origin.example.com/%s",
		"rtmp://origin.example.com/live/%s/_definst_", "rtmp://origin.example.com/live/%s?auth=1",
	}
	endpointShapes = []string{
		"origin.example.com:1935/contribution/%s", "origin.example.com/%s", "//origin.example.com/live/%s", "live/%s", "/live/%s", "%s", "srt://origin.example.com:9000?streamid=%s",
	}
)

// trial is one operation that fails in one way.
type trial struct {
	surface, operation string
	call, failure      string
	disguise, shape    string
	kind               kind
	id, key, token     string // credentials
	stream             string // key
}

// trialConfig is the provider block of a trial.
var trialConfig = attrs{"max_retries": 0, "request_timeout": "5s", "stall_timeout": "5s"}

// shortestLeak is how many characters of a secret must not be shown.
const shortestLeak = 12

// begin makes a world with what the operation needs.
func (c trial) begin(t *testing.T) *scene {
	t.Helper()
	w := acctest.NewWorld(t, simulator.Options{AccessTokenID: c.id, SecretKey: c.key, IDToken: c.token, StatusPath: []string{"READY"}})
	w.Env["VODLIVE_ACCESS_TOKEN_ID"], w.Env["VODLIVE_SECRET_KEY"], w.Env["VODLIVE_ID_TOKEN"] = c.id, c.key, c.token
	s := &scene{t: t, w: w, kind: c.kind, stream: fmt.Sprintf(c.shape, c.stream), folder: t.TempDir()}
	w.Env["VODLIVE_PROGRESS"] = filepath.Join(s.folder, "progress")
	w.Fail(s.generated())
	if prepare := surfaces[c.surface].prepare; prepare != nil {
		p := w.Provider(trialConfig)
		prepare(s, p)
		p.End()
	}
	s.records = s.recorded()
	return s
}

// recorded lists the records of uploads on the disk.
func (s *scene) recorded() string {
	var b strings.Builder
	_ = filepath.WalkDir(s.w.Env["VODLIVE_RESUME_DIR"], func(path string, entry fs.DirEntry, _ error) error {
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return nil
	})
	return b.String()
}

// untouched ends the trial's process. It tells that the service and the records are as they were
// before the trial: the service has processed nothing but reads.
func (s *scene) untouched() bool {
	s.p.End()
	synctest.Wait()
	return s.recorded() == s.records && !slices.ContainsFunc(s.w.Journal(), func(r simulator.Request) bool {
		return r.Method != http.MethodGet && r.Fault != "truncate" && !strings.HasPrefix(r.Fault, "status ")
	})
}

// fault is the failure of the calls, with secrets in their disguise.
func (c trial) fault(secrets []string) simulator.Fault {
	var said []string
	for _, secret := range secrets {
		said = append(said, disguises[c.disguise](secret))
	}
	fault := failures[c.failure]("no " + strings.Join(said, " and ") + " here")
	fault.Call = cmp.Or(fault.Call, c.call)
	return fault
}

// show carries the operation out in a process of its own. It returns every text that left the
// provider, with those of the preparation before the first trial, and each form of a secret with
// the length of shortestLeak in it.
func (c trial) show(s *scene) (channels map[string]string, hidden map[string]int) {
	s.t.Helper()
	w, operation := s.w, surfaces[c.surface].operations[c.operation]
	w.ClearFaults()
	s.p = w.Provider(trialConfig)
	secrets := []string{c.id, c.key, c.token}
	known := map[kind]bool{
		inState: true, writeOnly: true,
		endpoint:      c.operation != "create" && c.operation != "validate", // the service has shown it
		droppedPoints: c.operation == "refresh",                             // texts about the session are withheld
	}
	if operation.has && known[c.kind] {
		secrets = append(secrets, c.stream)
	}
	hidden = map[string]int{anothersKey: shortestLeak}
	for _, secret := range secrets {
		text := disguises[c.disguise](secret)
		once := strings.Trim(quoted(text), `"`)
		for _, form := range []string{secret, text, once, strings.Trim(quoted(once), `"`)} {
			switch {
			case secret != c.id:
				hidden[form] = max(shortestLeak, shortestLeak*len(form)/len(secret))
			case c.disguise != "beginning": // a part of the user name is no secret
				hidden[form] = len(form) * 3 / 4
			}
		}
	}
	w.Fail(c.fault(secrets))
	w.Fail(s.generated())
	w.ResetJournal()
	shown := operation.run(s)
	progress, _ := os.ReadFile(w.Env["VODLIVE_PROGRESS"])
	channels = map[string]string{"what is shown": shown, "the log": w.Log.String(), "the progress": string(progress)}
	w.Log = &acctest.Log{}
	return channels, hidden
}

// leaks lists what of the hidden texts, also of a part of the given length, is in a channel.
func leaks(channels map[string]string, hidden map[string]int) (found []string) {
	for channel, text := range channels {
		folded := strings.ToLower(text)
		for secret, length := range hidden {
			lower := strings.ToLower(secret)
			for i := 0; i+length <= len(lower); i++ {
				if at := strings.Index(folded, lower[i:i+length]); at >= 0 {
					found = append(found, fmt.Sprintf("%s: %s: ...%s...", channel, secret, text[max(0, at-200):min(len(text), at+100)]))
					break
				}
			}
		}
	}
	return found
}

// plainTrial has credentials with characters that encodings change.
var plainTrial = trial{
	disguise: "plain", shape: shapes[0], kind: inState, id: "AKLIVE7Q2fXw+m4s", key: `sk/9+Zz"&<q>=w3L`, token: "id-token/8271+=zZ", stream: "src-key-5f21c0d9",
}

// possible reports whether a failure may hide the secret: a request id is shown, whatever it is,
// also of a session whose stream key is not known.
func (c trial) possible() bool {
	return c.failure != "request id" || c.kind == inState || c.kind == endpoint
}

// shapes are the URLs that a session may have.
func (k kind) shapes() []string {
	if k == endpoint || k == droppedPoints {
		return slices.Concat(shapes, endpointShapes)
	}
	return shapes
}

// hits tells whether the failure changes a response to any of the requests.
func (c trial) hits(made []simulator.Request) bool {
	fault := c.fault(nil)
	return slices.ContainsFunc(made, func(r simulator.Request) bool {
		return (fault.Call == "" || fault.Call == r.Call) && (fault.Match == nil || fault.Match(&http.Request{Method: r.Method, URL: &url.URL{Path: r.Path}}))
	})
}

// TestNoSurfaceShowsASecret fails every operation in every way, and each of its calls, with every
// kind and shape of URL.
func TestNoSurfaceShowsASecret(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	for name, thing := range surfaces {
		for operation, op := range thing.operations {
			t.Run(strings.ReplaceAll(name+"/"+operation, " ", "_"), func(t *testing.T) {
				t.Parallel()
				masked, c := 0, plainTrial
				c.surface, c.operation = name, operation
				// try makes trials, in a world that the next one shares as long as it is untouched.
				// It returns the last requests.
				try := func(trials ...trial) (made []simulator.Request) {
					for len(trials) > 0 {
						synctest.Test(t, func(t *testing.T) {
							s := trials[0].begin(t)
							for again := true; again && len(trials) > 0; again = s.untouched() {
								c := trials[0]
								trials = trials[1:]
								channels, hidden := c.show(s)
								made = s.w.Journal()
								masked += strings.Count(channels["what is shown"], "***")
								for _, leak := range leaks(channels, hidden) {
									t.Errorf("%s of %q, %s as in %s: %s", c.failure, c.call, c.kind, c.shape, leak)
								}
							}
						})
					}
					return made
				}
				c.failure, c.call = "400 JSON", "none"
				made := try(c)
				// inEveryWay are trials with every failure. One that hits no request changes
				// nothing.
				inEveryWay := func(c trial) (trials []trial) {
					c.call = ""
					for c.failure = range failures {
						if c.possible() && c.hits(made) {
							trials = append(trials, c)
						}
					}
					return trials
				}
				trials := inEveryWay(c)
				for _, r := range made {
					if c.call = r.Call; !slices.Contains(thing.calls, c.call) {
						t.Errorf("the calls of %s lack %s", name, c.call)
					}
					if !slices.Contains(trials, c) {
						trials = append(trials, c)
					}
				}
				try(trials...)
				c.call = ""
				for _, c.kind = range kinds {
					if !op.has {
						break
					}
					for _, c.shape = range c.kind.shapes() {
						trials := []trial{c}
						if operation == "refresh" && c.shape == shapes[0] {
							trials = inEveryWay(c)
						}
						try(trials...)
					}
				}
				if quiet := operation == "refresh" || operation == "destroy" || operation == "import" || operation == "upgrade"; masked == 0 && !quiet {
					t.Error("no text was masked")
				}
			})
		}
	}
}

// TestRandomSecretsAreNotShown draws secrets, their encodings, shapes of URLs, failures and
// surfaces.
func TestRandomSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	var all [][2]string
	for name, thing := range surfaces {
		for operation := range thing.operations {
			all = append(all, [2]string{name, operation})
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	// A plus sign stands for a space in a query: several are as one.
	rapid.Check(t, func(rt *rapid.T) {
		at := rapid.SampledFrom(all).Draw(rt, "operation")
		c := trial{
			surface: at[0], operation: at[1], call: rapid.SampledFrom(calls).Draw(rt, "call"),
			failure:  rapid.SampledFrom(slices.Sorted(maps.Keys(failures))).Draw(rt, "failure"),
			disguise: rapid.SampledFrom(slices.Sorted(maps.Keys(disguises))).Draw(rt, "disguise"),
			kind:     rapid.SampledFrom(kinds).Draw(rt, "kind"),
			id:       "AK7-" + rapid.StringMatching(`[A-Za-z0-9/=_.-]{12,30}`).Draw(rt, "id"),
			key:      "sK8-" + rapid.StringMatching(`[!-*,-~]{12,40}`).Draw(rt, "key"),
			token:    "iT9-" + rapid.StringMatching(`[!-*,-~]{12,200}`).Draw(rt, "token"),
			stream:   "st6-" + rapid.StringMatching(`[A-Za-z0-9_.~-]{12,150}`).Draw(rt, "stream"),
		}
		c.shape = rapid.SampledFrom(c.kind.shapes()).Draw(rt, "shape")
		if call := c.fault(nil).Call; !c.possible() || call != "" && !slices.Contains(surfaces[c.surface].calls, call) {
			return // it would fail nothing
		}
		var channels map[string]string
		var hidden map[string]int
		synctest.Test(t, func(t *testing.T) { channels, hidden = c.show(c.begin(t)) })
		if found := leaks(channels, hidden); len(found) > 0 {
			rt.Fatalf("%+v\n%s", c, strings.Join(found, "\n"))
		}
	})
}

// TestFunctionsShowNoSecret: an argument with a secret of the configuration is not repeated.
func TestFunctionsShowNoSecret(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p, failed := w.Provider(nil), 0
	for name, function := range p.Schema.Functions {
		var arguments []*tfprotov6.DynamicValue
		for _, parameter := range function.Parameters {
			v := tftypes.NewValue(parameter.Type, nil)
			if parameter.Type.Is(tftypes.String) {
				v = tftypes.NewValue(tftypes.String, "of "+w.Env["VODLIVE_SECRET_KEY"])
			}
			arguments = append(arguments, p.Dynamic(v))
		}
		resp, err := p.Server.CallFunction(p.Context(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Error != nil {
			failed++
			if strings.Contains(resp.Error.Text, w.Env["VODLIVE_SECRET_KEY"]) {
				t.Errorf("%s: %s", name, resp.Error.Text)
			}
		}
	}
	if failed < 3 {
		t.Errorf("%d functions failed", failed)
	}
}
