package provider_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"go.yaml.in/yaml/v3"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// program is a Pulumi program in YAML, as far as the guide uses it.
type program struct {
	Name      string
	Runtime   string
	Packages  map[string]any
	Variables map[string]struct {
		Invoke struct {
			Function  string
			Arguments map[string]any
		} `yaml:"fn::invoke"`
	}
	Resources map[string]struct {
		Type       string
		Properties map[string]any
		Options    map[string]any
	}
	Outputs map[string]string
}

// property is what the bridge makes of an attribute. Its members are those of a nested attribute.
type property struct {
	required, settable bool
	members            properties
}

type properties map[string]property

// TestPulumiProgramsMatchTheSchema compares the programs of the guide with the schemas: types,
// properties, and what a value refers to.
func TestPulumiProgramsMatchTheSchema(t *testing.T) {
	t.Parallel()
	schema := acctest.NewProvider(t, nil).Schema
	types, functions := bridged(schema)
	checked := 0
	for _, text := range blocks(t, "pulumi.md", "yaml") {
		var p program
		decoder := yaml.NewDecoder(strings.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		results := map[string]properties{} // by the name that the program gives them
		for name, r := range p.Resources {
			members, ok := types[r.Type]
			if !ok {
				t.Errorf("%s has the type %s, which the provider does not have", name, r.Type)
			}
			results[name] = members
			checked += compare(t, name, members, r.Properties)
		}
		for name, v := range p.Variables {
			f, ok := functions[v.Invoke.Function]
			if !ok {
				t.Errorf("%s calls %s, which the provider does not have", name, v.Invoke.Function)
			}
			results[name] = f.result
			checked += compare(t, name, f.arguments, v.Invoke.Arguments)
		}
		for _, match := range regexp.MustCompile(`\$\{(\w+)\.(\w+)\}`).FindAllStringSubmatch(text, -1) {
			checked++
			if _, ok := results[match[1]][match[2]]; !ok {
				t.Errorf("nothing in the program is %s", match[0])
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d properties and references compared: the programs have more", checked)
	}
}

// compare compares the keys of a program with properties, and returns how many keys there are.
func compare(t *testing.T, at string, want properties, got map[string]any) int {
	t.Helper()
	checked := len(got)
	for name, value := range got {
		p, ok := want[name]
		if !ok || !p.settable {
			t.Errorf("%s: the provider has no argument %s, only %q", at, name, slices.Sorted(maps.Keys(want)))
		}
		if members, ok := value.(map[string]any); ok && p.members != nil {
			checked += compare(t, at+"."+name, p.members, members)
		}
	}
	for name, p := range want {
		if _, ok := got[name]; p.required && !ok {
			t.Errorf("%s lacks %s", at, name)
		}
	}
	return checked
}

type function struct{ arguments, result properties }

// bridged are the types and functions of the package that the bridge makes of the provider.
func bridged(schema *tfprotov6.GetProviderSchemaResponse) (types map[string]properties, functions map[string]function) {
	types, functions = map[string]properties{}, map[string]function{}
	for name, s := range schema.ResourceSchemas {
		token := camel(strings.TrimPrefix(name, "vodlive_"))
		all := propertiesOf(s.Block.Attributes)
		all["id"] = property{} // every resource of Pulumi has one
		types["vodlive:"+strings.ToUpper(token[:1])+token[1:]] = all
	}
	for name, s := range schema.DataSourceSchemas {
		all := propertiesOf(s.Block.Attributes)
		functions["vodlive:"+camel("get_"+strings.TrimPrefix(name, "vodlive_"))] = function{arguments: all, result: all}
	}
	for name, f := range schema.Functions {
		made := function{arguments: properties{}, result: properties{}}
		for _, p := range f.Parameters {
			made.arguments[camel(p.Name)] = property{required: true, settable: true}
		}
		if object, ok := f.Return.Type.(tftypes.Object); ok {
			for attribute := range object.AttributeTypes {
				made.result[camel(attribute)] = property{}
			}
		}
		functions["vodlive:"+camel(name)] = made
	}
	return types, functions
}

func propertiesOf(attributes []*tfprotov6.SchemaAttribute) properties {
	all := properties{}
	for _, a := range attributes {
		p := property{required: a.Required, settable: a.Required || a.Optional}
		if a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
			p.members = propertiesOf(a.NestedType.Attributes)
		}
		all[camel(plural(a))] = p
	}
	return all
}

// plural is the name that the bridge gives to an attribute before it writes it in camel case: lists
// and sets get the plural. The rule holds for every attribute that the provider has.
func plural(a *tfprotov6.SchemaAttribute) string {
	collection := a.NestedType == nil && (a.Type.Is(tftypes.List{}) || a.Type.Is(tftypes.Set{})) ||
		a.NestedType != nil && (a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeList || a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSet)
	switch {
	case collection && strings.HasSuffix(a.Name, "us"):
		return a.Name + "es"
	case collection && !strings.HasSuffix(a.Name, "s"):
		return a.Name + "s"
	}
	return a.Name
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// TestPulumiGuideNamesEverything: the guide says of everything that the provider has whether the
// bridge has it, and how an attribute is called whose name is more than rewritten.
func TestPulumiGuideNamesEverything(t *testing.T) {
	t.Parallel()
	schema := acctest.NewProvider(t, nil).Schema
	page := guide(t, "pulumi.md")
	lists := map[string][]string{
		"- All resources: ":      slices.Sorted(maps.Keys(schema.ResourceSchemas)),
		"- All data sources: ":   slices.Sorted(maps.Keys(schema.DataSourceSchemas)),
		"- All functions: ":      slices.Sorted(maps.Keys(schema.Functions)),
		"| actions ":             slices.Sorted(maps.Keys(schema.ActionSchemas)),
		"| ephemeral resources ": slices.Sorted(maps.Keys(schema.EphemeralResourceSchemas)),
		"| list resource ":       slices.Sorted(maps.Keys(schema.ListResourceSchemas)),
	}
	written := page
	for start, names := range lists {
		list := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(start) + "`[^`]*`(, `[^`]*`)*")
		written = list.ReplaceAllLiteralString(written, start+"`"+strings.Join(names, "`, `")+"`")
		if !list.MatchString(page) {
			t.Errorf("the guide lacks the line %q", start)
		}
	}
	attributes := slices.Clone(schema.Provider.Block.Attributes)
	for _, s := range schema.ResourceSchemas {
		attributes = append(attributes, s.Block.Attributes...)
	}
	want := map[string]bool{}
	for _, a := range attributes {
		if renamed := plural(a); renamed != a.Name && (a.Required || a.Optional) {
			want["| `"+a.Name+"` | `"+camel(renamed)+"` |"] = true
		}
	}
	const head = "| Terraform | Pulumi |\n|---|---|\n"
	before, table, _ := strings.Cut(written, head)
	_, after, found := strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("the guide lacks the table of names")
	}
	written = before + head + strings.Join(slices.Sorted(maps.Keys(want)), "\n") + "\n\n" + after
	if *update && !t.Failed() {
		writeFile(t, filepath.Join(guides, "pulumi.md"), written)
	} else if written != page {
		t.Error("the lists or the table of the guide are not the schema's: run make docs")
	}
}
