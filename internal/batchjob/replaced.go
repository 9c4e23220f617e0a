package batchjob

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A plan with arguments that are not known yet replaces the job. If they come out as they were, the job
// is kept and not submitted again: Delete offers it, and the Create of a job with the same arguments
// takes it. With create_before_destroy, Create runs before Delete, so the job is submitted again.

const (
	privateSources = "sources" // of a plan, for Delete: files that replace files of the job
	privateIntent  = "intent"  // of a plan, for Delete
	intentDecide   = `"replace unless the arguments are the same"`
)

type privateSetter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

type privateGetter interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// noteIntent notes for Delete whether the plan may turn out to be the job of the state. A plan without a
// change, as with -replace, is to submit the job again.
func (m *model) noteIntent(ctx context.Context, plan model, private privateSetter) diag.Diagnostics {
	var intent []byte
	if !m.equal(plan) && mayBe(m.Paths, plan.Paths) && mayBe(m.ServiceModes, plan.ServiceModes) && mayBe(m.Triggers, plan.Triggers) {
		intent = []byte(intentDecide)
	}
	return private.SetKey(ctx, privateIntent, intent)
}

// equal reports whether two jobs have the same arguments.
func (m *model) equal(other model) bool {
	return m.Paths.Equal(other.Paths) && m.ServiceModes.Equal(other.ServiceModes) && m.Triggers.Equal(other.Triggers)
}

// forgetPlan removes what a plan notes for Delete: a Delete that does not replace the job needs no file.
func forgetPlan(ctx context.Context, private privateSetter) diag.Diagnostics {
	return append(private.SetKey(ctx, privateIntent, nil), private.SetKey(ctx, privateSources, nil)...)
}

// mayBe reports whether a planned value may come out as it was.
func mayBe(was, planned attr.Value) bool {
	if planned.IsUnknown() {
		return true
	}
	switch planned := planned.(type) {
	case types.List:
		before, ok := was.(types.List)
		return ok && planned.IsNull() == before.IsNull() && slices.EqualFunc(before.Elements(), planned.Elements(), mayBe)
	case types.Map:
		before, ok := was.(types.Map)
		if !ok || planned.IsNull() != before.IsNull() || len(planned.Elements()) != len(before.Elements()) {
			return false
		}
		for key, value := range planned.Elements() {
			if old, ok := before.Elements()[key]; !ok || !mayBe(old, value) {
				return false
			}
		}
		return true
	}
	return planned.Equal(was)
}

// offerReplaced leaves the job to a Create of this process, if the plan left open whether it is replaced.
func (r *batchJob) offerReplaced(ctx context.Context, state model, private privateGetter) diag.Diagnostics {
	intent, diags := private.GetKey(ctx, privateIntent)
	if string(intent) == intentDecide {
		r.Data.ReplacedJobs.Offer(state)
	}
	return diags
}

// takeReplaced takes an offered job that has all arguments of a plan.
func (r *batchJob) takeReplaced(plan model) (kept model, ok bool) {
	item, _ := r.Data.ReplacedJobs.Take(func(item any) bool {
		m, ok := item.(model)
		return ok && m.equal(plan)
	})
	kept, ok = item.(model)
	return kept, ok
}

// noteSources notes for Delete which files the same plan uploads in place of files of the job.
func (r *batchJob) noteSources(ctx context.Context, state model, private privateSetter) diag.Diagnostics {
	var sources []string
	for _, element := range state.Paths.Elements() {
		keyPath, _ := element.(types.String)
		if source, ok := r.Data.Replacing.Load(keyPath.ValueString()); ok {
			sources = append(sources, fmt.Sprint(source))
		}
	}
	content, _ := json.Marshal(sources) // cannot fail for strings
	return private.SetKey(ctx, privateSources, content)
}

// checkReplacement checks what Create needs before the job is forgotten: the configuration of the provider, if the
// job may be kept, and the files that the plan uploads, because Terraform deletes the job before the uploads that it
// depends on. A saved plan may be applied where the files are not.
func (r *batchJob) checkReplacement(ctx context.Context, private privateGetter) diag.Diagnostics {
	intent, diags := private.GetKey(ctx, privateIntent)
	if string(intent) == intentDecide {
		diags.Append(r.Data.NeedUpload(typeName)...)
	}
	var sources []string
	content, more := private.GetKey(ctx, privateSources)
	diags.Append(more...)
	_ = json.Unmarshal(content, &sources) // a plan of an earlier build has none
	for _, source := range sources {
		if _, err := os.Stat(source); err != nil {
			diags.AddError("The batch job was not replaced",
				fmt.Sprintf("The plan uploads %s in place of a file of this job, but that file cannot be read here, so nothing was replaced and the state is as it was. "+
					"Plan again where the file is, and apply that plan.", source))
		}
	}
	return diags
}
