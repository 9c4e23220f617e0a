package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestPositions(t *testing.T) {
	t.Parallel()
	for _, order := range []string{listedFirst, listedLast, onePerPage, anywhere} {
		got := positions(1050, 11, order)
		distinct := slices.Compact(slices.Sorted(slices.Values(got)))
		if len(distinct) != 11 || distinct[0] < 0 || distinct[10] >= 1050 {
			t.Errorf("%s: %v", order, got)
		}
		pages := map[int]bool{}
		for _, p := range got {
			pages[p/pageSize] = true
		}
		if order == onePerPage && len(pages) != 11 {
			t.Errorf("%s: %v are on %d pages, want one each", order, got, len(pages))
		}
	}
	if got := positions(1050, 2, listedLast); !slices.Equal(got, []int{1049, 1048}) {
		t.Errorf("%s: %v", listedLast, got)
	}
}

// TestStateIsWhatTheServiceShows keeps the refresh honest: the state that is written makes a plan without changes, and
// each session is where its order says.
func TestStateIsWhatTheServiceShows(t *testing.T) {
	t.Parallel()
	s, err := serve(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	records := populate(s, 150, 20, listedLast)
	if all := s.Sessions(); len(all) != 150 || all[0].ID != records[0].ID || all[19].ID != records[19].ID {
		t.Error("the sessions of the configuration are not the last of the listing")
	}
	p, err := newProtocol(t.Context(), s.environment(""))
	if err != nil {
		t.Fatal(err)
	}
	if err := walk(20, func(i int) error { return p.refresh(t.Context(), "vodlive_live_session", attributes(records[i])) }); err != nil {
		t.Error(err)
	}
	if n := s.calls().total(); n > 2*best(20, 150)+10 {
		t.Errorf("%d calls", n)
	}
}

func TestPlotIsXML(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := plot(dir, "p.svg", chart{
		title: "a < b & c", x: "N", y: "seconds",
		series: []series{{name: "one", x: []float64{1, 10, 1000}, y: []float64{0, 0.5, 20}}, {name: "none"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "p.svg"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Groups []struct {
			Lines []struct {
				Points string `xml:"points,attr"`
			} `xml:"polyline"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(content, &document); err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	if len(document.Groups) != 1 || len(document.Groups[0].Lines) != 2 || document.Groups[0].Lines[0].Points == "" {
		t.Errorf("%+v", document)
	}
}

func TestReportKeepsOtherParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	oneColumn := table{Head: []string{"figure"}}
	one := report{Sections: []*section{{Part: "create", Title: "Create", Table: oneColumn}, {Part: "bound", Title: "Old", Table: oneColumn}}}
	one.Sections[1].measure("calls", 12, 10)
	if err := one.write(dir); err != nil {
		t.Fatal(err)
	}
	two := report{Sections: []*section{{Part: "bound", Title: "New", Table: oneColumn}}}
	two.Sections[0].measure("calls", 9.5, 10)
	if err := two.write(dir); err != nil {
		t.Fatal(err)
	}
	if len(two.Sections) != 2 || two.Sections[0].Title != "New" || two.Sections[1].Title != "Create" {
		t.Errorf("%+v", two.Sections)
	}
	if all := two.targets(); len(all) != 1 || !all[0].Met || all[0].Value != 9.5 {
		t.Errorf("%+v", all)
	}
}
