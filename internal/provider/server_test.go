package provider_test

import (
	"bytes"
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// perResource are the calls that a CLI makes for each resource or data source, by name.
func perResource(w *world) map[string]func(context.Context) error {
	schema := w.schema.ResourceSchemas["vodlive_batch_job"]
	config := w.dynamic(schema, attrs{"paths": []string{"vod/input/customer/id/a.mp4"}, "service_modes": []string{"MODE"}})
	null := w.dynamic(schema, nil)
	const typ = "vodlive_batch_job"
	state := &tfprotov6.RawState{JSON: []byte(`{"id":"x","paths":["p"],"service_modes":["m"]}`)}
	return map[string]func(context.Context) error{
		"ValidateResourceConfig": func(ctx context.Context) error {
			_, err := w.provider.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: typ, Config: config})
			return err
		},
		"UpgradeResourceState": func(ctx context.Context) error {
			_, err := w.provider.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: typ, RawState: state})
			return err
		},
		"ReadResource": func(ctx context.Context) error {
			_, err := w.provider.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ, CurrentState: config})
			return err
		},
		"PlanResourceChange": func(ctx context.Context) error {
			_, err := w.provider.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
				TypeName: typ, PriorState: null, Config: config, ProposedNewState: config,
			})
			return err
		},
		"ApplyResourceChange": func(ctx context.Context) error {
			_, err := w.provider.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
				TypeName: typ, PriorState: config, Config: null, PlannedState: null,
			})
			return err
		},
		"ValidateDataResourceConfig": func(ctx context.Context) error {
			_, err := w.provider.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{
				TypeName: "vodlive_regions", Config: w.dynamic(w.schema.DataSourceSchemas["vodlive_regions"], attrs{}),
			})
			return err
		},
		"ReadDataSource": func(ctx context.Context) error {
			_, err := w.provider.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
				TypeName: "vodlive_regions", Config: w.dynamic(w.schema.DataSourceSchemas["vodlive_regions"], attrs{}),
			})
			return err
		},
	}
}

// TestCallsLeaveNothingBehind: what a call's context holds goes with the call, not with the process.
func TestCallsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{}, nil, nil)
	for name, call := range perResource(w) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			type key struct{}
			gone := make(chan struct{})
			ctx, cancel := context.WithCancel(context.WithValue(w.ctx, key{}, collected(gone)))
			if err := call(ctx); err != nil {
				t.Fatal(err)
			}
			cancel() // as the transport does when a call has been answered
			for range 1000 {
				runtime.GC()
				select {
				case <-gone:
					runtime.KeepAlive(w.provider)
					return
				default:
				}
			}
			t.Error("the context of a call that has ended is still held")
			runtime.KeepAlive(w.provider)
		})
	}
}

// collected is a value with the collection of which gone is closed.
func collected(gone chan struct{}) any {
	v := new([1 << 10]byte)
	runtime.AddCleanup(v, func(gone chan struct{}) { close(gone) }, gone)
	return v
}

// TestCallsAreCancelled: by whoever called, and by the CLI's stop, which is for all calls at once.
func TestCallsAreCancelled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, cancel func()){
		"by the caller": func(_ *world, cancel func()) { cancel() },
		"by a stop": func(w *world, _ func()) {
			if _, err := w.provider.StopProvider(w.ctx, &tfprotov6.StopProviderRequest{}); err != nil {
				w.tb.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{}, nil, nil)
			arrived := make(chan struct{})
			var once sync.Once
			w.service.Fail(simulator.Fault{Call: simulator.CallRegions, Delay: time.Hour, Match: func(*http.Request) bool {
				once.Do(func() { close(arrived) })
				return true
			}})
			ctx, cancel := context.WithCancel(w.ctx)
			defer cancel()
			w.ctx = ctx
			go func() {
				<-arrived
				end(w, cancel)
			}()
			if !isError(w.read("vodlive_regions", attrs{})) { // returns at once, not after an hour
				t.Error("a read that was cancelled has succeeded")
			}
		})
	}
}

// TestUnlogged: a provider whose log nobody sees does not write one.
func TestUnlogged(t *testing.T) {
	t.Parallel()
	for logs, want := range map[provider.Logs]bool{provider.Logged: true, provider.Unlogged: false} {
		w := newWorld(t, simulator.Options{}, nil, nil)
		lookup := func(string) (string, bool) { return "", false }
		w.provider = provider.NewServer(provider.NewWithEnvironment("test", lookup)(), logs)
		var log bytes.Buffer
		if err := perResource(w)["ValidateResourceConfig"](tfsdklogtest.RootLogger(w.ctx, &log)); err != nil {
			t.Fatal(err)
		}
		if got := log.Len() > 0; got != want {
			t.Errorf("%v: logged %v, want %v", logs, got, want)
		}
	}
}
