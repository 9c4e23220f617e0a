package provider_test

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// surface is a resource, data source, list resource, ephemeral resource or action, in all that
// Terraform does with it.
type surface struct {
	// calls are what the operations call if nothing fails.
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
			"create": {run: func(s *scene) string { // another job than the prepared one
				return s.create("vodlive_batch_job", s.job().With(attrs{"triggers": attrs{"run": "2"}}))
			}},
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
