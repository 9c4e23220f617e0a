package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	"github.com/zclconf/go-cty/cty/gocty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// wordsOf are the words after a verb.
type wordsOf struct {
	s     *scenario
	words []string
}

// take reports whether a word is among them, and takes it out.
func (w *wordsOf) take(word string) bool {
	i := slices.Index(w.words, word)
	if i >= 0 {
		w.words = slices.Delete(w.words, i, i+1)
	}
	return i >= 0
}

// next takes the last word.
func (w *wordsOf) next() string {
	if len(w.words) == 0 {
		w.s.t.Fatalf("%s: a word is missing", w.s.at)
	}
	word := w.words[len(w.words)-1]
	w.words = w.words[:len(w.words)-1]
	return word
}

// interrupted takes when a run is interrupted, "" for never.
func (w *wordsOf) interrupted() string {
	if !w.take("interrupted") {
		return ""
	}
	return w.next()
}

func (s *scenario) number(text string) int {
	n, err := strconv.Atoi(text)
	s.must(err)
	return n
}

func (s *scenario) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	s.must(err)
	return d
}

// value is an expression's value.
func (s *scenario) value(text string) cty.Value {
	return s.evaluated(hclsyntax.ParseExpression([]byte(text), s.at, hcl.InitialPos))
}

func (s *scenario) evaluated(expr hclsyntax.Expression, diags hcl.Diagnostics) cty.Value {
	v := cty.DynamicVal
	if !diags.HasErrors() {
		v, diags = s.evaluate(expr)
	}
	if diags.HasErrors() {
		s.t.Fatalf("%s: %v\nstate: %v\ndiagnostics:\n%s", s.at, diags, s.now.Attrs(), s.diags)
	}
	return v
}

func (s *scenario) object(text string) acctest.Attrs {
	object, ok := fromHCL(s.value(text)).(acctest.Attrs)
	if !ok {
		s.t.Fatalf("%s: %s is no object", s.at, text)
	}
	return object
}

func (s *scenario) text(expr string) string {
	text, ok := fromHCL(s.value(expr)).(string)
	if !ok {
		s.t.Fatalf("%s: %s is no string", s.at, expr)
	}
	return text
}

// template replaces ${EXPRESSION}.
func (s *scenario) template(text string) string {
	replaced, ok := fromHCL(s.evaluated(hclsyntax.ParseTemplate([]byte(text), s.at, hcl.InitialPos))).(string)
	if !ok {
		s.t.Fatalf("%s: a part of %s is not known", s.at, text)
	}
	return replaced
}

// evaluate is the value of an expression. What it does not refer to is not looked at.
func (s *scenario) evaluate(expr hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	variables := map[string]cty.Value{"unknown": cty.DynamicVal}
	for _, used := range expr.Variables() {
		look, ok := variable[used.RootName()]
		if inCLI, other := variableOfCLI[used.RootName()]; other && s.cli != nil {
			look, ok = func(s *scenario) any { return inCLI(s.cli) }, inCLI != nil
		}
		if !ok || s.World == nil && used.RootName() != "stored" && used.RootName() != "folder" {
			continue
		}
		raw, err := json.Marshal(look(s))
		s.must(err)
		typ, err := ctyjson.ImpliedType(raw)
		s.must(err)
		variables[used.RootName()], err = ctyjson.Unmarshal(raw, typ)
		s.must(err)
	}
	return expr.Value(&hcl.EvalContext{Variables: variables, Functions: s.functions()})
}

// variable has what expressions may refer to.
var variable = map[string]func(s *scenario) any{
	"stored":   func(s *scenario) any { return s.stored },
	"folder":   func(s *scenario) any { return s.folder },
	"state":    func(s *scenario) any { return s.now.Attrs() },
	"before":   func(s *scenario) any { return s.before.Attrs() },
	"lost":     func(s *scenario) any { return s.lost.Attrs() },
	"tainted":  func(s *scenario) any { return s.now.Tainted },
	"identity": func(s *scenario) any { return s.Provider(nil).IdentityOf(s.now) },
	"calls":    func(s *scenario) any { return s.calls },
	"data":     func(s *scenario) any { return s.data },
	"vod":      func(s *scenario) any { return s.VOD.URL() },
	"sessions": func(s *scenario) any { return namedOf(s.Sessions()) },
	"objects":  func(s *scenario) any { return namedOf(s.Objects()) },
	"uploads":  func(s *scenario) any { return namedOf(s.Uploads()) },
	"jobs":     func(s *scenario) any { return namedOf(s.Batches()) },
	"records":  func(s *scenario) any { return append([]string{}, s.records("upload-*.json")...) },
	"others": func(s *scenario) any {
		others := map[string]any{}
		for name, o := range s.others {
			others[name] = o.Attrs()
		}
		return others
	},
	"planned": func(s *scenario) any {
		if s.saved == nil {
			return nil
		}
		return s.saved.Attrs()
	},
	"action": func(s *scenario) any {
		if s.saved == nil {
			return ""
		}
		return string(s.saved.Action)
	},
}

func (s *scenario) functions() map[string]function.Function {
	all := map[string]function.Function{
		"contains": stdlib.ContainsFunc, "jsondecode": stdlib.JSONDecodeFunc, "split": stdlib.SplitFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc, "replace": stdlib.ReplaceFunc, "sort": stdlib.SortFunc, "upper": stdlib.UpperFunc, "values": stdlib.ValuesFunc,
		"sha256":       ofText(func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }),
		"base64encode": ofText(func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }),
		"kept":         ofText(s.kept),
		"filesha256": ofText(func(name string) string {
			content, err := os.ReadFile(filepath.Join(s.folder, name))
			s.must(err)
			return fmt.Sprintf("%x", sha256.Sum256(content))
		}),
	}
	if s.cli == nil {
		all["logged"] = ofText(func(text string) bool { return strings.Contains(s.Log.String(), text) })
	}
	return all
}

// kept reports whether the state has a text.
func (s *scenario) kept(text string) bool {
	if s.cli == nil {
		return strings.Contains(s.now.State.String(), text)
	}
	state, err := os.ReadFile(filepath.Join(s.folder, "terraform.tfstate"))
	s.must(err)
	return bytes.Contains(state, []byte(text))
}

// ofText is a function of a text.
func ofText[T string | bool](f func(string) T) function.Function {
	typ, _ := gocty.ImpliedType(*new(T))
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(typ),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return gocty.ToCtyValue(f(args[0].AsString()), typ)
		},
	})
}

// block is the first block of a type in the configuration, nil if there is none.
func (s *scenario) block(typ string) *hclsyntax.Block {
	for _, block := range s.configs[s.config].Blocks {
		if block.Type == typ {
			return block
		}
	}
	return nil
}

func (s *scenario) arguments(body *hclsyntax.Body) acctest.Attrs {
	config := acctest.Attrs{}
	for _, a := range body.Attributes {
		config[a.Name] = fromHCL(s.evaluated(a.Expr, nil))
	}
	return config
}

// Words of the names of fields: SubDomainA is sub_domain_a, ElasticIPA is elastic_ip_a.
var (
	wordEnd  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	pipeline = regexp.MustCompile(`(IP)([AB])$`)
)

// argument is the name of a field as an argument.
func argument(field string) string {
	return strings.ToLower(wordEnd.ReplaceAllString(pipeline.ReplaceAllString(field, "${1}_$2"), "${1}_$2"))
}

func namedOf[T any](all []T) []any {
	named := []any{}
	for _, one := range all {
		named = append(named, fieldsOf(one))
	}
	return named
}

// fieldsOf are the fields of a struct as arguments.
func fieldsOf(from any) map[string]any {
	v, fields := reflect.ValueOf(from), map[string]any{}
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() {
			fields[argument(field.Name)] = v.Field(i).Interface()
		}
	}
	return fields
}

// fill sets fields of a struct: sub_domain_a is SubDomainA, and a text such as "5s" is a duration.
func (s *scenario) fill(to any, arguments acctest.Attrs) {
	fields := map[string]any{}
	for name, value := range arguments {
		if d, err := time.ParseDuration(fmt.Sprint(value)); err == nil {
			value = d
		}
		fields[strings.ReplaceAll(name, "_", "")] = value // encoding/json ignores the case of letters
	}
	raw, err := json.Marshal(fields)
	s.must(err)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	s.must(decoder.Decode(to))
}

// fromHCL is a value as Attrs have it.
func fromHCL(v cty.Value) any {
	switch typ := v.Type(); {
	case !v.IsKnown():
		return acctest.Unknown
	case v.IsNull():
		return nil
	case typ == cty.String:
		return v.AsString()
	case typ == cty.Bool:
		return v.True()
	case typ == cty.Number:
		n, _ := v.AsBigFloat().Int64()
		return int(n)
	case typ.IsObjectType(), typ.IsMapType():
		object := acctest.Attrs{}
		for name, inner := range v.AsValueMap() {
			object[name] = fromHCL(inner)
		}
		return object
	default:
		items := []any{}
		for _, item := range v.AsValueSlice() {
			items = append(items, fromHCL(item))
		}
		return items
	}
}
