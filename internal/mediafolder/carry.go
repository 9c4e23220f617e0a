package mediafolder

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The framework's time for a computed map grows with the square of the elements: a plan of 4,000
// unchanged files took it five seconds. So the functions of this file take `files` out of what Terraform
// sends, leave null in its place, and put the result into the framework's answer. The resource gets and
// sets it by way of the context of the call.

// carried is `files` of one call.
type carried struct {
	prior, planned filesValue // as Terraform sent them
	result         filesValue // as the resource set it
}

// filesValue is one value of `files`, by relative path. The zero value is null.
type filesValue struct {
	unknown bool
	entries map[string]entry
}

type carriedKey struct{}

// files returns what the call carries.
func files(ctx context.Context) *carried {
	c, _ := ctx.Value(carriedKey{}).(*carried)
	if c == nil { // a bug: the call did not go through this file
		panic("mediafolder: `files` is not carried")
	}
	return c
}

// carrying calls the framework with `files`, and forgets them afterwards: the framework keeps the
// contexts of all calls.
func carrying[Q, R any](ctx context.Context, call func(context.Context, Q) (R, error), req Q, c *carried) (R, filesValue, error) {
	resp, err := call(context.WithValue(ctx, carriedKey{}, c), req)
	result := c.result
	*c = carried{}
	return resp, result, err
}

// Plan makes a plan through the framework's method.
func Plan(ctx context.Context, call func(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error),
	req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	if req.TypeName != typeName {
		return call(ctx, req)
	}
	var c carried
	var proposed filesValue
	stripped := *req
	if err := errors.Join(takeOut(&stripped.PriorState, &c.prior), takeOut(&stripped.ProposedNewState, &proposed)); err != nil {
		return nil, err
	}
	resp, result, err := carrying(ctx, call, &stripped, &c)
	if err != nil {
		return nil, err
	}
	if resp.Deferred != nil { // without calling the resource
		result = filesValue{unknown: proposed.entries == nil, entries: proposed.entries}
	}
	return resp, putBack(&resp.PlannedState, result)
}

// Apply applies through the framework's method.
func Apply(ctx context.Context, call func(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error),
	req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if req.TypeName != typeName {
		return call(ctx, req)
	}
	var c carried
	stripped := *req
	if err := errors.Join(takeOut(&stripped.PriorState, &c.prior), takeOut(&stripped.PlannedState, &c.planned)); err != nil {
		return nil, err
	}
	c.result = c.prior // of an update that fails early, and of a delete that fails
	resp, result, err := carrying(ctx, call, &stripped, &c)
	if err != nil {
		return nil, err
	}
	return resp, putBack(&resp.NewState, result)
}

// Read answers without the framework: the service has no call that shows a stored file.
func Read(ctx context.Context, call func(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error),
	req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName != typeName {
		return call(ctx, req)
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: req.CurrentIdentity}, nil
}

// Upgrade reads a state file without the framework, unless its version is another one.
func Upgrade(ctx context.Context, call func(context.Context, *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error),
	req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if req.TypeName != typeName || req.Version != 0 || req.RawState == nil {
		return call(ctx, req)
	}
	v, err := req.RawState.UnmarshalWithOpts(resourceType(), tfprotov6.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}})
	if err != nil {
		return call(ctx, req) // it reports the error
	}
	state, err := tfprotov6.NewDynamicValue(resourceType(), v)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &state}, err
}

var resourceType = sync.OnceValue(func() tftypes.Type {
	var resp resource.SchemaResponse
	(&mediaFolder{}).Schema(context.Background(), resource.SchemaRequest{}, &resp)
	return resp.Schema.Type().TerraformType(context.Background())
})

var (
	elementType = entryType.TerraformType(context.Background())
	filesType   = tftypes.Map{ElementType: elementType}
)

// takeOut moves `files` out of a value of the resource.
func takeOut(v **tfprotov6.DynamicValue, files *filesValue) error {
	return edit(v, func(object map[string]tftypes.Value) (err error) {
		*files, err = fromTerraform(object["files"])
		object["files"] = tftypes.NewValue(filesType, nil)
		return err
	})
}

// putBack is the inverse of takeOut.
func putBack(v **tfprotov6.DynamicValue, files filesValue) error {
	return edit(v, func(object map[string]tftypes.Value) error {
		object["files"] = files.toTerraform()
		return nil
	})
}

// edit changes the attributes of a value of the resource, unless it is null.
func edit(v **tfprotov6.DynamicValue, change func(object map[string]tftypes.Value) error) error {
	if *v == nil {
		return nil
	}
	value, err := (*v).Unmarshal(resourceType())
	if err != nil || value.IsNull() {
		return err
	}
	var object map[string]tftypes.Value
	if err := value.As(&object); err != nil {
		return err
	}
	object = maps.Clone(object)
	if err := change(object); err != nil {
		return err
	}
	changed, err := tfprotov6.NewDynamicValue(resourceType(), tftypes.NewValue(resourceType(), object))
	*v = &changed
	return err
}

func fromTerraform(v tftypes.Value) (filesValue, error) {
	if !v.IsKnown() || v.IsNull() {
		return filesValue{unknown: !v.IsKnown()}, nil
	}
	var elements map[string]tftypes.Value
	if err := v.As(&elements); err != nil {
		return filesValue{}, err
	}
	f := filesValue{entries: make(map[string]entry, len(elements))}
	ctx := context.Background()
	for name, element := range elements {
		var a map[string]tftypes.Value
		if err := element.As(&a); err != nil {
			return filesValue{}, err
		}
		var e entry
		for attribute, field := range e.texts() {
			read, err := types.StringType.ValueFromTerraform(ctx, a[attribute])
			if err != nil {
				return filesValue{}, err
			}
			*field = text(read)
		}
		read, err := types.Int64Type.ValueFromTerraform(ctx, a["size"])
		if err != nil {
			return filesValue{}, err
		}
		e.Size = number(read)
		f.entries[name] = e
	}
	return f, nil
}

func (f filesValue) toTerraform() tftypes.Value {
	switch {
	case f.unknown:
		return tftypes.NewValue(filesType, tftypes.UnknownValue)
	case f.entries == nil:
		return tftypes.NewValue(filesType, nil)
	}
	ctx := context.Background()
	elements := make(map[string]tftypes.Value, len(f.entries))
	for name, e := range f.entries {
		a := make(map[string]tftypes.Value, 6)
		for attribute, field := range e.texts() {
			a[attribute], _ = field.ToTerraformValue(ctx) // cannot fail, nor can the next
		}
		a["size"], _ = e.Size.ToTerraformValue(ctx)
		elements[name] = tftypes.NewValue(elementType, a)
	}
	return tftypes.NewValue(filesType, elements)
}

// texts are the attributes that are strings.
func (e *entry) texts() map[string]*types.String {
	return map[string]*types.String{
		"key_path": &e.KeyPath, "sha256": &e.SHA256, "etag": &e.ETag, "content_type": &e.ContentType, "uploaded_at": &e.UploadedAt,
	}
}
