package mediaupload_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestWriteOnlyContent is uploaded when its version changes, and is in no plan and no state.
func TestWriteOnlyContent(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	of := func(content string, version int) acctest.Attrs {
		return acctest.Attrs{"content_wo": content, "content_wo_version": version, "file_name": "promo.vtt"}
	}
	p := w.Provider(nil)
	plan := p.Plan(p.New(resourceType), of(captions, 1))
	plan.Diags.Must(t)
	for _, name := range []string{"sha256", "size", "key_path"} {
		want(t, "planned "+name, plan.Attrs()[name], acctest.Unknown)
	}
	plan.Config = of(captions+"ephemeral", 1) // an ephemeral value may be another one in the apply
	o, diags := p.Apply(plan)
	diags.Must(t)
	assertWritten(t, w, o, captions+"ephemeral", "text/vtt")
	if strings.Contains(o.State.String(), "WEBVTT") {
		t.Errorf("the state has the content: %s", o.State)
	}

	// With the same version, nothing is looked at.
	p = w.Provider(nil)
	p.AssertNoChanges(o, of("another content", 1))
	if o, diags = p.Change(o, of("another content", 1).With(acctest.Attrs{"deletion_protection": true})); len(diags) > 0 {
		t.Fatal(diags)
	}
	want(t, "protection", o.Attrs()["deletion_protection"], true)
	o, diags = p.Change(o, of("another content", 1).With(acctest.Attrs{"deletion_protection": false}))
	diags.Must(t)
	want(t, "PUTs", w.Count(simulator.CallPutObject), 1)

	// A new version of the same content sends nothing, and of another one uploads it.
	before := o.Text("key_path")
	o, diags = w.Provider(nil).Change(o, of(captions+"ephemeral", 2))
	diags.Must(t)
	want(t, "PUTs", w.Count(simulator.CallPutObject), 1)
	want(t, "key path", o.Text("key_path"), before)
	o, diags = w.Provider(nil).Change(o, of("another content", 3))
	diags.Must(t)
	want(t, "PUTs", w.Count(simulator.CallPutObject), 2)
	assertWritten(t, w, o, "another content", "text/vtt")
	w.Provider(nil).AssertNoChanges(o, of("another content", 3))

	// Moving to the plain argument and back sends nothing.
	for _, moved := range []acctest.Attrs{{"content": "another content", "file_name": "promo.vtt"}, of("another content", 4)} {
		o, diags = w.Provider(nil).Change(o, moved)
		diags.Must(t)
	}
	want(t, "PUTs", w.Count(simulator.CallPutObject), 2)
}

func TestWriteOnlyContentInvalid(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for text, c := range map[string]acctest.Attrs{
		`"content_wo_version" must be specified when "content_wo"`: {"content_wo": "x", "file_name": "a.vtt"},
		`"content_wo" must be specified when "content_wo_version"`: {"source": "a.mp4", "content_wo_version": 1},
		`"file_name" must be specified when "content_wo"`:          {"content_wo": "x", "content_wo_version": 1},
		"[source,content,content_base64,content_wo]":               {"content_wo": "x", "content_wo_version": 1, "file_name": "a.vtt", "content": "y"},
		"Invalid value: `method`":                                  {"content_wo": "x", "content_wo_version": 1, "file_name": "a.vtt", "method": "multipart"},
	} {
		if diags := p.Validate(resourceType, c); !strings.Contains(diags.String(), text) {
			t.Errorf("%v: the diagnostics lack %q: %s", c, text, diags)
		}
	}
}
