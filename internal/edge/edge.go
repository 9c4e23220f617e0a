// Package edge stands between Terraform and the framework, in every call. It masks and shortens
// the texts of responses and says where the documentation explains an error (text.go, guide.go),
// after it has learned the stream keys of the request (streams.go). It refuses numbers
// that the provider cannot hold (numbers.go). It passes an attribute by the framework (bypass.go).
// It tells the ledger what a state shows (ledger.go).
package edge

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Config is what a Server is made of.
type Config struct {
	Provider provider.Provider
	// Schema returns what Terraform gets for GetProviderSchema.
	Schema   func() *tfprotov6.GetProviderSchemaResponse
	Bypass   Bypass
	Redactor *redact.Redactor
	Ledger   func() *resume.Ledger // the result may be nil
	Version  string                // of the provider
	Logged   bool                  // the SDK gets loggers
}

// Server is a provider process.
type Server interface {
	tfprotov6.ProviderServer

	// End ends the process.
	End()
}

type server struct {
	framework
	config  Config
	guides  string   // address of the pages of this version
	actions sync.Map // a channel for each that runs, closed when its last event is sent

	told sync.Once // of what earlier runs have made and no state shows
}

// framework is the framework's server, which one attribute bypasses.
type framework struct {
	tfprotov6.ProviderServer
	listsAndActions
}

type listsAndActions interface {
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// New returns a provider as a protocol server. Unless config.Logged is set, the SDK gets no
// loggers: it creates several for each call and attribute, even if every level is off.
//
// The framework keeps the context of each call until Stop, and with it the call's loggers: 13 to 18
// KB a call, several calls a resource. So it gets a callContext. Streams get the context of their
// call: there are few of them, and a stream outlives the call that starts it.
func New(config Config) Server {
	inner := providerserver.NewProtocol6(config.Provider)()
	both := framework{newBypassing(inner, config.Bypass, config.Schema), inner.(listsAndActions)} //nolint:forcetypeassert // the framework has them
	return &server{framework: both, config: config, guides: guides(config.Version)}
}

// GetProviderSchema does not make the schema again.
func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.config.Schema(), nil
}

// callContext forwards cancellation, and values if there are loggers, only while the call runs.
type callContext struct {
	context.Context // not derived from the call's: a derived context would keep that alive
	call            atomic.Pointer[context.Context]
}

func (c *callContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	if call := c.call.Load(); call != nil {
		return (*call).Value(key)
	}
	return nil
}

// serve runs one call of the framework with a callContext, masks and shortens the texts of its
// response and adds to errors where the guide explains them. No other place in the provider is
// between Terraform and all diagnostics, and some of those quote the state or a record.
func serve[Q, R any](ctx context.Context, s *server, call func(context.Context, Q) (R, error), req Q, of object) (R, error) {
	own, cancel := context.WithCancelCause(context.Background())
	defer cancel(context.Canceled)
	if ctx.Err() != nil {
		cancel(context.Cause(ctx)) // AfterFunc would do it in a goroutine, some time after the call has begun
	}
	unlink := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer unlink()
	c := &callContext{Context: own}
	if s.config.Logged {
		c.call.Store(&ctx)
		defer c.call.Store(nil)
	}
	s.learn(of)
	var resp R
	var err error
	if wrong := checkNumbers(of); len(wrong) > 0 {
		resp = refusal[R](wrong)
	} else {
		resp, err = call(c, req)
	}
	if v := reflect.Indirect(reflect.ValueOf(resp)); v.IsValid() {
		if field := v.FieldByName("Diagnostics"); field.IsValid() {
			s.finish(of, field.Interface().([]*tfprotov6.Diagnostic)) //nolint:forcetypeassert // of every response
		}
	}
	return resp, err
}

func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateResourceConfig, req, s.resource(req.TypeName, req.Config))
}

func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	resp, err := serve(ctx, s, s.framework.UpgradeResourceState, req, s.resource(req.TypeName, nil))
	if resp != nil { // Terraform shows it even where a plan does not refresh, and for a tainted object, whose plan has no prior state
		s.saved(ctx, req.TypeName, resp.UpgradedState, true)
	}
	return resp, err
}

func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return serve(ctx, s, s.framework.UpgradeResourceIdentity, req, s.resource(req.TypeName, nil))
}

func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.saved(ctx, req.TypeName, req.CurrentState, false)
	return serve(ctx, s, s.framework.ReadResource, req, s.resource(req.TypeName, nil, req.CurrentState))
}

func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	s.saved(ctx, req.TypeName, req.PriorState, true)
	return serve(ctx, s, s.framework.PlanResourceChange, req, s.resource(req.TypeName, req.Config, req.PriorState, req.ProposedNewState))
}

func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	of := s.resource(req.TypeName, nil, req.PriorState, req.PlannedState, req.Config) // a refusal would lose the state
	if deleted, err := req.PlannedState.IsNull(); err == nil && deleted {             // Pulumi deletes what it has saved without a plan
		s.saved(ctx, req.TypeName, req.PriorState, true)
	}
	var left []*resume.Line
	s.told.Do(func() { left = s.config.Ledger().Unshown(ctx) })
	resp, err := serve(ctx, s, s.framework.ApplyResourceChange, req, of)
	if resp != nil {
		unshown := warnUnshown(slices.DeleteFunc(left, func(n *resume.Line) bool { return n.Taken() || n.Unmade() }))
		s.finish(of, unshown)
		resp.Diagnostics = append(unshown, resp.Diagnostics...)
	}
	return resp, err
}

func (s *server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	resp, err := serve(ctx, s, s.framework.ImportResourceState, req, s.resource(req.TypeName, nil))
	if resp != nil {
		for _, imported := range resp.ImportedResources {
			s.imported(ctx, imported)
		}
	}
	return resp, err
}

func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateDataResourceConfig, req, s.dataSource(req.TypeName, req.Config))
}

func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return serve(ctx, s, s.framework.ReadDataSource, req, s.dataSource(req.TypeName, req.Config))
}

func (s *server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	resp, err := serve(ctx, s, s.framework.CallFunction, req, object{})
	if resp != nil && resp.Error != nil {
		resp.Error.Text = s.text(resp.Error.Text, textLimit)
	}
	return resp, err
}

func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateEphemeralResourceConfig, req, s.ephemeral(req.TypeName, req.Config))
}

func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return serve(ctx, s, s.framework.OpenEphemeralResource, req, s.ephemeral(req.TypeName, req.Config))
}

func (s *server) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateActionConfig, req, s.action(req.ActionType, req.Config))
}

func (s *server) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return serve(ctx, s, s.framework.PlanAction, req, s.action(req.ActionType, req.Config))
}

func (s *server) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateProviderConfig, req, s.providerBlock(req.Config))
}

func (s *server) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return serve(ctx, s, s.framework.ConfigureProvider, req, s.providerBlock(req.Config))
}

func (s *server) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateListResourceConfig, req, s.list(req.TypeName, req.Config))
}

func (s *server) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	of := s.list(req.TypeName, req.Config)
	s.learn(of)
	stream, err := s.framework.ListResource(ctx, req)
	if stream != nil && stream.Results != nil {
		stream.Results = each(stream.Results, func(r tfprotov6.ListResourceResult) tfprotov6.ListResourceResult {
			s.finish(of, r.Diagnostics)
			r.DisplayName = s.text(r.DisplayName, summaryLimit)
			return r
		})
	}
	return stream, err
}

func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	of := s.action(req.ActionType, req.Config)
	s.learn(of)
	done := make(chan struct{})
	s.actions.Store(done, nil) // before the framework can cancel it
	end := func() {
		s.actions.Delete(done)
		close(done)
	}
	stream, err := s.framework.InvokeAction(ctx, req)
	if stream == nil || stream.Events == nil {
		end()
		return stream, err
	}
	events := each(stream.Events, func(e tfprotov6.InvokeActionEvent) tfprotov6.InvokeActionEvent {
		switch t := e.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			e.Type = tfprotov6.ProgressInvokeActionEventType{Message: s.text(t.Message, textLimit)}
		case tfprotov6.CompletedInvokeActionEventType:
			s.finish(of, t.Diagnostics)
		}
		return e
	})
	stream.Events = func(yield func(tfprotov6.InvokeActionEvent) bool) {
		defer end()
		events(yield)
	}
	return stream, err
}

// StopProvider cancels all calls, and returns when the actions have sent their errors:
// terraform-plugin-go sends no event once this has returned, and Terraform takes an action without
// an error for a success.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.framework.StopProvider(ctx, req)
	limit := time.After(6 * time.Second) // an interrupted upload may verify parts for four
	s.actions.Range(func(done, _ any) bool {
		select {
		case <-done.(chan struct{}): //nolint:forcetypeassert // see actions
			return true
		case <-limit:
			return false
		}
	})
	return resp, err
}

func each[T any](all iter.Seq[T], change func(T) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for one := range all {
			if !yield(change(one)) {
				return
			}
		}
	}
}
