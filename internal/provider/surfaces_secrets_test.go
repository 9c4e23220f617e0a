package provider_test

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

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

// untouched tells that the service and the records are as they were
// before the trial: the service has processed nothing but reads.
func (s *scene) untouched() bool {
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
	for name, thing := range surfaces {
		for operation, op := range thing.operations {
			t.Run(strings.ReplaceAll(name+"/"+operation, " ", "_"), func(t *testing.T) {
				t.Parallel()
				c, masked := plainTrial, 0
				c.surface, c.operation, c.failure, c.call = name, operation, "400 JSON", "none"
				made := try(t, &masked, c)
				trials := c.inEveryWay(made)
				for _, r := range made {
					if c.call = r.Call; !slices.Contains(thing.calls, c.call) {
						t.Errorf("the calls of %s lack %s", name, c.call)
					}
					if !slices.Contains(trials, c) {
						trials = append(trials, c)
					}
				}
				try(t, &masked, trials...)
				c.call = ""
				for _, c.kind = range kinds {
					if !op.has {
						break
					}
					for _, c.shape = range c.kind.shapes() {
						trials := []trial{c}
						if operation == "refresh" && c.shape == shapes[0] {
							trials = c.inEveryWay(made)
						}
						try(t, &masked, trials...)
					}
				}
				if quiet := operation == "refresh" || operation == "destroy" || operation == "import" || operation == "upgrade"; masked == 0 && !quiet {
					t.Error("no text was masked")
				}
			})
		}
	}
}

// inEveryWay returns the trial with every failure that changes a response to the requests.
func (c trial) inEveryWay(made []simulator.Request) (trials []trial) {
	c.call = ""
	for c.failure = range failures {
		// Names of keys are masked alike on every surface, so one of them has all.
		another := strings.Contains(c.failure, "ingest ") && !strings.HasSuffix(c.failure, " 0")
		if c.possible() && c.hits(made) && (c.operation == "create" || !another) {
			trials = append(trials, c)
		}
	}
	return trials
}

// try makes trials of one operation. The next one shares the world of the last as long as that is
// untouched. try counts the masked texts, and returns the requests of the last trial.
func try(t *testing.T, masked *int, trials ...trial) (made []simulator.Request) {
	t.Helper()
	for len(trials) > 0 {
		synctest.Test(t, func(t *testing.T) {
			s := trials[0].begin(t)
			for again := true; again && len(trials) > 0; again = s.untouched() {
				c := trials[0]
				trials = trials[1:]
				channels, hidden := c.show(s)
				made = s.w.Journal()
				*masked += strings.Count(channels["what is shown"], "***")
				for _, leak := range leaks(channels, hidden) {
					t.Errorf("%s of %q, %s as in %s: %s", c.failure, c.call, c.kind, c.shape, leak)
				}
			}
		})
	}
	return made
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
