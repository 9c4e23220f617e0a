package provider_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

var update = flag.Bool("update", false, "write testdata/schema.golden")

// attribute is one attribute of any schema of the provider, at any depth.
type attribute struct {
	path string // "resource vodlive_media_upload incomplete_upload.parts"
	*tfprotov6.SchemaAttribute
}

// attributes lists every attribute of every schema, and the schemas themselves by name.
func attributes(t *testing.T) (all []attribute, described map[string]string) {
	t.Helper()
	resp := acctest.NewProvider(t, nil).Schema
	described = map[string]string{}
	add := func(kind, name string, s *tfprotov6.Schema) {
		described[kind+" "+name] = s.Block.Description
		all = append(all, walk(kind+" "+name+" ", s.Block.Attributes)...)
		if len(s.Block.BlockTypes) > 0 {
			t.Errorf("%s %s has blocks: nested attributes are the rule", kind, name)
		}
	}
	add("provider", "vodlive", resp.Provider)
	for name, s := range resp.ResourceSchemas {
		add("resource", name, s)
	}
	for name, s := range resp.DataSourceSchemas {
		add("data", name, s)
	}
	for name, s := range resp.EphemeralResourceSchemas {
		add("ephemeral", name, s)
	}
	for name, s := range resp.ListResourceSchemas {
		add("list", name, s)
	}
	for name, s := range resp.ActionSchemas {
		add("action", name, s.Schema)
	}
	slices.SortFunc(all, func(a, b attribute) int { return strings.Compare(a.path, b.path) })
	return all, described
}

func walk(prefix string, list []*tfprotov6.SchemaAttribute) (all []attribute) {
	for _, a := range list {
		all = append(all, attribute{prefix + a.Name, a})
		if a.NestedType != nil {
			all = append(all, walk(prefix+a.Name+".", a.NestedType.Attributes)...)
		}
	}
	return all
}

func (a attribute) String() string {
	var flags []string
	for name, set := range map[string]bool{
		"required": a.Required, "optional": a.Optional, "computed": a.Computed, "sensitive": a.Sensitive, "deprecated": a.Deprecated,
		"write-only": a.WriteOnly,
	} {
		if set {
			flags = append(flags, name)
		}
	}
	slices.Sort(flags)
	typ := "nested"
	if a.NestedType == nil {
		typ = fmt.Sprint(a.Type)
	} else {
		typ += " " + strings.ToLower(a.NestedType.Nesting.String())
	}
	return fmt.Sprintf("%s: %s, %s", a.path, typ, strings.Join(flags, " "))
}

func signature(name string, f *tfprotov6.Function) string {
	var parameters []string
	for _, p := range f.Parameters {
		parameters = append(parameters, fmt.Sprintf("%s %s", p.Name, p.Type))
	}
	if p := f.VariadicParameter; p != nil {
		parameters = append(parameters, fmt.Sprintf("%s ...%s", p.Name, p.Type))
	}
	return fmt.Sprintf("%s(%s): %s", name, strings.Join(parameters, ", "), f.Return.Type)
}

// TestSchemaIsAsAgreed makes every change of the schema show in review. `make generate` writes the
// golden file.
func TestSchemaIsAsAgreed(t *testing.T) {
	t.Parallel()
	all, _ := attributes(t)
	var b strings.Builder
	for _, a := range all {
		b.WriteString(a.String() + "\n")
	}
	functions := acctest.NewProvider(t, nil).Schema.Functions
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		b.WriteString("function " + signature(name, functions[name]) + "\n")
	}
	golden := filepath.Join("testdata", "schema.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the schema changed; if that is meant, run make generate:\n%s", diff)
	}
}

// TestCollectionsAreSensitiveAsAWhole: Terraform's time for an object grows with the square of its
// sensitive values, so no list or map has sensitive members: it is sensitive itself or not at all.
func TestCollectionsAreSensitiveAsAWhole(t *testing.T) {
	t.Parallel()
	all, _ := attributes(t)
	collections := map[string]bool{}
	for _, a := range all {
		if a.NestedType != nil && a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle {
			collections[a.path] = true
		}
	}
	for _, a := range all {
		for path := a.path; a.Sensitive && strings.Contains(path, "."); {
			path = path[:strings.LastIndex(path, ".")]
			if collections[path] {
				t.Errorf("%s is sensitive, and %s has any number of it", a.path, path)
			}
		}
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	all, described := attributes(t)
	for name, text := range described {
		if len(text) < 20 || !strings.HasSuffix(text, ".") {
			t.Errorf("%s has no description that helps: %q", name, text)
		}
	}
	for _, a := range all {
		if len(a.Description) < 5 || !strings.ContainsAny(a.Description[len(a.Description)-1:], ".:)") {
			t.Errorf("%s has no description: %q", a.path, a.Description)
		}
	}
	for name, f := range acctest.NewProvider(t, nil).Schema.Functions {
		if f.Summary == "" || f.Description == "" {
			t.Errorf("function %s is not described", name)
		}
		for _, p := range f.Parameters {
			if p.Description == "" {
				t.Errorf("parameter %s of function %s is not described", p.Name, name)
			}
		}
	}
}
