package mediaupload_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const captions = "WEBVTT\n\n00:00.000 --> 00:02.000\nGrüße\n"

// written is the configuration of an upload without a file.
var written = acctest.Attrs{"content": captions, "file_name": "promo.vtt"}

// assertWritten fails the test unless the last object is the text, sent with one PUT.
func assertWritten(t *testing.T, w *acctest.World, o acctest.Instance, text, contentType string) {
	t.Helper()
	objects := w.Objects()
	last := objects[len(objects)-1]
	want(t, "the object's SHA-256", last.SHA256, sumOf([]byte(text)))
	want(t, "the object's content type", last.ContentType, contentType)
	for name, value := range map[string]any{
		"key_path": last.KeyPath, "sha256": last.SHA256, "size": len(text), "part_count": 0, "content_type": contentType, "incomplete_upload": nil,
	} {
		want(t, name, o.Attrs()[name], value)
	}
	want(t, "parts", w.Count(simulator.CallPutPart), 0)
}

func TestContent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config            acctest.Attrs
		text, contentType string
	}{
		"text":                 {config: written, text: captions, contentType: "text/vtt"},
		"base64":               {config: acctest.Attrs{"content_base64": base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\xff")), "file_name": "thumb"}, text: "\x89PNG\r\n\x1a\n\xff", contentType: "image/png"},
		"type configured":      {config: written.With(acctest.Attrs{"content_type": "text/plain"}), text: captions, contentType: "text/plain"},
		"sha256 configured":    {config: written.With(acctest.Attrs{"sha256": sumOf([]byte(captions))}), text: captions, contentType: "text/vtt"},
		"largest":              {config: acctest.Attrs{"content": strings.Repeat("ab", 1<<19), "file_name": "a.srt"}, text: strings.Repeat("ab", 1<<19), contentType: "application/x-subrip"},
		"method single":        {config: written.With(acctest.Attrs{"method": "single", "part_size": 5 * mib}), text: captions, contentType: "text/vtt"},
		"detection by content": {config: written.With(acctest.Attrs{"change_detection": "content"}), text: captions, contentType: "text/vtt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			p := w.Provider(nil)
			plan := p.Plan(p.New(resourceType), tc.config)
			plan.Diags.Must(t)
			for name, value := range map[string]any{"sha256": sumOf([]byte(tc.text)), "size": len(tc.text), "content_type": tc.contentType} {
				want(t, "planned "+name, plan.Attrs()[name], value)
			}
			o, diags := p.Apply(plan)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			assertWritten(t, w, o, tc.text, tc.contentType)
			w.Provider(nil).AssertNoChanges(o, tc.config)
		})
	}
}

// TestContentDecides changes where the content comes from, which sends nothing, and the content,
// which uploads it again.
func TestContentDecides(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.vtt")
	if err := os.WriteFile(path, []byte(captions), 0o600); err != nil {
		t.Fatal(err)
	}
	p := w.Provider(nil)
	o, diags := p.Create(resourceType, written)
	diags.Must(t)
	first := o.Text("key_path")
	for _, same := range []acctest.Attrs{
		{"content_base64": base64.StdEncoding.EncodeToString([]byte(captions)), "file_name": "promo.vtt"},
		{"source": path},
		written,
	} {
		plan := p.Plan(o, same)
		want(t, "action", plan.Action, acctest.Update)
		o, diags = p.Apply(plan)
		diags.Must(t)
		want(t, "key_path", o.Text("key_path"), first)
		w.Provider(nil).AssertNoChanges(o, same)
	}
	want(t, "objects", len(w.Objects()), 1)

	plan := p.Plan(o, written.With(acctest.Attrs{"content": captions + "more"}))
	want(t, "action", plan.Action, acctest.Update)
	o, diags = p.Apply(plan)
	diags.Must(t)
	assertWritten(t, w, o, captions+"more", "text/vtt")
	want(t, "objects", len(w.Objects()), 2)
}

// TestContentThatIsKnownOnlyAtApply plans another upload, and keeps the stored file if the content
// turns out to be the same.
func TestContentThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for _, attribute := range []string{"content", "content_base64"} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			config := func(text any) acctest.Attrs {
				if s, ok := text.(string); ok && attribute == "content_base64" {
					text = base64.StdEncoding.EncodeToString([]byte(s))
				}
				return acctest.Attrs{attribute: text, "file_name": "promo.vtt"}
			}
			apply := func(o acctest.Instance, action acctest.Action, text string) acctest.Instance {
				t.Helper()
				p := w.Provider(nil)
				plan := p.Plan(o, config(acctest.Unknown))
				plan.Diags.Must(t)
				want(t, "action", plan.Action, action)
				want(t, "planned sha256", plan.Attrs()["sha256"], acctest.Unknown)
				plan.Config = config(text)
				o, diags := w.Provider(nil).Apply(plan)
				diags.Must(t)
				w.Provider(nil).AssertNoChanges(o, config(text))
				return o
			}
			o := apply(w.Provider(nil).New(resourceType), acctest.Create, captions)
			assertWritten(t, w, o, captions, "text/vtt")
			o = apply(o, acctest.Update, captions)
			want(t, "objects", len(w.Objects()), 1)
			o = apply(o, acctest.Update, captions+"more")
			assertWritten(t, w, o, captions+"more", "text/vtt")
		})
	}
}

// TestNameThatIsKnownOnlyAtApply has a known content, once for a new object and once for one that
// is stored.
func TestNameThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for attribute, text := range map[string]string{"content": captions, "content_base64": base64.StdEncoding.EncodeToString([]byte(captions))} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			o := w.Provider(nil).New(resourceType)
			for _, action := range []acctest.Action{acctest.Create, acctest.Update} {
				plan := w.Provider(nil).Plan(o, acctest.Attrs{attribute: text, "file_name": acctest.Unknown})
				plan.Diags.Must(t)
				want(t, "action", plan.Action, action)
				for name, value := range map[string]any{"sha256": sumOf([]byte(captions)), "file_name": acctest.Unknown, "content_type": acctest.Unknown} {
					want(t, "planned "+name, plan.Attrs()[name], value)
				}
				plan.Config["file_name"] = "promo.vtt"
				var diags acctest.Diagnostics
				o, diags = w.Provider(nil).Apply(plan)
				diags.Must(t)
				assertWritten(t, w, o, captions, "text/vtt")
				w.Provider(nil).AssertNoChanges(o, plan.Config)
			}
			want(t, "objects", len(w.Objects()), 1)
		})
	}
}

func TestContentIsRefused(t *testing.T) {
	t.Parallel()
	const secret = "the-secret-word"
	for name, tc := range map[string]struct {
		config acctest.Attrs
		text   []string
	}{
		"nothing to upload":  {config: acctest.Attrs{"file_name": "a.vtt"}, text: []string{"Exactly one of these attributes must be configured: [source,content,content_base64,content_wo]"}},
		"source and content": {config: acctest.Attrs{"source": "a.vtt", "content": secret, "file_name": "a.vtt"}, text: []string{"Exactly one of these attributes"}},
		"both contents":      {config: acctest.Attrs{"content": secret, "content_base64": "YQ==", "file_name": "a.vtt"}, text: []string{"Exactly one of these attributes"}},
		"no name":            {config: acctest.Attrs{"content": secret}, text: []string{`Attribute "file_name" must be specified`}},
		"no name for base64": {config: acctest.Attrs{"content_base64": "YQ=="}, text: []string{`Attribute "file_name" must be specified`}},
		"empty":              {config: acctest.Attrs{"content": "", "file_name": "a.vtt"}, text: []string{"error content: Invalid content", "has 0 bytes"}},
		"empty base64":       {config: acctest.Attrs{"content_base64": "", "file_name": "a.vtt"}, text: []string{"error content_base64: Invalid content", "has 0 bytes"}},
		"too large":          {config: acctest.Attrs{"content": strings.Repeat("a", mib+1), "file_name": "a.vtt"}, text: []string{"has 1048577 bytes", "1 to 1048576 bytes", "set `source`"}},
		"too large, base64":  {config: acctest.Attrs{"content_base64": base64.StdEncoding.EncodeToString(make([]byte, mib+1)), "file_name": "a.vtt"}, text: []string{"has 1048577 bytes"}},
		"no base64":          {config: acctest.Attrs{"content_base64": secret, "file_name": "a.vtt"}, text: []string{"is not base64"}},
		"in parts":           {config: acctest.Attrs{"content": secret, "file_name": "a.vtt", "method": "multipart"}, text: []string{"error method: Invalid value: `method`", "one PUT"}},
		"another hash":       {config: acctest.Attrs{"content": secret, "file_name": "a.vtt", "sha256": sumOf([]byte("x"))}, text: []string{"error sha256: The content has another SHA-256", sumOf([]byte(secret)), sumOf([]byte("x"))}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			_, diags := w.Provider(nil).Create(resourceType, tc.config)
			if !diags.Failed() {
				t.Fatalf("no error: %s", diags)
			}
			for _, part := range tc.text {
				if !strings.Contains(diags.String(), part) {
					t.Errorf("the diagnostics lack %q: %s", part, diags)
				}
			}
			if strings.Contains(diags.String(), secret) {
				t.Errorf("the diagnostics show the content: %s", diags)
			}
			want(t, "requests", len(w.Journal()), 0)
		})
	}
}

// TestUnknownContentInParts: whether `content` is set at all is known only at apply.
func TestUnknownContentInParts(t *testing.T) {
	t.Parallel()
	for _, argument := range []string{"content", "content_base64"} {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(nil)
		plan := p.Plan(p.New(resourceType), acctest.Attrs{argument: acctest.Unknown, "file_name": "a.vtt", "method": "multipart"})
		plan.Diags.Must(t)
		plan.Config[argument] = "YQ=="
		if _, diags := p.Apply(plan); !diags.Failed() || !strings.Contains(diags.String(), "Invalid value: `method`") {
			t.Error(diags)
		}
		want(t, "requests", len(w.Journal()), 0)
	}
}

// TestContentThatIsRefusedAtApply has a content that is known only at apply, and that is not the
// planned one.
func TestContentThatIsRefusedAtApply(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(nil)
	plan := p.Plan(p.New(resourceType), acctest.Attrs{"content": acctest.Unknown, "file_name": "a.vtt", "sha256": sumOf([]byte("x"))})
	plan.Diags.Must(t)
	plan.Config["content"] = captions
	if _, diags := p.Apply(plan); !diags.Failed() || !strings.Contains(diags.String(), "The content has another SHA-256") {
		t.Error(diags)
	}
	want(t, "requests", len(w.Journal()), 0)
}

// TestContentIsNotLogged keeps the content out of the log and of the diagnostics of a failing
// upload.
func TestContentIsNotLogged(t *testing.T) {
	t.Parallel()
	const secret = "the-secret-word"
	w := newWorld(t, 10)
	w.Setenv("TF_LOG_PROVIDER", "TRACE")
	w.server.Fail(simulator.Fault{Call: simulator.CallPutObject, Status: 400})
	w.Config("resource \"vodlive_media_upload\" \"file\" {\n  content = sensitive(\"" + secret + "\")\n  file_name = \"a.vtt\"\n}")
	r := w.Run("apply", "-auto-approve")
	contains(t, r, `File "a.vtt"`, "/vod/v1/customer/presign-url")
	for _, shown := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
		if r.Code == 0 || strings.Contains(r.Output, shown) {
			t.Errorf("exit code %d, the output shows %q", r.Code, shown)
		}
	}
}

// TestContentOfATemplate uploads a playlist that names other uploads.
func TestContentOfATemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.Config(`
resource "vodlive_media_upload" "file" {
  source = "media.mp4"
}
resource "vodlive_media_upload" "list" {
  content   = join("\n", ["#EXTM3U", vodlive_media_upload.file.key_path, ""])
  file_name = "list.m3u8"
}`)
	w.apply()
	w.AssertNoChanges()
	objects := w.server.Objects()
	if len(objects) != 2 {
		t.Fatalf("%d objects", len(objects))
	}
	state := w.State()
	text := fmt.Sprintf("#EXTM3U\n%s\n", state[address].Values["key_path"])
	want(t, "SHA-256", state["vodlive_media_upload.list"].Values["sha256"], sumOf([]byte(text)))
	want(t, "type", state["vodlive_media_upload.list"].Values["content_type"], "application/vnd.apple.mpegurl")
}

func TestImportAdoptsContent(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(nil)
	keyPath := w.Store(t) // named stored.mp4
	imported, diags := p.Import(resourceType, keyPath)
	diags.Must(t)
	requests := len(w.Journal())

	plan := p.Plan(imported, written)
	if !strings.Contains(plan.Diags.String(), `"stored.mp4"; `+"`file_name`"+` is "promo.vtt"`) {
		t.Errorf("another name: %s", plan.Diags)
	}
	config := written.With(acctest.Attrs{"file_name": "stored.mp4"})
	o, diags := p.Change(imported, config)
	diags.Must(t)
	if !strings.Contains(diags.String(), "assumes that what is configured is what is stored there, and sends nothing") {
		t.Error(diags)
	}
	want(t, "key_path", o.Text("key_path"), keyPath)
	want(t, "sha256", o.Text("sha256"), sumOf([]byte(captions)))
	want(t, "requests", len(w.Journal()), requests)
	w.Provider(nil).AssertNoChanges(o, config)
}
