package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

var update = flag.Bool("update", false, "write what is read from the vectors")

// vector is a response of the service and what a call makes of it: see testdata/vectors/README.md.
type vector struct {
	Call, Name  string
	Status      int
	ContentType *string `json:"content_type"`
	Wrappers    string
	Body        json.RawMessage
	Hex         string
	Cursor      json.RawMessage

	Want    json.RawMessage
	Said    string
	Error   string
	Refused *struct {
		Status      int
		Message     string
		StorageCode string `json:"storage_code"`
		Processed   bool
	}
}

// id is the id of the session that a vector shows, s-1 if it shows none.
func (v vector) id() string {
	var shown struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(v.Want, &shown) // a list, for other calls
	return cmp.Or(shown.ID, "s-1")
}

// vectorCalls are the calls by the names of the files.
var vectorCalls = map[string]struct {
	attempted string // the beginning of its errors
	run       func(context.Context, *api.Client, vector) (any, error)
}{
	"regions": {
		"listing the regions failed: GET " + liveBase + "/live/v1/regions",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) { return c.Regions(ctx) },
	},
	"create-session": {
		"creating the live session failed: POST " + liveBase + "/live/v1/live-streams/session",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) {
			return c.CreateSession(ctx, api.SessionSpec{"name": "n"})
		},
	},
	"get-session": {
		"reading the live session s-1 failed: GET " + liveBase + "/live/v1/live-streams/session/s-1",
		func(ctx context.Context, c *api.Client, v vector) (any, error) { return c.GetSession(ctx, v.id()) },
	},
	"list-sessions": {
		"listing the live sessions failed: GET " + liveBase + "/live/v1/live-streams/session",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) { return c.ListSessions(ctx, nil) },
	},
	"presign-url": {
		"getting an upload address for a.mp4 failed: POST " + vodBase + "/vod/v1/customer/presign-url",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) {
			return c.PresignUpload(ctx, api.Upload{Name: "a.mp4", ContentType: "video/mp4"})
		},
	},
	"multipart-create": {
		"beginning the multipart upload of a.mp4 failed: POST " + vodBase + "/vod/v1/customer/multipart/create",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) {
			return c.CreateMultipartUpload(ctx, api.Upload{Name: "a.mp4"})
		},
	},
	"multipart-generate-url": {
		"getting the address of part 3 failed: POST " + vodBase + "/vod/v1/customer/multipart/generate-url",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) {
			return c.PresignPart(ctx, "k", "u", 3)
		},
	},
	"multipart-complete": {
		"completing the multipart upload failed: POST " + vodBase + "/vod/v1/customer/multipart/complete",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) {
			return c.CompleteMultipartUpload(ctx, "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		},
	},
	"batch": {
		"submitting the batch job failed: POST " + vodBase + "/v1/local/batch",
		func(ctx context.Context, c *api.Client, _ vector) (any, error) {
			return c.SubmitBatch(ctx, api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}})
		},
	},
}

// readVectors reads the vectors of some calls, or all of them.
func readVectors(t testing.TB, calls ...string) (vectors []vector) {
	t.Helper()
	for _, file := range vectorFiles(t) {
		for _, v := range readVectorFile(t, file) {
			if len(calls) == 0 || slices.Contains(calls, v.Call) {
				vectors = append(vectors, v)
			}
		}
	}
	return vectors
}

func vectorFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "wrappers.json" })
}

func readVectorFile(t testing.TB, file string) (vectors []vector) {
	t.Helper()
	readJSON(t, file, &vectors)
	for i := range vectors {
		v := &vectors[i]
		if v.Call = cmp.Or(v.Call, strings.TrimSuffix(filepath.Base(file), ".json")); vectorCalls[v.Call].run == nil {
			t.Fatalf("%s: there is no call %q", file, v.Call)
		}
	}
	return vectors
}

func readJSON(t testing.TB, file string, result any) {
	t.Helper()
	content, err := os.ReadFile(file) // #nosec G304 -- a file of the test
	if err != nil {
		t.Fatal(err)
	}
	decodeStrictly(t, file, content, result)
}

func decodeStrictly(t testing.TB, name string, content []byte, result any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(result); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// plain returns a body: a JSON string stands for its text, any other JSON for itself.
func plain(t testing.TB, body json.RawMessage) string {
	t.Helper()
	if !bytes.HasPrefix(body, []byte(`"`)) {
		return string(body)
	}
	var text string
	decodeStrictly(t, string(body), body, &text)
	return text
}

// bodies returns the bodies in which a vector is to be read, by wrapper.
func (v vector) bodies(t testing.TB) map[string]string {
	t.Helper()
	if v.Hex != "" {
		body, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"": string(body)}
	}
	body := plain(t, v.Body)
	if v.Wrappers == "" {
		return map[string]string{"": body}
	}
	cursor := ""
	if len(v.Cursor) > len("{}") {
		cursor = "," + string(v.Cursor[1:len(v.Cursor)-1])
	}
	bodies := map[string]string{}
	for name, wrapper := range wrappers(t, v.Wrappers) {
		bodies[name] = strings.Replace(wrap(wrapper, body), `,"CURSOR":0`, cursor, 1)
	}
	return bodies
}

// wrappers returns the shapes in which an object, a page or a list of regions may come, by name.
func wrappers(t testing.TB, of string) map[string]string {
	t.Helper()
	var all map[string]map[string]json.RawMessage
	readJSON(t, "testdata/vectors/wrappers.json", &all)
	texts := map[string]string{}
	for name, wrapper := range all[of] {
		texts[name] = plain(t, wrapper)
	}
	if len(texts) == 0 {
		t.Fatalf("there are no wrappers %q", of)
	}
	return texts
}

func wrap(wrapper, body string) string {
	return strings.Replace(strings.Replace(wrapper, `"VALUE"`, body, 1), "VALUE", body, 1)
}

// addVectors gives the responses to some calls to a fuzz target.
func addVectors(f *testing.F, calls ...string) {
	f.Helper()
	for _, v := range readVectors(f, calls...) {
		for _, body := range v.bodies(f) {
			f.Add(body)
		}
	}
}

// TestVectors reads every response as the call that it answers.
// With -update, it first writes what is read from each response as its "want".
func TestVectors(t *testing.T) {
	t.Parallel()
	if *update {
		updateVectors(t)
	}
	for _, v := range readVectors(t) {
		for wrapper, body := range v.bodies(t) {
			t.Run(fmt.Sprintf("%s/%s/%s", v.Call, cmp.Or(v.Name, body), wrapper), func(t *testing.T) {
				t.Parallel()
				checkVector(t, v, body)
			})
		}
	}
}

func checkVector(t *testing.T, v vector, body string) {
	t.Helper()
	call, status := vectorCalls[v.Call], cmp.Or(v.Status, http.StatusOK)
	var header []string
	if v.ContentType != nil {
		header = []string{"Content-Type", *v.ContentType}
	}
	service := wiretest.Always(status, body, header...)
	c := config(service)
	if v.Error != "" && !json.Valid([]byte(body)) {
		c.MaxRetries = 0 // such a response is asked for again
	}
	got, err := call.run(t.Context(), newClient(t, c), v)
	if n := len(service.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	switch {
	case v.Refused != nil:
		e := asError(t, err)
		if e.Status != cmp.Or(v.Refused.Status, status) || e.Message != v.Refused.Message || e.StorageCode != v.Refused.StorageCode ||
			e.MayHaveBeenProcessed != v.Refused.Processed || e.Err != nil {
			t.Errorf("%s:\n got %+v\nwant %+v", body, e, *v.Refused)
		}
	case v.Error != "":
		want := fmt.Sprintf("%s: %d %s: the response cannot be read: %s", call.attempted, status, http.StatusText(status), v.Error)
		if v.Said != "" {
			want = strings.Replace(want, ": the response", ": "+v.Said+": the response", 1)
		}
		if err == nil || err.Error() != want {
			t.Fatalf("%s:\n got %+v, %v\nwant %s", body, got, err, want)
		}
		if strings.Contains(strings.ReplaceAll(err.Error(), "hidden-key", ""), "hidden") {
			t.Errorf("%s: a value is shown: %v", body, err)
		}
		if posted := strings.Contains(call.attempted, ": POST "); api.MayHaveBeenProcessed(err) != posted {
			t.Errorf("%s: may have been processed: %t", body, !posted)
		}
	default:
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if diff := v.differs(t, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

// differs compares what was read with what the vector wants.
func (v vector) differs(t *testing.T, got any) string {
	t.Helper()
	want := reflect.New(reflect.TypeOf(got))
	decodeStrictly(t, v.Call, v.Want, want.Interface())
	return gocmp.Diff(want.Elem().Interface(), got, cmpopts.IgnoreFields(api.SessionPage{}, "Size"))
}

// updateVectors replaces what no longer is what the vectors want, and nothing else in the files.
func updateVectors(t *testing.T) {
	t.Helper()
	for _, file := range vectorFiles(t) {
		content, err := os.ReadFile(file) // #nosec G304 -- a file of the test
		if err != nil {
			t.Fatal(err)
		}
		rest, updated := string(content), strings.Builder{}
		for _, v := range readVectorFile(t, file) {
			if v.Want == nil {
				continue
			}
			before, after, found := strings.Cut(rest, `"want": `+string(v.Want))
			if !found {
				t.Fatalf("%s: no \"want\": %s", file, v.Want)
			}
			bodies := v.bodies(t)
			first := slices.Min(slices.Collect(maps.Keys(bodies)))
			got, err := vectorCalls[v.Call].run(t.Context(), newClient(t, config(wiretest.Always(cmp.Or(v.Status, http.StatusOK), bodies[first]))), v)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, v.Name, err)
			}
			want := string(v.Want)
			if want == "null" || v.differs(t, got) != "" {
				want = asJSON(t, reflect.ValueOf(got))
			}
			updated.WriteString(before + `"want": ` + want)
			rest = after
		}
		if err := os.WriteFile(file, []byte(updated.String()+rest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// asJSON writes a value as the vectors have it: without empty fields, in the order of the struct.
func asJSON(t *testing.T, v reflect.Value) string {
	t.Helper()
	var members []string
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return asJSON(t, v.Elem())
	case v.Kind() == reflect.Struct:
		for field, value := range v.Fields() {
			if !value.IsZero() && field.Name != "Size" {
				key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				members = append(members, fmt.Sprintf("%q: %s", cmp.Or(key, field.Name), asJSON(t, value)))
			}
		}
		return "{" + strings.Join(members, ", ") + "}"
	case v.Kind() == reflect.Slice && !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			members = append(members, asJSON(t, v.Index(i)))
		}
		return "[" + strings.Join(members, ", ") + "]"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v.Interface()); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
