package acctest

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Action is what a plan does.
type Action string

// The actions.
const (
	NoOp    Action = "no-op"
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Delete  Action = "delete"
)

// Plan is the plan of one instance.
type Plan struct {
	Action Action
	Prior  Instance
	// Config may be changed before Apply: to what was not known while planning.
	Config  Attrs
	Planned tftypes.Value
	// Replaces are the attributes that force a replacement.
	Replaces []string
	// CreateBeforeDestroy is that of the lifecycle block.
	CreateBeforeDestroy bool
	Diags               Diagnostics

	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Attrs is the planned state.
func (pl *Plan) Attrs() Attrs { return attrs(pl.Planned) }

// Plan validates a configuration and plans towards it; nil is to destroy. It does not refresh.
func (p *Provider) Plan(prior Instance, config Attrs) *Plan {
	p.tb.Helper()
	return p.planned(prior, config, false)
}

// PlanReplace plans as `terraform plan -replace` does.
func (p *Provider) PlanReplace(prior Instance, config Attrs) *Plan {
	p.tb.Helper()
	return p.planned(prior, config, true)
}

func (p *Provider) planned(from Instance, config Attrs, forced bool) *Plan {
	p.tb.Helper()
	pl := &Plan{Prior: from, Config: config}
	if config != nil {
		if pl.Diags = p.Validate(from.Type, config); pl.Diags.Failed() {
			return pl
		}
		if from.Tainted { // planned like a new one, and then turned into a replacement
			from = p.New(from.Type)
		}
	}
	schema := p.Schema.ResourceSchemas[from.Type]
	value := Value(schema.ValueType(), pl.Config)
	resp := p.plan(pl, from, value)
	if pl.Diags.Failed() {
		return pl
	}
	for _, path := range resp.RequiresReplace {
		was, _, errWas := tftypes.WalkAttributePath(from.State, path)
		is, _, errIs := tftypes.WalkAttributePath(pl.Planned, path)
		before, ok1 := was.(tftypes.Value)
		after, ok2 := is.(tftypes.Value)
		if errWas != nil || errIs != nil || !ok1 || !ok2 || !after.IsFullyKnown() || !after.Equal(before) {
			pl.Replaces = append(pl.Replaces, path.String())
		}
	}
	switch {
	case pl.Config == nil && !pl.Prior.Exists():
		pl.Action = NoOp
	case pl.Config == nil:
		pl.Action = Delete
	case pl.Prior.Tainted:
		pl.Action = Replace
	case !pl.Prior.Exists():
		pl.Action = Create
	case forced, len(pl.Replaces) > 0:
		// Terraform plans once more, a new instance, with the private data of the first time. It
		// shows its errors only: the warnings would be the same.
		pl.Action = Replace
		warned := pl.Diags
		pl.Diags = nil
		p.plan(pl, Instance{Type: from.Type, State: p.New(from.Type).State, Private: pl.private}, value)
		if pl.Diags.Failed() {
			warned = append(warned, pl.Diags...)
		}
		pl.Diags = warned
	case pl.Planned.Equal(pl.Prior.State):
		pl.Action = NoOp
	default:
		pl.Action = Update
	}
	return pl
}

// fail adds an error of Terraform.
func (pl *Plan) fail(summary, detail string) {
	pl.Diags = append(pl.Diags, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail})
}

// plan makes one call and fills the plan from it.
func (p *Provider) plan(pl *Plan, from Instance, config tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	p.tb.Helper()
	schema := p.Schema.ResourceSchemas[from.Type]
	resp := must(p, p.Server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: from.Type, PriorState: p.Dynamic(from.State), PriorPrivate: from.Private, PriorIdentity: from.Identity,
		Config: p.Dynamic(config), ProposedNewState: p.Dynamic(proposed(schema.Block.Attributes, from.State, config)),
	})
	pl.Diags = append(pl.Diags, resp.Diagnostics...)
	if !pl.Diags.Failed() {
		pl.Planned, pl.private, pl.identity = p.value(schema, resp.PlannedState), resp.PlannedPrivate, resp.PlannedIdentity
		for _, wrong := range misplanned(schema.Block.Attributes, from.State, config, pl.Planned) {
			p.tb.Errorf("Provider produced invalid plan: %s: %s", from.Type, wrong)
		}
	}
	return resp
}

// Apply carries a plan out, whether this provider made it or another one. As in Terraform, it plans
// again before it creates or updates, and what fails to be created is tainted.
func (p *Provider) Apply(pl *Plan) (Instance, Diagnostics) {
	p.tb.Helper()
	switch {
	case pl.Action == NoOp:
		return pl.Prior, nil
	case pl.Action == Delete:
		return p.applyOne(pl, pl.Prior)
	case pl.Action == Replace && pl.CreateBeforeDestroy:
		return p.createBeforeDestroy(pl)
	case pl.Action == Replace:
		o, diags := p.ApplyDelete(pl)
		if diags.Failed() {
			return o, diags
		}
		o, more := p.ApplyCreate(pl)
		return o, append(diags, more...)
	}
	return p.planAndApply(pl, pl.Prior)
}

// ApplyDelete is the first half of a replacement. Terraform may apply other resources before the
// second one. Delete gets the private data of the plan, not that of the instance.
func (p *Provider) ApplyDelete(pl *Plan) (Instance, Diagnostics) {
	p.tb.Helper()
	return p.applyOne(&Plan{Action: Delete, private: pl.private, identity: pl.Prior.Identity}, pl.Prior)
}

// ApplyCreate is the second half of a replacement.
func (p *Provider) ApplyCreate(pl *Plan) (Instance, Diagnostics) {
	p.tb.Helper()
	return p.planAndApply(pl, p.New(pl.Prior.Type))
}

func (p *Provider) createBeforeDestroy(pl *Plan) (Instance, Diagnostics) {
	p.tb.Helper()
	o, diags := p.planAndApply(pl, p.New(pl.Prior.Type))
	if diags.Failed() {
		if !o.Exists() {
			return pl.Prior, diags
		}
		o.Deposed = []Instance{pl.Prior}
		return o, diags
	}
	old, more := p.Destroy(pl.Prior)
	if old.Exists() {
		o.Deposed = []Instance{old}
	}
	return o, append(diags, more...)
}

// planAndApply plans a create or an update again, holds that against the plan, and applies it. An
// update that turns out to change nothing is not applied. The plan then has what was applied.
func (p *Provider) planAndApply(pl *Plan, from Instance) (Instance, Diagnostics) {
	p.tb.Helper()
	final, want := p.Plan(from, pl.Config), pl.Action
	if want == Replace {
		want = Create // what is replaced has been destroyed or deposed
	}
	if final.Diags.Failed() {
		return from, final.Diags
	}
	wrong := incompatible("", pl.Planned, final.Planned)
	switch {
	case wrong != "":
		final.fail("Provider produced inconsistent final plan", wrong)
	case want == Update && final.Action == NoOp:
		return from, final.Diags
	case want != final.Action:
		final.fail("Provider produced inconsistent final plan", fmt.Sprintf("the planned action changed from %s to %s because of %v", want, final.Action, final.Replaces))
	}
	if final.Diags.Failed() {
		return from, final.Diags
	}
	pl.Planned = final.Planned
	o, diags := p.applyOne(final, from)
	return o, append(final.Diags, diags...)
}

// applyOne makes one call.
func (p *Provider) applyOne(pl *Plan, from Instance) (Instance, Diagnostics) {
	p.tb.Helper()
	schema := p.Schema.ResourceSchemas[from.Type]
	planned := pl.Planned
	if pl.Action == Delete {
		planned = p.New(from.Type).State
	}
	resp := must(p, p.Server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: from.Type, PriorState: p.Dynamic(from.State), PlannedState: p.Dynamic(planned),
		Config: p.Dynamic(Value(schema.ValueType(), pl.Config)), PlannedPrivate: pl.private, PlannedIdentity: pl.identity,
	})
	diags, state := Diagnostics(resp.Diagnostics), p.value(schema, resp.NewState)
	if !state.IsFullyKnown() {
		p.tb.Errorf("Provider returned invalid result object after apply: %s: %v", from.Type, state)
	}
	if diags.Failed() && state.IsNull() {
		return from, diags // Terraform takes it for a failure that changed nothing
	}
	if wrong := incompatible("", planned, state); wrong != "" && !diags.Failed() {
		p.tb.Errorf("Provider produced inconsistent result after apply: %s: %s", from.Type, wrong)
	}
	tainted := diags.Failed() && (pl.Action == Create || from.Tainted)
	return Instance{Type: from.Type, State: state, Private: resp.Private, Identity: resp.NewIdentity, Tainted: tainted}, diags
}

// Create plans and applies a new instance.
func (p *Provider) Create(typ string, config Attrs) (Instance, Diagnostics) {
	p.tb.Helper()
	return p.Change(p.New(typ), config)
}

// Destroy plans the end of an instance and applies that.
func (p *Provider) Destroy(o Instance) (Instance, Diagnostics) {
	p.tb.Helper()
	return p.Change(o, nil)
}

// Change plans and applies. It ends with the plan if that has an error.
func (p *Provider) Change(o Instance, config Attrs) (Instance, Diagnostics) {
	p.tb.Helper()
	pl := p.Plan(o, config)
	if pl.Diags.Failed() {
		return o, pl.Diags
	}
	o, diags := p.Apply(pl)
	return o, slices.Concat(pl.Diags, diags)
}

// AssertNoChanges fails the test unless a plan after a refresh is empty and without diagnostics.
func (p *Provider) AssertNoChanges(o Instance, config Attrs) {
	p.tb.Helper()
	o, diags := p.Read(o)
	if len(diags) > 0 || !o.Exists() {
		p.tb.Errorf("a refresh of %s: %s", o.Type, diags)
	}
	if pl := p.Plan(o, config); pl.Action != NoOp || len(pl.Diags) > 0 {
		p.tb.Errorf("the plan of %s is not empty, but %s %v: %s\n%v\n%v", o.Type, pl.Action, pl.Replaces, pl.Diags, o.Attrs(), pl.Attrs())
	}
}
