// Package edge stands between Terraform and the framework, in every call. It masks and cuts the
// texts that leave the provider, after it has learned the stream keys of the request, and waits for
// actions when Terraform stops the provider.
package edge

import (
	"context"
	"iter"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// textLimit is the length, in bytes, of the longest text that the provider shows.
	textLimit = 16 << 10
	// stopLimit is how long a stop waits for actions: an interrupted upload may verify parts for
	// four seconds.
	stopLimit = 6 * time.Second
)

// framework is what the framework's server can do. The interface of tfprotov6 lacks its newest
// parts.
type framework interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

type server struct {
	framework
	mask    *redact.Redactor
	logged  bool
	actions sync.WaitGroup // those that run
}

// New returns a provider as a protocol server. Unless logged is set, the SDK gets no loggers: it
// creates several for each call and attribute, even if every level is off.
func New(p provider.Provider, mask *redact.Redactor, logged bool) tfprotov6.ProviderServer {
	inner := providerserver.NewProtocol6(p)().(framework) //nolint:forcetypeassert // the framework has them
	return &server{framework: inner, mask: mask, logged: logged}
}

// silent is a context without loggers.
type silent struct{ context.Context }

func (silent) Value(any) any { return nil }

// streamURL finds URLs in MessagePack, in which no byte beside a string is a printable character.
var streamURL = regexp.MustCompile(`rtmps?://[[:graph:]]+`)

// learn makes the masker know the stream keys in the values of a request, before the service is
// called for it: a refusal may repeat a key.
func (s *server) learn(ctx context.Context, req any) context.Context {
	fields := reflect.Indirect(reflect.ValueOf(req))
	for _, field := range fields.Fields() {
		if value, ok := reflect.TypeAssert[*tfprotov6.DynamicValue](field); ok && value != nil {
			for _, address := range streamURL.FindAll(value.MsgPack, -1) {
				s.mask.AddURLs(string(address))
			}
		}
	}
	if s.logged {
		return s.mask.Log(ctx)
	}
	return silent{ctx}
}

// serve runs one call of the framework. No other place in the provider is between Terraform and all
// diagnostics, and some of these quote the state.
func serve[Q, R any](ctx context.Context, s *server, call func(context.Context, Q) (R, error), req Q) (R, error) {
	resp, err := call(s.learn(ctx, req), req)
	if fields := reflect.Indirect(reflect.ValueOf(resp)); fields.IsValid() {
		if diagnostics, ok := reflect.TypeAssert[[]*tfprotov6.Diagnostic](fields.FieldByName("Diagnostics")); ok {
			s.finish(diagnostics)
		}
	}
	return resp, err
}

// finish masks and shortens diagnostics.
func (s *server) finish(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		d.Summary, d.Detail, d.Attribute = s.text(d.Summary), s.text(d.Detail), located(d.Attribute)
	}
}

// text masks a text before it is cut: half of a secret would not be recognised.
func (s *server) text(text string) string {
	text = s.mask.Lines(text)
	if len(text) > textLimit {
		text = strings.ToValidUTF8(text[:textLimit], "") + "…"
	}
	return text
}

// located is the part of a path for which Terraform shows the line in the configuration: not one
// below an object. The texts have the whole path.
func located(path *tftypes.AttributePath) *tftypes.AttributePath {
	for i, step := range path.Steps() {
		if _, below := step.(tftypes.AttributeName); below && i > 0 {
			return tftypes.NewAttributePathWithSteps(path.Steps()[:i])
		}
	}
	return path
}

// StopProvider cancels all calls, and returns when the actions have sent their errors:
// terraform-plugin-go sends no event once this has returned, and Terraform takes an action without
// an error for a success.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.framework.StopProvider(ctx, req)
	ended := make(chan struct{})
	go func() {
		s.actions.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(stopLimit):
	}
	return resp, err
}

func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	s.actions.Add(1) // before the framework can cancel it
	stream, err := s.framework.InvokeAction(s.learn(ctx, req), req)
	if stream == nil || stream.Events == nil {
		s.actions.Done()
		return stream, err
	}
	events := stream.Events
	stream.Events = func(yield func(tfprotov6.InvokeActionEvent) bool) {
		defer s.actions.Done()
		each(events, s.finishEvent)(yield)
	}
	return stream, err
}

func (s *server) finishEvent(e tfprotov6.InvokeActionEvent) tfprotov6.InvokeActionEvent {
	switch t := e.Type.(type) {
	case tfprotov6.ProgressInvokeActionEventType:
		e.Type = tfprotov6.ProgressInvokeActionEventType{Message: s.text(t.Message)}
	case tfprotov6.CompletedInvokeActionEventType:
		s.finish(t.Diagnostics)
	}
	return e
}

func (s *server) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	stream, err := s.framework.ListResource(s.learn(ctx, req), req)
	if stream != nil && stream.Results != nil {
		stream.Results = each(stream.Results, func(r tfprotov6.ListResourceResult) tfprotov6.ListResourceResult {
			s.finish(r.Diagnostics)
			r.DisplayName = s.text(r.DisplayName)
			return r
		})
	}
	return stream, err
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

// The other calls whose diagnostics may have what the service, a state or a file says. Validation of
// the other types of blocks has only texts of the provider's own.

func (s *server) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return serve(ctx, s, s.framework.ConfigureProvider, req)
}

func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return serve(ctx, s, s.framework.ValidateResourceConfig, req)
}

func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return serve(ctx, s, s.framework.ReadResource, req)
}

func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return serve(ctx, s, s.framework.PlanResourceChange, req)
}

func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return serve(ctx, s, s.framework.ApplyResourceChange, req)
}

func (s *server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return serve(ctx, s, s.framework.ImportResourceState, req)
}

func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return serve(ctx, s, s.framework.ReadDataSource, req)
}

func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return serve(ctx, s, s.framework.OpenEphemeralResource, req)
}

func (s *server) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return serve(ctx, s, s.framework.PlanAction, req)
}
