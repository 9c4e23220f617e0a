package livesession_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

const (
	source = "rtmp://origin.example.com/app/s3cret"
	golden = "testdata/configurations.golden"
)

var update = flag.Bool("update", false, "write "+golden)

// TestConfigurations holds what `terraform validate` says of each configuration in a golden file:
// nothing of a valid one.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	p := acctest.NewProvider(t, nil)
	head, cases, _ := strings.Cut(string(content), "\n=== ")
	var got strings.Builder
	got.WriteString(head)
	for section := range strings.SplitSeq(cases, "\n=== ") {
		lines := strings.SplitN(section, "\n", 3)
		name, change := lines[0], lines[1]
		var changes map[string]any
		if err := json.Unmarshal([]byte(change), &changes); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		texts := p.Validate(resourceType, base().With(fromJSON(changes).(config))).Texts()
		slices.Sort(texts)
		section := "\n=== " + name + "\n" + change + "\n" + strings.Join(append(texts, ""), "\n")
		if wanted := "\n=== " + strings.Join(lines, "\n"); strings.TrimSpace(section) != strings.TrimSpace(wanted) && !*update {
			t.Errorf("got:%s\nwant:%s", section, wanted)
		}
		for _, text := range texts {
			if strings.Contains(text, "s3cret") || strings.Contains(text, "example.org") {
				t.Errorf("%s: a sensitive value is shown: %s", name, text)
			}
		}
		got.WriteString(section)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// fromJSON makes a configuration of a JSON value, in which "(unknown)" stands for what is not known
// yet.
func fromJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := config{}
		for name, inner := range v {
			c[name] = fromJSON(inner)
		}
		return c
	case []any:
		for i, inner := range v {
			v[i] = fromJSON(inner)
		}
	case string:
		if v == "(unknown)" {
			return acctest.Unknown
		}
	}
	return v
}
