package provider_test

import (
	"bytes"
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// perResource are the calls that a CLI makes for each resource or data source, by name.
func perResource(p *acctest.Provider) map[string]func(context.Context) error {
	schema := p.Schema.ResourceSchemas["vodlive_batch_job"]
	config := p.Config(schema, attrs{"paths": []string{"vod/input/customer/id/a.mp4"}, "service_modes": []string{"MODE"}})
	null := p.Dynamic(acctest.Value(schema.ValueType(), nil))
	const typ = "vodlive_batch_job"
	state := &tfprotov6.RawState{JSON: []byte(`{"id":"x","paths":["p"],"service_modes":["m"]}`)}
	return map[string]func(context.Context) error{
		"ValidateResourceConfig": func(ctx context.Context) error {
			_, err := p.Server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: typ, Config: config})
			return err
		},
		"UpgradeResourceState": func(ctx context.Context) error {
			_, err := p.Server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: typ, RawState: state})
			return err
		},
		"ReadResource": func(ctx context.Context) error {
			_, err := p.Server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ, CurrentState: config})
			return err
		},
		"PlanResourceChange": func(ctx context.Context) error {
			_, err := p.Server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
				TypeName: typ, PriorState: null, Config: config, ProposedNewState: config,
			})
			return err
		},
		"ApplyResourceChange": func(ctx context.Context) error {
			_, err := p.Server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
				TypeName: typ, PriorState: config, Config: null, PlannedState: null,
			})
			return err
		},
		"ValidateDataResourceConfig": func(ctx context.Context) error {
			_, err := p.Server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{
				TypeName: "vodlive_regions", Config: p.Config(p.Schema.DataSourceSchemas["vodlive_regions"], nil),
			})
			return err
		},
		"ReadDataSource": func(ctx context.Context) error {
			_, err := p.Server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
				TypeName: "vodlive_regions", Config: p.Config(p.Schema.DataSourceSchemas["vodlive_regions"], nil),
			})
			return err
		},
	}
}

// TestCallsLeaveNothingBehind: what a call's context holds goes with the call, not with the
// process.
func TestCallsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	p := acctest.NewWorld(t, simulator.Options{}).Provider(nil)
	for name, call := range perResource(p) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			type key struct{}
			gone := make(chan struct{})
			ctx, cancel := context.WithCancel(context.WithValue(p.Context(), key{}, collected(gone)))
			if err := call(ctx); err != nil {
				t.Fatal(err)
			}
			cancel() // as the transport does when a call has been answered
			for range 1000 {
				runtime.GC()
				select {
				case <-gone:
					runtime.KeepAlive(p.Server)
					return
				default:
				}
			}
			t.Error("the context of a call that has ended is still held")
			runtime.KeepAlive(p.Server)
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
	for name, end := range map[string]func(t *testing.T, p *acctest.Provider, cancel func()){
		"by the caller": func(_ *testing.T, _ *acctest.Provider, cancel func()) { cancel() },
		"by a stop": func(t *testing.T, p *acctest.Provider, _ func()) {
			if _, err := p.Server.StopProvider(p.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			p, cancel := w.Provider(nil).WithCancel()
			defer cancel()
			arrived := make(chan struct{})
			var once sync.Once
			w.Fail(simulator.Fault{Call: simulator.CallRegions, Delay: time.Hour, Match: func(*http.Request) bool {
				once.Do(func() { close(arrived) })
				return true
			}})
			go func() {
				<-arrived
				end(t, p, cancel)
			}()
			if !read(p, "vodlive_regions", nil).Failed() { // returns at once, not after an hour
				t.Error("a read that was cancelled has succeeded")
			}
		})
	}
}

// TestCallThatIsCancelledBefore asks the service for nothing.
func TestCallThatIsCancelledBefore(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p, cancel := w.Provider(nil).WithCancel()
	cancel()
	for range 100 { // what ends such a call may come too late in some of them only
		if !read(p, "vodlive_regions", nil).Failed() || w.Count(simulator.CallRegions) > 0 {
			t.Fatalf("%d requests of a call that was cancelled before", w.Count(simulator.CallRegions))
		}
	}
}

// TestStopWaitsForActions: terraform-plugin-go sends nothing of an action once Stop has returned.
func TestStopWaitsForActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(nil)
		hold := w.Hold(simulator.CallBatch, nil)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			if err := hold.Arrived(t.Context(), 1); err != nil {
				t.Error(err)
			}
			_, _ = p.Server.StopProvider(p.Context(), &tfprotov6.StopProviderRequest{})
		}()
		const action = "vodlive_submit_batch_job"
		stream := respond(t, p.Server.(tfprotov6.ActionServer).InvokeAction, &tfprotov6.InvokeActionRequest{
			ActionType: action,
			Config:     p.Config(p.Schema.ActionSchemas[action].Schema, attrs{"paths": []string{"vod/input/c/u/a.mp4"}, "service_modes": []string{"m"}}),
		})
		for event := range stream.Events {
			completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType)
			if ok && !acctest.Diagnostics(completed.Diagnostics).Failed() {
				t.Error("an action that was stopped has succeeded")
			}
			if !ok {
				continue
			}
			synctest.Wait()
			select {
			case <-stopped:
				t.Error("Stop returned before the action had sent its error")
			default:
			}
		}
		<-stopped
	})
}

// TestUnlogged: a provider whose log nobody sees does not write one.
func TestUnlogged(t *testing.T) {
	t.Parallel()
	for _, want := range []bool{true, false} {
		p := acctest.NewProvider(t, nil)
		lookup := func(string) (string, bool) { return "", false }
		p.Server = provider.NewServer("test", provider.Machine{Env: lookup}, want)
		var log bytes.Buffer
		if err := perResource(p)["ValidateResourceConfig"](tfsdklogtest.RootLogger(p.Context(), &log)); err != nil {
			t.Fatal(err)
		}
		if got := log.Len() > 0; got != want {
			t.Errorf("logged %v, want %v", got, want)
		}
	}
}
