package server

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Until Terraform has saved the response of an apply, only the ledger has what the apply has made.

// watch notes that a call runs, and whether it is cancelled. Call unwatch in its end.
func (s *server) watch(ctx context.Context) (unwatch func()) {
	s.running.Add(1)
	stop := context.AfterFunc(ctx, s.Disturb)
	return func() {
		stop()
		if ctx.Err() != nil { // AfterFunc disturbs in a goroutine
			s.Disturb()
		}
		s.running.Add(-1)
	}
}

func (s *server) Disturb() { s.disturbed.Store(true) }

func (s *server) End(asked bool) {
	s.config.Ledger().Close(asked && !s.disturbed.Load() && s.running.Load() == 0)
}

// saved removes from the ledger what a state has that Terraform has saved.
func (s *server) saved(ctx context.Context, typeName string, state *tfprotov6.DynamicValue) {
	ledger := s.config.Ledger()
	if state == nil || !ledger.Any(ctx) {
		return
	}
	schema := s.schema().ResourceSchemas[typeName]
	if schema == nil {
		return
	}
	value, err := state.Unmarshal(schema.ValueType())
	if err != nil { // the framework says so
		return
	}
	var ids []string
	_ = tftypes.Walk(value, func(path *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		switch steps := path.Steps(); {
		case len(steps) == 0:
			return true, nil
		case steps[0] == tftypes.AttributeName("id"), len(steps) == 3 && steps[0] == tftypes.AttributeName("files") && steps[2] == tftypes.AttributeName("key_path"):
			var id string
			if v.IsKnown() && !v.IsNull() && v.As(&id) == nil {
				ids = append(ids, id)
			}
		}
		return path.Steps()[0] == tftypes.AttributeName("files"), nil
	})
	ledger.Shown(ctx, ids...)
}
