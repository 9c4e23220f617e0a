package livesession_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

// config is a configuration of a session by attribute; see value for what a
// value may be.
type config map[string]any

// unknown stands for a value that Terraform does not know yet.
type unknown struct{}

// base is a valid configuration: PUSH in, PULL out, one pipeline.
func base() config {
	return config{
		"name": "match", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
		"input_preset": config{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
	}
}

// with is a copy of c with the changes over it.
func (c config) with(changes config) config {
	merged := config{}
	maps.Copy(merged, c)
	for k, v := range changes {
		if inner, ok := v.(config); ok {
			before, _ := merged[k].(config)
			v = before.with(inner)
		}
		merged[k] = v
	}
	return merged
}

// value makes a Terraform value of nil, unknown, a string, a number, a bool, a
// slice or a config.
func value(typ tftypes.Type, v any) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case config:
		attributes := map[string]tftypes.Value{}
		for name, t := range typ.(tftypes.Object).AttributeTypes {
			attributes[name] = value(t, v[name])
		}
		return tftypes.NewValue(typ, attributes)
	case []any:
		var items []tftypes.Value
		for _, item := range v {
			items = append(items, value(typ.(tftypes.Set).ElementType, item))
		}
		return tftypes.NewValue(typ, items)
	default:
		return tftypes.NewValue(typ, v)
	}
}

// server is the provider behind its protocol, not configured.
func server(t testing.TB) (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse) {
	t.Helper()
	none := func(string) (string, bool) { return "", false }
	s := provider.NewServer(provider.NewWithEnvironment("test", none)(), provider.Logged)
	schema, err := s.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return s, schema
}

func dynamic(t testing.TB, typ tftypes.Type, c config) *tfprotov6.DynamicValue {
	t.Helper()
	d, err := tfprotov6.NewDynamicValue(typ, value(typ, c))
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// texts are diagnostics as "severity path: summary: detail".
func texts(diags []*tfprotov6.Diagnostic) []string {
	var all []string
	for _, d := range diags {
		var at []string
		if d.Attribute != nil {
			for _, step := range d.Attribute.Steps() {
				switch step := step.(type) {
				case tftypes.AttributeName:
					at = append(at, string(step))
				default:
					at = append(at, "[]")
				}
			}
		}
		all = append(all, fmt.Sprintf("%s %s: %s: %s", strings.ToLower(d.Severity.String()), strings.Join(at, "."), d.Summary, d.Detail))
	}
	return all
}
