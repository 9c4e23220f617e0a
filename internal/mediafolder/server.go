package mediafolder

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The framework's time for a computed map grows with the square of the elements: a plan of 4,000
// unchanged files took it five seconds. So this server stands between Terraform and the framework. It
// takes `files` out of the values that Terraform sends, leaves null in their place, and puts the result
// into the framework's response. The resource reads and sets `files` through filesOf.

// server is the framework's server for the provider, with `files` passed by.
type server struct{ tfprotov6.ProviderServer }

// NewServer returns the framework's server with a way of its own for the resource vodlive_media_folder.
func NewServer(framework tfprotov6.ProviderServer) tfprotov6.ProviderServer { return server{framework} }

// callFiles is `files` of one call.
type callFiles struct {
	prior, planned filesValue // as Terraform sent them
	result         filesValue // as the resource set it
}

// filesValue is one value of `files`, by relative path. The zero value is null.
type filesValue struct {
	unknown bool
	entries map[string]entry
}

type callFilesKey struct{}

// filesOf returns `files` of the call of a context.
func filesOf(ctx context.Context) *callFiles {
	c, _ := ctx.Value(callFilesKey{}).(*callFiles)
	if c == nil { // a bug: the call did not go through this server
		panic("mediafolder: the call has no `files`")
	}
	return c
}

// withFiles calls the framework with `files`, and forgets them afterwards: the framework keeps the
// contexts of all calls.
func withFiles[Q, R any](ctx context.Context, call func(context.Context, Q) (R, error), req Q, c *callFiles) (R, filesValue, error) {
	resp, err := call(context.WithValue(ctx, callFilesKey{}, c), req)
	result := c.result
	*c = callFiles{}
	return resp, result, err
}

// PlanResourceChange ends in ModifyPlan of the resource.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if req.TypeName != typeName {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	var c callFiles
	var proposed filesValue
	stripped := *req
	if err := errors.Join(takeOut(&stripped.PriorState, &c.prior), takeOut(&stripped.ProposedNewState, &proposed)); err != nil {
		return nil, err
	}
	resp, result, err := withFiles(ctx, s.ProviderServer.PlanResourceChange, &stripped, &c)
	if err != nil {
		return nil, err
	}
	if resp.Deferred != nil { // without calling the resource
		result = filesValue{unknown: proposed.entries == nil, entries: proposed.entries}
	}
	return resp, putBack(&resp.PlannedState, result)
}

// ApplyResourceChange ends in Create, Update or Delete of the resource.
func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if req.TypeName != typeName {
		return s.ProviderServer.ApplyResourceChange(ctx, req)
	}
	var c callFiles
	stripped := *req
	if err := errors.Join(takeOut(&stripped.PriorState, &c.prior), takeOut(&stripped.PlannedState, &c.planned)); err != nil {
		return nil, err
	}
	c.result = c.prior // of an update that fails early, and of a delete that fails
	resp, result, err := withFiles(ctx, s.ProviderServer.ApplyResourceChange, &stripped, &c)
	if err != nil {
		return nil, err
	}
	return resp, putBack(&resp.NewState, result)
}

// ReadResource responds without the framework: the service has no call that shows a stored file.
func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName != typeName {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: req.CurrentIdentity}, nil
}

// UpgradeResourceState reads a state file without the framework, unless its version is another one.
func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if req.TypeName != typeName || req.Version != 0 || req.RawState == nil {
		return s.ProviderServer.UpgradeResourceState(ctx, req)
	}
	v, err := req.RawState.UnmarshalWithOpts(resourceType(), tfprotov6.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}})
	if err != nil {
		return s.ProviderServer.UpgradeResourceState(ctx, req) // it reports the error
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
	for name, element := range elements {
		var a map[string]tftypes.Value
		if err := element.As(&a); err != nil {
			return filesValue{}, err
		}
		var e entry
		for attribute, text := range textsOf(&e) {
			if !a[attribute].IsKnown() { // of a file to upload
				continue
			}
			if err := a[attribute].As(text); err != nil {
				return filesValue{}, err
			}
		}
		var size big.Float
		if err := a["size"].As(&size); err != nil {
			return filesValue{}, err
		}
		e.Size, _ = size.Int64()
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
	elements := make(map[string]tftypes.Value, len(f.entries))
	for name, e := range f.entries {
		a := map[string]tftypes.Value{"size": tftypes.NewValue(tftypes.Number, e.Size)}
		for attribute, text := range textsOf(&e) {
			var value any // null
			switch {
			case *text != "":
				value = *text
			case e.unsent():
				value = tftypes.UnknownValue
			}
			a[attribute] = tftypes.NewValue(tftypes.String, value)
		}
		elements[name] = tftypes.NewValue(elementType, a)
	}
	return tftypes.NewValue(filesType, elements)
}

// textsOf are the attributes of an entry that are strings.
func textsOf(e *entry) map[string]*string {
	return map[string]*string{
		"key_path": &e.KeyPath, "sha256": &e.SHA256, "etag": &e.ETag, "content_type": &e.ContentType, "uploaded_at": &e.UploadedAt,
	}
}
