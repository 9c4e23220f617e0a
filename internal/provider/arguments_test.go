package provider_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// argument says in which request the values of arguments are, or why in none. Lists in texts are
// separated by ", ".
type argument struct {
	of, names string // every name of every type, such as "resource vodlive_media_upload"
	why       string // no request has the value

	in      string   // keys of received; * is the name, without the suffix of a write-only argument
	with    attrs    // the rest of the configuration
	also    attrs    // what is configured with the second value besides
	values  []any    // two; one if the provider accepts no other
	want    []string // what is received for each value; nil: the value itself
	once    bool     // a change of the value makes no request
	refused bool     // the second value is an error
}

// argumentTable has every argument of the provider's types. dir has a folder with one.mp4 and
// two.mp4, one with sub/three.mp4, and one with large.mp4, which has two parts.
func argumentTable(dir string) []argument {
	const (
		session                 = "resource vodlive_live_session"
		upload, folder, process = "resource vodlive_media_upload", "resource vodlive_media_folder", "action vodlive_process_media"
		job, submit             = "resource vodlive_batch_job", "action vodlive_submit_batch_job"
		one, data, list         = "data vodlive_live_session", "data vodlive_live_sessions", "list vodlive_live_session"
		ofFile, ofFolder        = upload + ", " + process, folder + ", " + process

		create, name, sum    = "create-session *", "presign-url file_name, object name", "object sha256"
		mediaType, firstPart = "presign-url content_type, put-object Content-Type", "put-part first"
		own, again, filter   = "only the provider uses it", "a change makes requests, which lack the value", "the provider filters the listing"

		key = "vod/input/customer-4821/0f8fad5b-d9cb-469f-a165-70867728950e/"
	)
	at := func(name string) string { return filepath.Join(dir, name) }
	sums := []string{sumOf("one"), sumOf("two")}
	file, vtt := attrs{"source": at("media/one.mp4")}, attrs{"file_name": "a.vtt"}
	media := attrs{"source_dir": at("media")}
	multipart := attrs{"method": "multipart"}
	ha := match.With(attrs{"mode": "HA", "input_source_b": streamSource, "output_destination_b": streamDestination})
	secret := match.With(attrs{"mode": "HA", "urls_wo_version": 1})
	for _, name := range []string{"input_source_a", "input_source_b", "output_destination_a", "output_destination_b"} {
		secret[name], secret[name+"_wo"] = nil, ha[name]
	}
	scheduled := match.With(attrs{"is_scheduled": true, "timezone": "Europe/Paris", "scheduled_at": "2040-05-17 20:15"})
	batch := attrs{"paths": []string{key + "a.mp4"}, "service_modes": []string{"video_optimizer"}}
	modes := []any{[]string{"b", "a"}, []string{"c"}}
	names, types, partSizes := []any{"first.mp4", "second.mp4"}, []any{"video/x-first", "video/x-second"}, []any{5 << 20, 6 << 20}
	urls := []any{"rtmp://one.example.com/live", "rtmps://two.example.com/live"}

	return []argument{
		{of: session, names: "name", in: create, with: match, values: []any{"first", "second"}},
		{of: session, names: "region", in: create, with: match, values: []any{"us-east-1", "us-west-2"}},
		{of: session, names: "input", in: create, with: match, values: []any{"RTMPS_PULL", "RTMP_PULL"}},
		{of: session, names: "output_mode", in: create, with: match, values: []any{"RTMPS_PUSH", "RTMP_PUSH"}},
		{of: session, names: "mode", in: create, with: match, values: []any{"NORM", "HA"}, also: ha},
		{of: session, names: "input_preset.codec", in: create, with: match, values: []any{"H264"}, once: true},
		{of: session, names: "input_preset.resolution", in: create, with: match, values: []any{"SD", "FULL_HD"}},
		{of: session, names: "input_preset.bitrate", in: create, with: match, values: []any{"MAX_20_MBPS", "MAX_10_MBPS"}},
		{of: session, names: "input_source_a, input_source_b, output_destination_a, output_destination_b", in: create, with: ha, values: urls},
		{of: session, names: "input_source_a_wo, input_source_b_wo", in: create, with: secret, values: urls, also: attrs{"urls_wo_version": 2}},
		{of: session, names: "output_destination_a_wo, output_destination_b_wo", in: create, with: secret, values: urls, also: attrs{"urls_wo_version": 2}},
		{of: session, names: "enable_input_record", in: create, with: match, values: []any{true, false}},
		{of: session, names: "is_scheduled", in: create, with: match, values: []any{false, true}, also: scheduled},
		{of: session, names: "timezone", in: create, with: scheduled, values: []any{"Europe/Berlin", "Asia/Tokyo"}},
		{of: session, names: "scheduled_at", in: create, with: scheduled, values: []any{"2041-01-02 03:04", "2042-11-12 13:14"}},
		{of: session, names: "wait_for_status, replace_on_status, on_existing, endpoints_in_state, deletion_protection, timeouts.create", why: own},
		{of: session, names: "urls_wo_version", why: again},
		{of: one + ", ephemeral vodlive_live_session", names: "id", in: "get-session *", values: []any{"first", "second"}},
		{of: one, names: "include_urls", why: filter},
		{of: data, names: "limit, include_urls", why: filter},
		{of: data + ", " + list, names: "name, name_regex, region, mode, input, output_mode, statuses", why: filter},

		// The requests of a multipart upload have no media type.
		{of: ofFile, names: "source", in: sum, values: []any{at("media/one.mp4"), at("media/two.mp4")}, want: sums},
		{of: upload, names: "content", in: sum, with: vtt, values: []any{"one", "two"}, want: sums},
		{of: upload, names: "content_base64", in: sum, with: vtt, values: []any{"b25l", "dHdv"}, want: sums},
		{of: ofFile, names: "file_name", in: name, with: file, values: names},
		{of: upload, names: "file_name", in: "multipart-create filename, object name", with: file.With(multipart), values: names},
		{of: ofFile, names: "content_type", in: mediaType, with: file, values: types},
		{of: ofFile, names: "sha256", in: sum, with: file, values: []any{sums[0], sums[1]}, want: []string{sums[0], ""}, refused: true},
		{of: upload, names: "sha256", in: sum, with: file.With(multipart), values: []any{sums[0], sums[1]}, want: []string{sums[0], ""}, refused: true},
		{of: upload, names: "method", in: firstPart, with: file, values: []any{"multipart", "single"}, want: []string{"3", ""}, once: true},
		{of: upload, names: "part_size", in: firstPart, with: multipart.With(attrs{"source": at("large/large.mp4")}), values: partSizes, once: true},
		{of: "ephemeral vodlive_upload_url", names: "file_name", in: "presign-url *", values: names},
		{of: "ephemeral vodlive_upload_url", names: "content_type", in: "presign-url *", with: attrs{"file_name": "a.mp4"}, values: types},

		{of: ofFolder, names: "source_dir", in: name, values: []any{at("media"), at("nested")}, want: []string{"one.mp4 two.mp4", "sub_three.mp4"}},
		{of: ofFolder, names: "include", in: name, with: media, values: []any{[]string{"one*"}, []string{"two*"}}, want: []string{"one.mp4", "two.mp4"}},
		{of: ofFolder, names: "exclude", in: name, with: media, values: []any{[]string{"two*"}, []string{"one*"}}, want: []string{"one.mp4", "two.mp4"}},
		{of: upload + ", " + folder, names: "timeouts.create, timeouts.update", why: own},

		{of: job + ", " + submit, names: "paths", in: "batch *", with: batch, values: []any{[]string{key + "b.mp4", key + "a.mp4"}, []string{key + "c.mp4"}}},
		{of: job + ", " + submit, names: "service_modes", in: "batch *", with: batch, values: modes},
		{of: process, names: "service_modes", in: "batch *", with: file, values: modes},
		{of: process, names: "service_modes", in: "batch *", with: media, values: modes},
		{of: strings.Join([]string{upload, folder, job}, ", "), names: "triggers", why: again},
	}
}

// TestEveryArgumentIsSent applies every argument with each of two values, in a new object, as a
// change, and in a new object of a run after one whose state was lost. It looks for the value in what
// the service receives. The arguments of the provider block are not in the table.
func TestEveryArgumentIsSent(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	all, _ := attributes(t)
	for _, a := range all {
		if (a.Required || a.Optional) && a.NestedType == nil && !strings.HasPrefix(a.path, "provider ") {
			missing[a.path] = true
		}
	}
	known, dir := maps.Clone(missing), argumentFiles(t)
	for _, a := range argumentTable(dir) {
		for of := range strings.SplitSeq(a.of, ", ") {
			for name := range strings.SplitSeq(a.names, ", ") {
				at := of + " " + name
				if !known[at] {
					t.Errorf("argumentTable has %s, the provider has no such argument", at)
					continue
				}
				delete(missing, at)
				if a.why == "" {
					t.Run(strings.ReplaceAll(at, " ", "_"), func(t *testing.T) {
						t.Parallel()
						for first := range a.values {
							synctest.Test(t, func(t *testing.T) { a.check(t, of, name, first, false) })
							synctest.Test(t, func(t *testing.T) { a.check(t, of, name, first, true) })
						}
					})
				}
			}
		}
	}
	for at := range missing {
		t.Errorf("argumentTable lacks %s: add the request that has its value, or why none has it", at)
	}
}

// argumentFiles makes the folder of argumentTable.
func argumentFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "media", "one.mp4"), "one")
	writeFile(t, filepath.Join(dir, "media", "two.mp4"), "two")
	writeFile(t, filepath.Join(dir, "nested", "sub", "three.mp4"), "one")
	writeFile(t, filepath.Join(dir, "large", "large.mp4"), strings.Repeat("x", 6<<20+1))
	return dir
}

// check applies one of the values in a new object, and then the next one as a change, or in a new
// object if the state was lost.
func (a argument) check(t *testing.T, of, name string, first int, lost bool) {
	t.Helper()
	kind, typ, _ := strings.Cut(of, " ")
	w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
	w.Quiet = true
	w.Fail(simulator.Fault{Call: simulator.CallBatch, Status: http.StatusOK, Body: `{"data":null,"message":"submitted"}`}) // the key paths are made up
	w.AddSession(simulator.SessionRecord{ID: "first", Name: "first"})
	w.AddSession(simulator.SessionRecord{ID: "second", Name: "second"})
	p := w.Provider(nil)
	o := acctest.Instance{}
	if kind == "resource" {
		o = p.New(typ)
	}
	values := a.values
	steps := []int{first, (first + 1) % len(values)}
	for step, i := range steps {
		if step > 0 && a.once {
			return
		}
		config := attrs{}
		if typ == "vodlive_process_media" {
			config["service_modes"] = []string{"video_optimizer"}
		}
		if config = config.With(a.with); i > 0 {
			config = config.With(a.also)
		}
		config = config.With(nest(name, values[i]))
		if lost && step == 1 {
			p = w.Provider(nil)
			if kind == "resource" {
				o = p.New(typ)
			}
		}
		stored := len(w.Objects())
		w.ResetJournal()
		var diags acctest.Diagnostics
		switch kind {
		case "resource":
			o, diags = p.Change(o, config)
		case "action":
			_, diags = p.Invoke(typ, config)
		case "ephemeral":
			_, diags = p.Open(typ, config)
		case "data":
			_, diags = p.DataSource(typ, config)
		}
		if refused := a.refused && i > 0; diags.Failed() != refused {
			t.Errorf("%s %s = %v: want an error: %t, got %s", of, name, values[i], refused, diags)
		}
		a.checkReceived(t, w, stored, fmt.Sprintf("%s %s = %v (%s)", of, name, values[i], []string{"new", fmt.Sprintf("next, state lost: %t", lost)}[step]), name, i)
	}
}

// checkReceived looks for a value, or for what is received without one, in the requests of the
// journal and in the stored objects but the first ones.
func (a argument) checkReceived(t *testing.T, w *acctest.World, stored int, what, name string, i int) {
	t.Helper()
	var want string
	switch {
	case a.want != nil:
		want = a.want[i]
	default:
		want = fmt.Sprint(a.values[i])
	}
	got := received(t, w, stored)
	for in := range strings.SplitSeq(strings.ReplaceAll(a.in, "*", strings.TrimSuffix(name, "_wo")), ", ") {
		if got[in] != want {
			t.Errorf("%s: the service received %q as %s, want %q", what, got[in], in, want)
		}
	}
}

// nest is the configuration of one argument: input_preset.codec is in an object.
func nest(name string, value any) attrs {
	if object, inner, ok := strings.Cut(name, "."); ok {
		return attrs{object: nest(inner, value)}
	}
	return attrs{name: value}
}

// received returns the fields of all requests in the journal and of all stored objects but the
// first ones. The keys are such as "create-session input_preset.codec", and the values of several
// requests are sorted and joined.
func received(t *testing.T, w *acctest.World, objects int) map[string]string {
	t.Helper()
	values := map[string][]string{}
	add := func(key string, value any) { values[key] = append(values[key], fmt.Sprint(value)) }
	var flatten func(key string, object map[string]any)
	flatten = func(key string, object map[string]any) {
		for name, value := range object {
			if inner, ok := value.(map[string]any); ok {
				flatten(key+name+".", inner)
			} else {
				add(key+name, value)
			}
		}
	}
	for _, r := range w.Journal() {
		switch {
		case r.Call == simulator.CallGetSession:
			add(r.Call+" id", path.Base(r.Path))
		case r.Call == simulator.CallPutObject:
			add(r.Call+" Content-Type", r.Header.Get("Content-Type"))
		case r.Call == simulator.CallPutPart && r.Query.Get("partNumber") == "1":
			add(r.Call+" first", r.BodyBytes)
		case len(r.Body) > 0:
			var body map[string]any
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			flatten(r.Call+" ", body)
		}
	}
	for _, o := range w.Objects()[objects:] {
		add("object name", o.FileName)
		add("object sha256", o.SHA256)
	}
	joined := map[string]string{}
	for key, all := range values {
		slices.Sort(all)
		joined[key] = strings.Join(slices.Compact(all), " ")
	}
	return joined
}

func sumOf(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }
