package providerdata_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// TestPlanNoteOfEveryBuild: an object keeps the note of the plan that was applied last. A build
// that writes another form adds a file. The files that are there never change.
func TestPlanNoteOfEveryBuild(t *testing.T) {
	t.Parallel()
	note := providerdata.PlanNote{Destroy: true, Protected: "match"}
	data, written := private{}, map[string]json.RawMessage{}
	if diags := note.Write(t.Context(), data); diags.HasError() {
		t.Fatal(diags)
	}
	for key, value := range data {
		written[key] = value
	}
	content, _ := json.MarshalIndent(written, "", "  ")
	builds, err := filepath.Glob(filepath.Join("testdata", "note-*.json"))
	if err != nil || len(builds) == 0 {
		t.Fatalf("there are %q: %v", builds, err)
	}
	kept := false
	for _, build := range builds {
		golden, err := os.ReadFile(build)
		var keys map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(golden, &keys)
		}
		if err != nil {
			t.Fatal(err)
		}
		data := private{}
		for key, value := range keys {
			data[key] = value
		}
		if got, diags := providerdata.ReadPlanNote(t.Context(), data); !reflect.DeepEqual(got, note) || diags.HasError() {
			t.Errorf("%s is read as %+v: %s", build, got, diags)
		}
		kept = kept || string(golden) == string(content)+"\n"
	}
	if !kept {
		t.Errorf("this build writes another form: add it as a file\n%s", content)
	}
}
