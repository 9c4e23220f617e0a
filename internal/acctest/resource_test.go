package acctest

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// schema has an attribute of each kind that decides about proposals and checks.
var schema = []*tfprotov6.SchemaAttribute{
	{Name: "name", Type: tftypes.String, Required: true},
	{Name: "note", Type: tftypes.String, Optional: true},
	{Name: "type", Type: tftypes.String, Optional: true, Computed: true},
	{Name: "id", Type: tftypes.String, Computed: true},
	{Name: "set", Type: tftypes.Set{ElementType: tftypes.String}, Optional: true},
	{Name: "preset", Optional: true, NestedType: &tfprotov6.SchemaObject{
		Nesting: tfprotov6.SchemaObjectNestingModeSingle,
		Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "codec", Type: tftypes.String, Optional: true, Computed: true},
			{Name: "size", Type: tftypes.Number, Optional: true},
		},
	}},
}

func value(a Attrs) tftypes.Value {
	return Value((&tfprotov6.SchemaBlock{Attributes: schema}).ValueType(), a)
}

func TestProposed(t *testing.T) {
	t.Parallel()
	prior := Attrs{"name": "a", "note": "n", "type": "t", "id": "1", "preset": Attrs{"codec": "c", "size": 1}}
	for name, tt := range map[string]struct{ prior, config, want Attrs }{
		"new":                    {nil, Attrs{"name": "a"}, Attrs{"name": "a"}},
		"destroyed":              {prior, nil, nil},
		"computed stays":         {prior, Attrs{"name": "b"}, Attrs{"name": "b", "type": "t", "id": "1"}},
		"configured wins":        {prior, Attrs{"name": "a", "type": "u"}, Attrs{"name": "a", "type": "u", "id": "1"}},
		"inside an object":       {prior, Attrs{"name": "a", "preset": Attrs{"size": 2}}, Attrs{"name": "a", "type": "t", "id": "1", "preset": Attrs{"codec": "c", "size": 2}}},
		"inside a new object":    {Attrs{"name": "a"}, Attrs{"name": "a", "preset": Attrs{"size": 2}}, Attrs{"name": "a", "preset": Attrs{"size": 2}}},
		"object not known yet":   {prior, Attrs{"name": "a", "preset": Unknown}, Attrs{"name": "a", "type": "t", "id": "1", "preset": Unknown}},
		"computed not known yet": {prior, Attrs{"name": "a", "type": Unknown}, Attrs{"name": "a", "type": Unknown, "id": "1"}},
	} {
		config := value(tt.config)
		if got := proposed(schema, value(tt.prior), config); !got.Equal(value(tt.want)) {
			t.Errorf("%s: got %v, want %v", name, attrs(got), tt.want)
		}
		if !config.Equal(value(tt.config)) {
			t.Errorf("%s: the configuration has changed", name)
		}
	}
}

func TestMisplanned(t *testing.T) {
	t.Parallel()
	prior := Attrs{"name": "A", "id": "1", "preset": Attrs{"codec": "c"}}
	for name, tt := range map[string]struct {
		config, planned Attrs
		wrong           bool
	}{
		"as configured":          {Attrs{"name": "b"}, Attrs{"name": "b"}, false},
		"the prior value":        {Attrs{"name": "a"}, Attrs{"name": "A"}, false},
		"another value":          {Attrs{"name": "a"}, Attrs{"name": "c"}, true},
		"not configured":         {Attrs{"name": "a"}, Attrs{"name": "a", "note": "n"}, true},
		"computed":               {Attrs{"name": "a"}, Attrs{"name": "a", "type": Unknown, "id": "2"}, false},
		"configured, not known":  {Attrs{"name": "a", "type": "t"}, Attrs{"name": "a", "type": Unknown}, true},
		"computed in an object":  {Attrs{"name": "a", "preset": Attrs{"size": 1}}, Attrs{"name": "a", "preset": Attrs{"codec": "d", "size": 1}}, false},
		"another in an object":   {Attrs{"name": "a", "preset": Attrs{"size": 1}}, Attrs{"name": "a", "preset": Attrs{"size": 2}}, true},
		"object left out":        {Attrs{"name": "a", "preset": Attrs{"size": 1}}, Attrs{"name": "a"}, true},
		"destroyed, but planned": {nil, Attrs{"name": "a"}, true},
	} {
		if wrong := misplanned(schema, value(prior), value(tt.config), value(tt.planned)); len(wrong) > 0 != tt.wrong {
			t.Errorf("%s: %q, want a complaint: %v", name, wrong, tt.wrong)
		}
	}
}

func TestIncompatible(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		planned, actual Attrs
		wrong           bool
	}{
		"as planned":                {Attrs{"name": "a"}, Attrs{"name": "a"}, false},
		"known now":                 {Attrs{"name": "a", "id": Unknown}, Attrs{"name": "a", "id": "1"}, false},
		"null in the end":           {Attrs{"name": "a", "id": Unknown}, Attrs{"name": "a"}, false},
		"another value":             {Attrs{"name": "a"}, Attrs{"name": "b"}, true},
		"a value for null":          {Attrs{"name": "a"}, Attrs{"name": "a", "id": "1"}, true},
		"null for a value":          {Attrs{"name": "a", "id": "1"}, Attrs{"name": "a"}, true},
		"known in an object":        {Attrs{"preset": Attrs{"codec": Unknown, "size": 1}}, Attrs{"preset": Attrs{"codec": "c", "size": 1}}, false},
		"another in an object":      {Attrs{"preset": Attrs{"codec": Unknown, "size": 1}}, Attrs{"preset": Attrs{"codec": "c", "size": 2}}, true},
		"no object":                 {Attrs{"preset": Attrs{"codec": Unknown}}, Attrs{}, true},
		"element known":             {Attrs{"set": []any{Unknown, "a"}}, Attrs{"set": []any{"b", "a"}}, false},
		"set with unknown, missing": {Attrs{"set": []any{Unknown}}, Attrs{}, true},
		"another set":               {Attrs{"set": []any{"a"}}, Attrs{"set": []any{"b"}}, true},
		"gone":                      {Attrs{"name": "a"}, nil, true},
	} {
		if wrong := incompatible("", value(tt.planned), value(tt.actual)); (wrong != "") != tt.wrong {
			t.Errorf("%s: %q, want a complaint: %v", name, wrong, tt.wrong)
		}
	}
}

func TestValueAndBack(t *testing.T) {
	t.Parallel()
	want := Attrs{
		"name": "a", "note": nil, "type": Unknown, "id": "1", "set": []any{"x", Unknown}, "preset": Attrs{"codec": nil, "size": 7},
	}
	if got := attrs(value(want)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
