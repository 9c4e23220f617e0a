package acctest

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// others is a provider server that has two more resources, terraform_data and local_file, as far as
// histories use them.
type others struct {
	tfprotov6.ProviderServer
	machine *machine
}

// withOthers gives a provider the two resources.
func withOthers(p *Provider, m *machine) {
	schema := *p.Schema
	schema.ResourceSchemas = maps.Clone(schema.ResourceSchemas)
	maps.Copy(schema.ResourceSchemas, otherSchemas)
	p.Server, p.Schema = others{p.Server, m}, &schema
}

var otherSchemas = map[string]*tfprotov6.Schema{
	dataType: textAttributes("input", "id", "output"),
	fileType: textAttributes("filename content", "id", "content_sha256"),
}

func textAttributes(arguments string, computed ...string) *tfprotov6.Schema {
	block := &tfprotov6.SchemaBlock{}
	for name := range strings.FieldsSeq(arguments) {
		block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Required: true})
	}
	for _, name := range computed {
		block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Computed: true})
	}
	return &tfprotov6.Schema{Block: block}
}

func otherAttrs(typ string, d *tfprotov6.DynamicValue) Attrs {
	v, err := d.Unmarshal(otherSchemas[typ].ValueType())
	if err != nil {
		panic(err)
	}
	return attrs(v)
}

func otherValue(typ string, a Attrs) *tfprotov6.DynamicValue {
	object := otherSchemas[typ].ValueType()
	d, err := tfprotov6.NewDynamicValue(object, Value(object, a))
	if err != nil {
		panic(err)
	}
	return &d
}

func (s others) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if otherSchemas[req.TypeName] == nil {
		return s.ProviderServer.ValidateResourceConfig(ctx, req)
	}
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s others) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	schema := otherSchemas[req.TypeName]
	if schema == nil {
		return s.ProviderServer.UpgradeResourceState(ctx, req)
	}
	v, err := req.RawState.Unmarshal(schema.ValueType())
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: otherValue(req.TypeName, attrs(v))}, nil
}

// ReadResource finds a file that is missing or has another content gone, as local_file does.
func (s others) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if otherSchemas[req.TypeName] == nil {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	a := otherAttrs(req.TypeName, req.CurrentState)
	if req.TypeName == fileType && s.machine.sum(s.name(a)) != a["content_sha256"] {
		a = nil
	}
	return &tfprotov6.ReadResourceResponse{NewState: otherValue(req.TypeName, a)}, nil
}

func (s others) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if otherSchemas[req.TypeName] == nil {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	prior, planned := otherAttrs(req.TypeName, req.PriorState), otherAttrs(req.TypeName, req.ProposedNewState)
	resp := &tfprotov6.PlanResourceChangeResponse{}
	for argument, computed := range map[string]string{"input": "output", "content": "content_sha256"} {
		if v, has := planned[argument]; has && (prior == nil || prior[argument] != v) {
			planned[computed] = Unknown
		}
	}
	if planned != nil && prior == nil {
		planned["id"] = Unknown
	}
	if req.TypeName == fileType {
		resp.RequiresReplace = []*tftypes.AttributePath{
			tftypes.NewAttributePath().WithAttributeName("filename"), tftypes.NewAttributePath().WithAttributeName("content"),
		}
	}
	resp.PlannedState = otherValue(req.TypeName, planned)
	return resp, nil
}

func (s others) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if otherSchemas[req.TypeName] == nil {
		return s.ProviderServer.ApplyResourceChange(ctx, req)
	}
	prior, planned := otherAttrs(req.TypeName, req.PriorState), otherAttrs(req.TypeName, req.PlannedState)
	switch {
	case req.TypeName == fileType && planned == nil:
		s.machine.write(s.name(prior), 0)
	case req.TypeName == fileType:
		text := planned["content"].(string)
		s.machine.write(s.name(planned), int(text[versionAt]-'0'))
		planned["content_sha256"] = s.machine.sum(s.name(planned))
		planned["id"] = planned["content_sha256"]
	case planned != nil:
		planned["output"] = planned["input"]
		if planned["id"] == Unknown {
			planned["id"] = fmt.Sprintf("data-%p", req)
		}
	}
	return &tfprotov6.ApplyResourceChangeResponse{NewState: otherValue(req.TypeName, planned)}, nil
}

// name is that of a file on the machine.
func (s others) name(a Attrs) string {
	name, err := filepath.Rel(s.machine.files, a["filename"].(string))
	if err != nil {
		panic(err)
	}
	return filepath.ToSlash(name)
}
