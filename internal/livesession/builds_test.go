package livesession_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// respelled has the service show the name of the session in another spelling, which only the
// private data knows.
func respelled(t *testing.T) *acctest.World {
	t.Helper()
	w := acctest.NewWorld(t, simulator.Options{})
	shows(w, map[string]string{`"match"`: `"match (1)"`})
	return w
}

// withURL has a source that is write-only, of which the private data has a digest.
func withURL() config {
	return base().With(config{"input": "RTMP_PULL", "input_source_a_wo": "rtmp://origin.example.com/app/stream-key-0001", "urls_wo_version": 1})
}

// TestSessionOfEveryBuild: a session that is not recognised would be replaced.
func TestSessionOfEveryBuild(t *testing.T) {
	t.Parallel()
	acctest.Builds(t, "build", func(t *testing.T, path string) {
		p := respelled(t).Provider(once)
		o, diags := p.Create(resourceType, withURL())
		diags.Must(t)
		p.Keep(o, path)
	}, readSession)
}

// keptID is the id of the session that a file has.
func keptID(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	var kept struct {
		State struct {
			ID string `json:"id"`
		} `json:"state"`
	}
	if err == nil {
		err = json.Unmarshal(content, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept.State.ID
}

func readSession(t *testing.T, path string) {
	t.Helper()
	w, id := respelled(t), keptID(t, path)
	w.AddSession(simulator.SessionRecord{
		ID: id, Name: "match", Region: "eu-central-1", Input: "RTMP_PULL", InputSourceA: "rtmp://origin.example.com/app/stream-key-0001", Status: "READY",
	})
	p := w.Provider(once)
	o := p.Kept(resourceType, path)
	if pl := p.Plan(o, withURL()); pl.Action != acctest.NoOp || pl.Diags.String() != "" {
		t.Errorf("planned %s because of %v: %s", pl.Action, pl.Attrs(), pl.Diags)
	}
	plain := withURL().With(config{"input_source_a_wo": nil, "urls_wo_version": nil, "input_source_a": "rtmp://origin.example.com/app/stream-key-0001"})
	if pl := p.Plan(o, plain); pl.Attrs()["id"] != id {
		t.Errorf("the same URL in the plain argument makes a new session: %v", pl.Attrs())
	}
}

// TestStatusOfEveryBuild: a status that is not recognised would wait again, for sessions that may
// have ended since.
func TestStatusOfEveryBuild(t *testing.T) {
	t.Parallel()
	const id = "3b7e8c52-0a6d-4f2e-a1c4-5d9f0b8e7a61"
	waits := config{"session_ids": []any{id}, "wait_for_status": []any{"READY"}, "include_urls": true, "triggers": config{"match": "1"}}
	acctest.Builds(t, "status", func(t *testing.T, path string) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.AddSession(simulator.SessionRecord{ID: id, Name: "match", Region: "eu-central-1", Input: "RTMP_PUSH", Status: "READY"})
		p := w.Provider(once)
		o, diags := p.Create(statusType, waits)
		diags.Must(t)
		p.Keep(o, path)
	}, func(t *testing.T, path string) {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(once)
		o := p.Kept(statusType, path)
		if pl := p.Plan(o, waits); pl.Action != acctest.NoOp || pl.Diags.String() != "" {
			t.Errorf("planned %s: %v: %s", pl.Action, pl.Attrs(), pl.Diags)
		}
		if pl := p.Plan(o, waits.With(config{"triggers": config{"match": "2"}})); pl.Attrs()["sessions"] != acctest.Unknown {
			t.Errorf("another trigger waits for nothing: %v", pl.Attrs())
		}
		if len(w.Journal()) > 0 {
			t.Errorf("calls: %s", w.JournalText())
		}
	})
}
