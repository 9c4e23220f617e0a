package provider_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// attrs is a configuration by attribute; see valueOf for what a value may be.
type attrs map[string]any

// valueOf makes a Terraform value of nil, a string, a number, a bool, []string or attrs.
func valueOf(typ tftypes.Type, v any) tftypes.Value {
	switch v := v.(type) {
	case attrs:
		values := map[string]tftypes.Value{}
		for name, t := range typ.(tftypes.Object).AttributeTypes {
			values[name] = valueOf(t, v[name])
		}
		return tftypes.NewValue(typ, values)
	case []string:
		values := []tftypes.Value{}
		for _, s := range v {
			values = append(values, tftypes.NewValue(tftypes.String, s))
		}
		return tftypes.NewValue(typ, values)
	default:
		return tftypes.NewValue(typ, v)
	}
}

// world is a service, and the real provider configured for it in this process and spoken to as Terraform does, over a
// network in memory: in a bubble of synctest, its time is virtual.
type world struct {
	tb      testing.TB
	service *acctest.Server
	// live, vod and storage are addresses of the service that can be closed.
	live, vod, storage *door
	// log is what the provider has logged, at every level.
	log *logText

	ctx      context.Context //nolint:containedctx // carries the logger, as Terraform's requests do
	provider tfprotov6.ProviderServer
	schema   *tfprotov6.GetProviderSchemaResponse
}

// newWorld starts a service and a provider. env is over the environment that reaches the service with valid credentials;
// config is the provider block.
func newWorld(tb testing.TB, options simulator.Options, env map[string]string, config attrs) *world {
	tb.Helper()
	options.UnknownRoute = func(method, path string) { tb.Errorf("request to an unknown route: %s %s", method, path) }
	service := simulator.New(options)
	w := &world{tb: tb, log: &logText{}, live: newDoor(tb, service, 1), vod: newDoor(tb, service, 2), storage: newDoor(tb, service, 3)}
	tb.Cleanup(func() { _ = service.Close() }) // before the doors, which wait for the requests that it holds
	w.service = &acctest.Server{Service: service, URL: w.vod.url()}
	service.SetStorageURL(w.storage.url() + "/storage")
	w.ctx = tflogtest.RootLogger(tb.Context(), w.log)
	environment := w.service.Environment(tb)
	environment["VODLIVE_BASE_URL"], environment["VODLIVE_VOD_BASE_URL"] = w.live.url(), w.vod.url()
	maps.Copy(environment, env)
	lookup := func(name string) (string, bool) { v, ok := environment[name]; return v, ok && v != unset }
	w.provider = provider.NewServer(provider.NewWithNetwork("test", lookup, w.dial)(), provider.Logged)
	if config == nil {
		config = attrs{} // Terraform sends an object of nulls where there is no block
	}
	var err error
	if w.schema, err = w.provider.GetProviderSchema(w.ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		tb.Fatal(err)
	}
	resp, err := w.provider.ConfigureProvider(w.ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4", Config: w.dynamic(w.schema.Provider, config),
	})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatalf("configuring the provider: %v%s", err, show(resp.Diagnostics))
	}
	return w
}

// unset takes a variable out of the environment of newWorld.
const unset = "\x00"

func (w *world) dynamic(schema *tfprotov6.Schema, config attrs) *tfprotov6.DynamicValue {
	w.tb.Helper()
	value := tftypes.NewValue(schema.ValueType(), nil)
	if config != nil {
		value = valueOf(schema.ValueType(), config)
	}
	d, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
	if err != nil {
		w.tb.Fatal(err)
	}
	return &d
}

// plan plans a new resource.
func (w *world) plan(typ string, config attrs) *tfprotov6.PlanResourceChangeResponse {
	w.tb.Helper()
	schema := w.schema.ResourceSchemas[typ]
	planned, err := w.provider.PlanResourceChange(w.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typ, PriorState: w.dynamic(schema, nil), Config: w.dynamic(schema, config), ProposedNewState: w.dynamic(schema, config),
	})
	if err != nil {
		w.tb.Fatal(err)
	}
	return planned
}

// create plans and applies a new resource. It stops at the first diagnostics with an error.
func (w *world) create(typ string, config attrs) []*tfprotov6.Diagnostic {
	w.tb.Helper()
	return w.createWith(w.ctx, typ, config)
}

func (w *world) createWith(ctx context.Context, typ string, config attrs) []*tfprotov6.Diagnostic {
	w.tb.Helper()
	planned := w.plan(typ, config)
	if isError(planned.Diagnostics) {
		return planned.Diagnostics
	}
	schema := w.schema.ResourceSchemas[typ]
	applied, err := w.provider.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typ, PriorState: w.dynamic(schema, nil), Config: w.dynamic(schema, config),
		PlannedState: planned.PlannedState, PlannedPrivate: planned.PlannedPrivate,
	})
	if err != nil {
		w.tb.Fatal(err)
	}
	return slices.Concat(planned.Diagnostics, applied.Diagnostics)
}

// read reads a data source.
func (w *world) read(typ string, config attrs) []*tfprotov6.Diagnostic {
	w.tb.Helper()
	resp, err := w.provider.ReadDataSource(w.ctx, &tfprotov6.ReadDataSourceRequest{TypeName: typ, Config: w.dynamic(w.schema.DataSourceSchemas[typ], config)})
	if err != nil {
		w.tb.Fatal(err)
	}
	return resp.Diagnostics
}

// session is a session that Create does not wait for. A create whose answer is lost looks for the session for 30 s: the
// run is interrupted at the second look.
func (w *world) session() []*tfprotov6.Diagnostic {
	w.tb.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	var looks atomic.Int32
	w.service.Hook(simulator.CallListSessions, func(*http.Request) {
		if looks.Add(1) == 2 {
			cancel()
		}
	})
	return w.createWith(ctx, "vodlive_live_session", attrs{
		"name": "match", "region": "eu-central-1", "input": "RTMP_PULL", "mode": "NORM", "output_mode": "RTMP_PUSH",
		"input_source_a": streamSource, "output_destination_a": streamDestination,
		"input_preset": attrs{"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"}, "wait_for_status": []string{},
	})
}

const (
	streamSource      = "rtmp://origin.example.com/contribution/src-key-5f21c0"
	streamDestination = "rtmp://sink.example.com/distribution/dst-key-77ab19"
)

// upload uploads a file of a few bytes, in one part if method is multipart.
func (w *world) upload(method string) []*tfprotov6.Diagnostic {
	w.tb.Helper()
	return w.create("vodlive_media_upload", w.clip(method))
}

// clip is the configuration of an upload.
func (w *world) clip(method string) attrs {
	w.tb.Helper()
	file := filepath.Join(w.tb.TempDir(), "clip.mp4")
	writeFile(w.tb, file, "the content")
	return attrs{"source": file, "method": method, "change_detection": "stat"}
}

func (w *world) batch(path string) []*tfprotov6.Diagnostic {
	w.tb.Helper()
	return w.create("vodlive_batch_job", attrs{"paths": []string{path}, "service_modes": []string{"video_optimizer"}})
}

// store puts a file into the service without the provider and returns its key path.
func (w *world) store() string {
	w.tb.Helper()
	do := func(method, address, token, contentType, body string) *http.Response {
		req, err := http.NewRequestWithContext(w.tb.Context(), method, address, strings.NewReader(body))
		if err != nil {
			w.tb.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		if token != "" {
			req.Header.Set("Authorization", token)
		}
		resp, err := (&http.Client{Transport: &http.Transport{DialContext: w.dial, DisableKeepAlives: true}}).Do(req)
		if err != nil {
			w.tb.Fatal(err)
		}
		w.tb.Cleanup(func() { _ = resp.Body.Close() })
		if resp.StatusCode != http.StatusOK {
			w.tb.Fatalf("%s %s: %s", method, address, resp.Status)
		}
		return resp
	}
	answer := do(http.MethodPost, w.vod.url()+"/vod/v1/customer/presign-url", simulator.DefaultIDToken, "application/json",
		`{"file_name":"stored.mp4","content_type":"video/mp4"}`)
	var target struct {
		Data struct {
			FileKeyPath  string `json:"fileKeyPath"`
			PresignedURL string `json:"presigned_url"`
		} `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&target); err != nil {
		w.tb.Fatal(err)
	}
	do(http.MethodPut, target.Data.PresignedURL, "", "video/mp4", "stored")
	return target.Data.FileKeyPath
}

func isError(diags []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
}

// logText keeps a log and calls on, if it is set, with each line.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
	on   func(line string)
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.text.Write(p)
	on := l.on
	l.mu.Unlock()
	if on != nil {
		on(string(p))
	}
	return len(p), nil
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// watch has f called with each line logged from now on.
func (l *logText) watch(f func(line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = f
}

// secrets are the texts that may show nowhere, by what they are.
type secrets map[string]string

// credentials are the forms in which the credentials of the simulator's defaults might show.
func credentials() secrets {
	return credentialForms(simulator.DefaultAccessTokenID, simulator.DefaultSecretKey, simulator.DefaultIDToken)
}

func credentialForms(id, key, token string) secrets {
	s := secrets{}
	for name, value := range map[string]string{"access token id": id, "secret key": key, "id:key": id + ":" + key, "id token": token} {
		s.add(name, value)
	}
	return s
}

// add adds a secret in every form in which a text might hold it.
func (s secrets) add(name, value string) {
	if value == "" {
		return
	}
	s[name] = value
	s[name+", escaped"] = url.QueryEscape(value)
	s[name+", base64"] = base64.StdEncoding.EncodeToString([]byte(value))
	s[name+", base64 without padding"] = base64.RawStdEncoding.EncodeToString([]byte(value))
	s[name+", base64 for URLs"] = base64.URLEncoding.EncodeToString([]byte(value))
	if len(value) >= 24 {
		s[name+", its beginning"] = value[:16] // a text that is cut off shows no half of a secret either
	}
	if quoted, err := json.Marshal(value); err == nil {
		s[name+", in JSON"] = string(quoted[1 : len(quoted)-1])
	}
}

// addStream adds the secret part of an rtmp URL: its path, and the last part of that.
func (s secrets) addStream(name, address string) {
	u, err := url.Parse(address)
	if err != nil || len(u.Path) < 2 {
		return
	}
	s.add(name, u.Path[1:])
	s.add(name+", key", u.Path[strings.LastIndexByte(u.Path, '/')+1:])
}

// addQuery adds what makes a presigned query secret.
func (s secrets) addQuery(query url.Values) {
	s.add("presigned signature", query.Get("X-Amz-Signature"))
	s.add("presigned credential", query.Get("X-Amz-Credential"))
}

// addIssued adds the signatures and the stream keys that a service has handed out and seen so far.
func (s secrets) addIssued(service *acctest.Server) {
	for _, r := range service.Journal() {
		s.addQuery(r.Query)
	}
	for _, r := range service.Sessions() {
		for name, address := range map[string]string{
			"input endpoint": r.InputEndpointA, "input endpoint b": r.InputEndpointB, "output endpoint": r.OutputEndpointA,
			"output endpoint b": r.OutputEndpointB, "source": r.InputSourceA, "destination": r.OutputDestinationA,
		} {
			s.addStream(name+" of "+r.ID, address)
		}
	}
}

// absentFrom fails the test where a text shows a secret, and says where.
func (s secrets) absentFrom(tb testing.TB, what, text string) {
	tb.Helper()
	for name, value := range s {
		if at := strings.Index(text, value); at >= 0 {
			tb.Errorf("%s shows a secret (%s): ...%s...", what, name, text[max(0, at-200):min(len(text), at+len(value)+100)])
		}
	}
}

func writeFile(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}
