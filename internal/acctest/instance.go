package acctest

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Instance is what Terraform keeps of one instance of a resource between its runs. It belongs to no
// provider: one may create it and another read it.
type Instance struct {
	Type     string
	State    tftypes.Value // null: there is none
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
	Tainted  bool
	// Deposed are the older objects that a create_before_destroy could not remove.
	Deposed []Instance
}

// New is an instance that does not exist yet.
func (p *Provider) New(typ string) Instance {
	p.tb.Helper()
	schema := p.Schema.ResourceSchemas[typ]
	if schema == nil {
		p.tb.Fatalf("the provider has no resource %s", typ)
	}
	return Instance{Type: typ, State: tftypes.NewValue(schema.ValueType(), nil)}
}

// Exists tells whether there is a state.
func (o Instance) Exists() bool { return !o.State.IsNull() }

// Attrs is the state; nil if there is none.
func (o Instance) Attrs() Attrs { return attrs(o.State) }

// Text is a string attribute of the state; "" if it is null.
func (o Instance) Text(name string) string {
	text, _ := o.Attrs()[name].(string)
	return text
}

// Import imports by id and reads, as an import block and `terraform import` do.
func (p *Provider) Import(typ, id string) (Instance, Diagnostics) {
	p.tb.Helper()
	return p.importBy(&tfprotov6.ImportResourceStateRequest{TypeName: typ, ID: id})
}

// ImportIdentity is Import by identity.
func (p *Provider) ImportIdentity(typ string, identity Attrs) (Instance, Diagnostics) {
	p.tb.Helper()
	given := p.Dynamic(Value(p.identityType(typ), identity))
	return p.importBy(&tfprotov6.ImportResourceStateRequest{TypeName: typ, Identity: &tfprotov6.ResourceIdentityData{IdentityData: given}})
}

func (p *Provider) importBy(req *tfprotov6.ImportResourceStateRequest) (Instance, Diagnostics) {
	p.tb.Helper()
	resp := must(p, p.Server.ImportResourceState, req)
	if diags := Diagnostics(resp.Diagnostics); diags.Failed() {
		return p.New(req.TypeName), diags
	}
	r := resp.ImportedResources[0]
	o := Instance{Type: r.TypeName, State: p.value(p.Schema.ResourceSchemas[r.TypeName], r.State), Private: r.Private, Identity: r.Identity}
	o, diags := p.Read(o)
	return o, slices.Concat(resp.Diagnostics, diags)
}

// IdentityOf is the identity of an instance, nil if it has none.
func (p *Provider) IdentityOf(o Instance) Attrs {
	p.tb.Helper()
	if o.Identity == nil {
		return nil
	}
	v, err := o.Identity.IdentityData.Unmarshal(p.identityType(o.Type))
	if err != nil {
		p.tb.Fatal(err)
	}
	return attrs(v)
}

func (p *Provider) identityType(typ string) tftypes.Type {
	p.tb.Helper()
	return must(p, p.Server.GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{}).IdentitySchemas[typ].ValueType()
}

// Read refreshes an instance. As in Terraform, one that cannot be read stays as it is.
func (p *Provider) Read(o Instance) (Instance, Diagnostics) {
	p.tb.Helper()
	resp := must(p, p.Server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: o.Type, CurrentState: p.Dynamic(o.State), Private: o.Private, CurrentIdentity: o.Identity,
	})
	diags, state := Diagnostics(resp.Diagnostics), p.value(p.Schema.ResourceSchemas[o.Type], resp.NewState)
	if !state.IsFullyKnown() || diags.Failed() && state.IsNull() {
		p.tb.Errorf("%s: a read left %v with %s", o.Type, state, diags)
	}
	if !diags.Failed() {
		o.State, o.Private, o.Identity = state, resp.Private, resp.NewIdentity
	}
	return o, diags
}

// Validate validates the configuration of a resource.
func (p *Provider) Validate(typ string, config Attrs) Diagnostics {
	p.tb.Helper()
	return must(p, p.Server.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: typ, Config: p.Config(p.Schema.ResourceSchemas[typ], config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	}).Diagnostics
}
