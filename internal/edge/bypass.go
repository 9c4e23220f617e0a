package edge

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
)

// Bypass is a computed attribute of a resource that the service cannot show. The framework's time
// for a computed map grows with the square of the elements: a plan of 4,000 unchanged files took it
// five seconds. So this server takes the attribute out of the values that Terraform sends, leaves
// null in its place, and puts the result into the framework's response. The resource reads and sets
// it through Bypassed. A read of a resource that is settled does without the framework: Read of
// another one has a state without the attribute, and does not change it.
type Bypass struct {
	TypeName, Attribute string
	Settled             func(isNull func(attribute string) bool) bool
}

// Values are the values of the attribute in one call.
type Values struct {
	Prior, Planned tftypes.Value // as Terraform sent them
	Result         tftypes.Value // as the resource sets it; before that, null or, in an apply, Prior
}

type valuesKey struct{}

// Bypassed returns the values of the call of a context.
func Bypassed(ctx context.Context) *Values {
	v, _ := ctx.Value(valuesKey{}).(*Values)
	if v == nil {
		panic("the call did not go through package edge") // a bug
	}
	return v
}

// bypassing is the framework's server without the attribute.
type bypassing struct {
	tfprotov6.ProviderServer
	Bypass
	object func() tftypes.Object // the type of the resource
}

func newBypassing(framework tfprotov6.ProviderServer, b Bypass, schema func() *tfprotov6.GetProviderSchemaResponse) bypassing {
	return bypassing{framework, b, sync.OnceValue(func() tftypes.Object {
		return schema().ResourceSchemas[b.TypeName].ValueType().(tftypes.Object) //nolint:forcetypeassert // of every resource
	})}
}

func (b bypassing) null() tftypes.Value {
	return tftypes.NewValue(b.object().AttributeTypes[b.Attribute], nil)
}

// withValues calls the framework, and forgets the values afterwards: the framework keeps the
// contexts of all calls.
func withValues[Q, R any](ctx context.Context, call func(context.Context, Q) (R, error), req Q, v *Values) (R, tftypes.Value, error) {
	resp, err := call(context.WithValue(ctx, valuesKey{}, v), req)
	result := v.Result
	*v = Values{}
	return resp, result, err
}

// PlanResourceChange ends in ModifyPlan of the resource.
func (b bypassing) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if req.TypeName != b.TypeName {
		return b.ProviderServer.PlanResourceChange(ctx, req)
	}
	v := Values{Result: b.null()}
	var proposed tftypes.Value
	stripped := *req
	if err := errors.Join(b.takeOut(&stripped.PriorState, &v.Prior), b.takeOut(&stripped.ProposedNewState, &proposed)); err != nil {
		return nil, err
	}
	resp, result, err := withValues(ctx, b.ProviderServer.PlanResourceChange, &stripped, &v)
	if err != nil {
		return nil, err
	}
	if resp.Deferred != nil { // without calling the resource
		if result = proposed; result.IsNull() {
			result = tftypes.NewValue(b.null().Type(), tftypes.UnknownValue)
		}
	}
	return resp, b.putBack(&resp.PlannedState, result)
}

// ApplyResourceChange ends in Create, Update or Delete of the resource.
func (b bypassing) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if req.TypeName != b.TypeName {
		return b.ProviderServer.ApplyResourceChange(ctx, req)
	}
	var v Values
	stripped := *req
	if err := errors.Join(b.takeOut(&stripped.PriorState, &v.Prior), b.takeOut(&stripped.PlannedState, &v.Planned)); err != nil {
		return nil, err
	}
	v.Result = v.Prior // of an update that fails early, and of a delete that fails
	resp, result, err := withValues(ctx, b.ProviderServer.ApplyResourceChange, &stripped, &v)
	if err != nil {
		return nil, err
	}
	return resp, b.putBack(&resp.NewState, result)
}

// ReadResource keeps the state. It ends in Read of a resource that is not settled.
func (b bypassing) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName != b.TypeName {
		return b.ProviderServer.ReadResource(ctx, req)
	}
	isNull := func(attribute string) bool { // without decoding another one: the files of a folder may be many
		found, err := msgpack.NewDecoder(bytes.NewReader(req.CurrentState.MsgPack)).Query(attribute)
		return err == nil && len(found) == 1 && found[0] == nil
	}
	if b.Settled(isNull) {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: req.CurrentIdentity}, nil
	}
	var state tftypes.Value
	stripped := *req
	if err := b.takeOut(&stripped.CurrentState, &state); err != nil {
		return nil, err
	}
	resp, err := b.ProviderServer.ReadResource(ctx, &stripped)
	if err != nil {
		return nil, err
	}
	resp.NewState = req.CurrentState
	return resp, nil
}

// takeOut moves the attribute out of a value of the resource, null if there is no such value.
func (b bypassing) takeOut(v **tfprotov6.DynamicValue, attribute *tftypes.Value) error {
	*attribute = b.null()
	return b.edit(v, func(object map[string]tftypes.Value) {
		*attribute, object[b.Attribute] = object[b.Attribute], *attribute
	})
}

// putBack is the inverse of takeOut.
func (b bypassing) putBack(v **tfprotov6.DynamicValue, attribute tftypes.Value) error {
	return b.edit(v, func(object map[string]tftypes.Value) { object[b.Attribute] = attribute })
}

// edit changes the attributes of a value of the resource, unless it is null.
func (b bypassing) edit(v **tfprotov6.DynamicValue, change func(object map[string]tftypes.Value)) error {
	if *v == nil {
		return nil
	}
	value, err := (*v).Unmarshal(b.object())
	if err != nil || value.IsNull() {
		return err
	}
	var object map[string]tftypes.Value
	if err := value.As(&object); err != nil {
		return err
	}
	object = maps.Clone(object)
	change(object)
	changed, err := tfprotov6.NewDynamicValue(b.object(), tftypes.NewValue(b.object(), object))
	*v = &changed
	return err
}
