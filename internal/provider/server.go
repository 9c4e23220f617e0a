package provider

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Logs tells whether what is logged can be seen by anybody.
type Logs bool

const (
	// Logged serves with the SDK's loggers, at the levels that the environment says.
	Logged Logs = true
	// Unlogged serves without: the SDK makes several for each call and for each attribute that it comes by, also while
	// every level is off.
	Unlogged Logs = false
)

// Serve is the provider as a plugin, until the CLI that has started it ends it or is gone. version is that of the
// build. With debug, it prints how a CLI attaches to it, and outlives every CLI.
func Serve(version string, logs Logs, debug bool) error {
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		go exitAfterParent()
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return NewServer(New(version)(), logs) }, options...)
}

// address is what the provider is called in a required_providers block, in full.
const address = "registry.terraform.io/vodlive/vodlive"

// NewServer is the provider as a protocol server: the framework's, whose calls leave nothing behind.
//
// The framework keeps the context of each call until the process ends, and with it all that the call's loggers hold:
// 13 to 18 KB a call, several calls a resource. So it is given a context that lets go of the call's when that ends.
// Streams and rare calls keep theirs: there are few, and a stream outlives the call that starts it.
func NewServer(p provider.Provider, logs Logs) tfprotov6.ProviderServer {
	inner, ok := providerserver.NewProtocol6(p)().(framework)
	if !ok { // then it has lost list resources or actions, which no call may find out first
		panic("the framework's server is no longer what the provider is written for")
	}
	return &server{framework: inner, logs: logs}
}

// framework is what the framework's server can do of what this provider offers.
type framework interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

type server struct {
	framework
	logs Logs
}

// loan is a call's context for as long as the call runs: cancelled with it, and with its values if somebody reads them.
type loan struct {
	context.Context // of its own, so that those derived from it are not held by the call's, nor hold it
	call            atomic.Pointer[context.Context]
}

func (l *loan) Value(key any) any {
	if v := l.Context.Value(key); v != nil {
		return v
	}
	if call := l.call.Load(); call != nil {
		return (*call).Value(key)
	}
	return nil
}

// lend runs one call of the framework.
func lend[Q, R any](ctx context.Context, logs Logs, call func(context.Context, Q) (R, error), req Q) (R, error) {
	own, cancel := context.WithCancelCause(context.Background())
	defer cancel(context.Canceled)
	unlink := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer unlink()
	if !logs {
		return call(own, req)
	}
	l := &loan{Context: own}
	l.call.Store(&ctx)
	defer l.call.Store(nil)
	return call(l, req)
}

func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return lend(ctx, s.logs, s.framework.ValidateResourceConfig, req)
}

func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return lend(ctx, s.logs, s.framework.UpgradeResourceState, req)
}

func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return lend(ctx, s.logs, s.framework.UpgradeResourceIdentity, req)
}

func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return lend(ctx, s.logs, s.framework.ReadResource, req)
}

func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return lend(ctx, s.logs, s.framework.PlanResourceChange, req)
}

func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return lend(ctx, s.logs, s.framework.ApplyResourceChange, req)
}

func (s *server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return lend(ctx, s.logs, s.framework.ImportResourceState, req)
}

func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return lend(ctx, s.logs, s.framework.ValidateDataResourceConfig, req)
}

func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return lend(ctx, s.logs, s.framework.ReadDataSource, req)
}

func (s *server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return lend(ctx, s.logs, s.framework.CallFunction, req)
}

func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return lend(ctx, s.logs, s.framework.ValidateEphemeralResourceConfig, req)
}

func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return lend(ctx, s.logs, s.framework.OpenEphemeralResource, req)
}

func (s *server) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return lend(ctx, s.logs, s.framework.ValidateActionConfig, req)
}

func (s *server) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return lend(ctx, s.logs, s.framework.PlanAction, req)
}
