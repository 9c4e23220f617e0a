package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestArgumentsOfUploads plays what only uploads and folders have, with every argument of theirs in
// argumentTable: values that a plan does not know, files that are no longer there, and unfinished
// uploads that another machine continues.
func TestArgumentsOfUploads(t *testing.T) {
	t.Parallel()
	for i, a := range argumentTable("") {
		for of := range strings.SplitSeq(a.of, ", ") {
			typ, isResource := strings.CutPrefix(of, "resource ")
			if !isResource || a.why != "" || a.refused || typ != "vodlive_media_upload" && typ != "vodlive_media_folder" {
				continue
			}
			plays := map[string]func(c *uploadArgument){"known_late": (*uploadArgument).knownLate}
			if a.with["source"] != nil || a.with["source_dir"] != nil { // else it is another file, or content
				plays["gone"] = (*uploadArgument).gone
			}
			if strings.Contains(a.in, simulator.CallMultipartCreate) {
				plays["continued"], plays["begun_again"] = (*uploadArgument).continued, (*uploadArgument).begunAgain
			}
			for name := range strings.SplitSeq(a.names, ", ") {
				for does, play := range plays {
					bubble.Run(t, fmt.Sprintf("%s_%s_%d/%s", typ, name, i, does), func(t *testing.T) {
						dir := argumentFiles(t)
						c := &uploadArgument{t: t, argument: argumentTable(dir)[i], typ: typ, name: name, dir: dir, w: acctest.NewWorld(t, simulator.Options{})}
						c.w.Quiet = true
						c.p = c.w.Provider(nil)
						play(c)
					})
				}
			}
		}
	}
}

// uploadArgument is an argument of a file or a folder, in a world of its own.
type uploadArgument struct {
	argument

	t              *testing.T
	typ, name, dir string
	w              *acctest.World
	p              *acctest.Provider
}

// config has one of the values, or none.
func (c *uploadArgument) config(i int) attrs {
	config := attrs{}.With(c.with)
	if i == 1 {
		config = config.With(c.also)
	}
	if i < len(c.values) {
		config = config.With(nest(c.name, c.values[i]))
	}
	return config
}

func (c *uploadArgument) create() acctest.Instance {
	c.t.Helper()
	o, diags := c.p.Create(c.typ, c.config(0))
	diags.Must(c.t)
	c.w.ResetJournal()
	return o
}

// late applies a value that the plan does not know. A change is no replacement.
func (c *uploadArgument) late(o acctest.Instance, i int) acctest.Instance {
	c.t.Helper()
	pl := c.p.Plan(o, c.config(i).With(nest(c.name, acctest.Unknown)))
	if c.typ == "vodlive_media_folder" && !c.once && pl.Attrs()["files"] != acctest.Unknown {
		c.t.Errorf("%s is not known, and files are planned: %v", c.name, pl.Attrs()["files"])
	}
	if o.Exists() && pl.Action != acctest.Update && pl.Action != acctest.NoOp {
		c.t.Errorf("planned %s: %s", pl.Action, pl.Diags)
	}
	pl.Config = c.config(i)
	o, diags := c.p.Apply(pl)
	diags.Must(c.t)
	return o
}

// silent fails the test unless nothing was requested.
func (c *uploadArgument) silent(what string) {
	c.t.Helper()
	if len(c.w.Journal()) > 0 {
		c.t.Errorf("%s: %s", what, c.w.JournalText())
	}
}

// knownLate: only another value in the end uploads the file.
func (c *uploadArgument) knownLate() {
	o := c.late(c.p.New(c.typ), 0)
	c.w.ResetJournal()
	o = c.late(o, 0)
	c.silent("the same value")
	stored := len(c.w.Objects())
	before := o.Text("key_path")
	o = c.late(o, 1)
	if c.once {
		c.silent("another value")
		return
	}
	c.checkReceived(c.t, c.w, stored, "another value", c.name, 1)
	if c.typ == "vodlive_media_upload" && o.Text("key_path") == before {
		c.t.Errorf("the key path is still %s", before)
	}
}

// gone: without the file, a value that the plan does not know changes nothing, and another one is
// refused.
func (c *uploadArgument) gone() {
	source, _ := c.with["source"].(string)
	folder, isFolder := c.with["source_dir"].(string)
	before := c.create()
	if err := os.RemoveAll(source + folder); err != nil {
		c.t.Fatal(err)
	}
	o := c.late(before, 0)
	c.silent("the same value")
	if o.Text("key_path") != before.Text("key_path") || fmt.Sprint(o.Attrs()["files"]) != fmt.Sprint(before.Attrs()["files"]) {
		c.t.Errorf("the same value: got %v, want %v", o.Attrs(), before.Attrs())
	}
	if isFolder || c.once {
		return
	}
	others := []int{1}
	if c.removed != nil {
		others = append(others, len(c.values))
	}
	for _, i := range others {
		after, diags := c.p.Change(o, c.config(i))
		if want := "`" + c.name + "` asks for a new upload"; !diags.Failed() || !strings.Contains(diags.String(), want) || !after.State.Equal(o.State) {
			c.t.Errorf("%v: got %s, want %q", c.config(i), diags, want)
		}
		c.silent("another value")
	}
}

// unfinished is an upload that has stored one part of two on another machine.
func (c *uploadArgument) unfinished() acctest.Instance {
	c.t.Helper()
	c.with = c.with.With(attrs{"part_size": 5 << 20})
	if large := filepath.Join(c.dir, "large"); c.typ == "vodlive_media_folder" {
		c.with["source_dir"] = large
	} else {
		c.with["source"] = filepath.Join(large, "large.mp4")
	}
	provider := attrs{"upload_concurrency": 1, "max_retries": 0}
	c.w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" }, Status: http.StatusInternalServerError})
	o, diags := c.w.Provider(provider).Create(c.typ, c.config(0))
	if !diags.Failed() {
		c.t.Errorf("a part fails: %s", diags)
	}
	c.w.ClearFaults()
	c.w.ResetJournal()
	c.w.Env["VODLIVE_RESUME_DIR"] = c.t.TempDir()
	c.p = c.w.Provider(provider)
	return o
}

// continued: the state has what the upload began with.
func (c *uploadArgument) continued() { c.finish(0, 0, 1) }

// begunAgain: another value is not what the upload began with.
func (c *uploadArgument) begunAgain() { c.finish(1, 1, 2) }

func (c *uploadArgument) finish(i, creates, parts int) {
	c.t.Helper()
	_, diags := c.p.Change(c.unfinished(), c.config(i))
	diags.Must(c.t)
	if c.w.Count(simulator.CallMultipartCreate) != creates || c.w.Count(simulator.CallPutPart) != parts {
		c.t.Errorf("want %d uploads begun and %d parts sent: %s", creates, parts, c.w.JournalText())
	}
}
