package mediafolder_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestTwoFoldersOfOnePath has the plan of one folder fail in the apply that continues another one
// of the same path.
func TestTwoFoldersOfOnePath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4", "other.mov")
		w.config["exclude"] = []any{"*.mov"}
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		w.apply()
		w.ClearFaults()
		p := w.Provider(w.provider)
		stored, pl := w.keyPath("a.mp4"), w.plan()
		other := p.Plan(p.New(typeName), w.config.With(acctest.Attrs{"include": []any{"*.mov"}, "exclude": []any{}}))
		if _, diags := p.ApplyDelete(pl); diags.Failed() {
			t.Fatal(diags)
		}
		_ = os.Remove(w.path("other.mov"))
		if _, diags := p.Apply(other); !diags.Failed() || strings.Contains(diags.String(), stored) {
			t.Errorf("the other folder: %s", diags)
		}
		state, diags := p.ApplyCreate(pl)
		if w.state = state; diags.Failed() {
			t.Fatal(diags)
		}
		want(t, "key path", w.keyPath("a.mp4"), stored)
		w.sound()
	})
}

// TestTwoTaintedFoldersOfOneSelection differ in the media types. What one of them leaves, the other
// one does not call forgotten.
func TestTwoTaintedFoldersOfOneSelection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4")
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		p := w.Provider(w.provider)
		var plans []*acctest.Plan
		for _, config := range []acctest.Attrs{w.config, w.config.With(acctest.Attrs{"content_types": acctest.Attrs{"mp4": "video/x-own"}})} {
			o, _ := p.Create(typeName, config)
			plans = append(plans, p.Plan(o, config))
		}
		w.ClearFaults()
		for _, pl := range plans {
			if _, diags := p.ApplyDelete(pl); diags.Failed() {
				t.Fatal(diags)
			}
		}
		for _, pl := range plans {
			if _, diags := p.ApplyCreate(pl); diags.Failed() || strings.Contains(diags.String(), "forgets") {
				t.Error(diags)
			}
		}
	})
}

// TestTwoTaintedFoldersOfOnePath have a file in common. Each one gets one of those that are stored.
func TestTwoTaintedFoldersOfOnePath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4", "other.mov")
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		p, first := w.Provider(w.provider), w.config.With(acctest.Attrs{"exclude": []any{"*.mov"}})
		one, _ := p.Create(typeName, first)
		two, _ := p.Create(typeName, w.config)
		w.ClearFaults()
		plans := []*acctest.Plan{p.Plan(one, first), p.Plan(two, w.config)}
		stored := []any{fileOf(one, "a.mp4")["key_path"], fileOf(two, "a.mp4")["key_path"]}
		p = w.Provider(w.provider)
		for _, pl := range plans {
			if _, diags := p.ApplyDelete(pl); diags.Failed() {
				t.Fatal(diags)
			}
		}
		for _, pl := range slices.Backward(plans) {
			state, diags := p.ApplyCreate(pl)
			if diags.Failed() {
				t.Fatal(diags)
			}
			keyPath := fileOf(state, "a.mp4")["key_path"]
			if !slices.Contains(stored, keyPath) {
				t.Errorf("the file was sent again: %s", keyPath)
			}
			stored = slices.DeleteFunc(stored, func(k any) bool { return k == keyPath })
		}
	})
}
