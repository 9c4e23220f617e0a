package provider

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// learn makes the masker know the stream keys in the configuration, the plan and the state of a
// request, before the provider calls the service for it: a refusal may repeat a key.
func (s *server) learn(req any) {
	v := reflect.Indirect(reflect.ValueOf(req))
	for _, field := range v.Fields() {
		var forms [][]byte
		var decode func(tftypes.Type) (tftypes.Value, error)
		switch field := field.Interface().(type) {
		case *tfprotov6.DynamicValue:
			if field != nil {
				forms, decode = [][]byte{field.MsgPack, field.JSON}, field.Unmarshal
			}
		case *tfprotov6.RawState:
			if field != nil {
				forms, decode = [][]byte{field.JSON}, func(t tftypes.Type) (tftypes.Value, error) {
					return field.UnmarshalWithOpts(t, tfprotov6.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}})
				}
			}
		}
		// Most values have no URL, and the state of a folder is large.
		if !slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(form, []byte("://")) }) {
			continue
		}
		if schema := s.schemaOf(req); schema != nil {
			if value, err := decode(schema.ValueType()); err == nil { // else the framework says what is wrong with it
				s.learnValue(value)
			}
		}
	}
}

// schemaOf returns the schema of what a request is about, nil for the provider and functions.
func (s *server) schemaOf(req any) *tfprotov6.Schema {
	all := s.schema()
	if all == nil {
		return nil
	}
	switch req := req.(type) {
	case *tfprotov6.ValidateResourceConfigRequest:
		return all.ResourceSchemas[req.TypeName]
	case *tfprotov6.UpgradeResourceStateRequest:
		return all.ResourceSchemas[req.TypeName]
	case *tfprotov6.ReadResourceRequest:
		return all.ResourceSchemas[req.TypeName]
	case *tfprotov6.PlanResourceChangeRequest:
		return all.ResourceSchemas[req.TypeName]
	case *tfprotov6.ApplyResourceChangeRequest:
		return all.ResourceSchemas[req.TypeName]
	case *tfprotov6.ValidateDataResourceConfigRequest:
		return all.DataSourceSchemas[req.TypeName]
	case *tfprotov6.ReadDataSourceRequest:
		return all.DataSourceSchemas[req.TypeName]
	case *tfprotov6.ValidateEphemeralResourceConfigRequest:
		return all.EphemeralResourceSchemas[req.TypeName]
	case *tfprotov6.OpenEphemeralResourceRequest:
		return all.EphemeralResourceSchemas[req.TypeName]
	case *tfprotov6.ValidateListResourceConfigRequest:
		return all.ListResourceSchemas[req.TypeName]
	case *tfprotov6.ListResourceRequest:
		return all.ListResourceSchemas[req.TypeName]
	case *tfprotov6.ValidateActionConfigRequest:
		return actionSchema(all, req.ActionType)
	case *tfprotov6.PlanActionRequest:
		return actionSchema(all, req.ActionType)
	case *tfprotov6.InvokeActionRequest:
		return actionSchema(all, req.ActionType)
	}
	return nil
}

func actionSchema(all *tfprotov6.GetProviderSchemaResponse, typ string) *tfprotov6.Schema {
	if action := all.ActionSchemas[typ]; action != nil {
		return action.Schema
	}
	return nil
}

// namesOfSessions are the attributes of a session that a stream key may repeat without making them
// secret.
var namesOfSessions = map[tftypes.AttributeName]bool{
	"id": true, "name": true, "user_id": true, "region": true, "transcoder_id": true, "sub_domain_a": true, "sub_domain_b": true,
}

func (s *server) learnValue(value tftypes.Value) {
	var shown, addresses []string
	_ = tftypes.Walk(value, func(path *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		var text string
		if v.Type().Is(tftypes.String) && v.IsKnown() && !v.IsNull() {
			_ = v.As(&text)
		}
		steps := path.Steps()
		if len(text) > 4 && strings.EqualFold(text[:4], "rtmp") {
			addresses = append(addresses, text)
		} else if len(steps) > 0 {
			if name, ok := steps[len(steps)-1].(tftypes.AttributeName); ok && namesOfSessions[name] {
				shown = append(shown, text)
			}
		}
		return true, nil
	})
	if len(addresses) > 0 {
		s.redactor.AddStreams(shown, addresses...)
	}
}

// logLeftOut says once that the masker had no room for a stream key.
func (s *server) logLeftOut(ctx context.Context) {
	if s.redactor.LeftOut() {
		tflog.Warn(ctx, "The account has more stream keys than the provider can search for: texts of the service may show those of sessions outside this configuration")
	}
}
