package batchjob

import (
	"fmt"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// A plan with arguments that are not known yet replaces the job. If they come out as they were, the job
// is kept and not submitted again: Delete offers it, and the Create of a job with the same arguments
// takes it. With create_before_destroy, Create runs before Delete, so the job is submitted again.

// intent is what a plan notes for Delete. The zero value is that of a destroy.
type intent struct {
	MayKeep bool     `json:"may_keep,omitempty"` // the arguments may come out as they were
	Sources []string `json:"sources,omitempty"`  // files and folders that the plan uploads, of which the job has files
}

const intentKey = "replace"

// intentOf returns the intent of a plan. A plan without a change, as with -replace, is to submit the
// job again.
func (r *batchJob) intentOf(state, plan model) intent {
	in := intent{MayKeep: !state.equal(plan) &&
		mayBe(state.Paths, plan.Paths) && mayBe(state.ServiceModes, plan.ServiceModes) && mayBe(state.Triggers, plan.Triggers)}
	for _, element := range state.Paths.Elements() {
		keyPath, _ := element.(types.String)
		if source, ok := r.Data.Replacing.Load(keyPath.ValueString()); ok && !slices.Contains(in.Sources, fmt.Sprint(source)) {
			in.Sources = append(in.Sources, fmt.Sprint(source))
		}
	}
	return in
}

// equal reports whether two jobs have the same arguments.
func (m *model) equal(other model) bool {
	return m.Paths.Equal(other.Paths) && m.ServiceModes.Equal(other.ServiceModes) && m.Triggers.Equal(other.Triggers)
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

// checkReplacement checks what Create needs before the job is forgotten: the configuration of the provider, if the
// job may be kept, and the files and folders that the plan uploads, because Terraform deletes the job before it
// uploads what the job depends on. A saved plan may be applied where they are not.
func (r *batchJob) checkReplacement(planned intent) (diags diag.Diagnostics) {
	if planned.MayKeep {
		diags.Append(r.Data.NeedUpload(typeName)...)
	}
	for _, source := range planned.Sources {
		if _, err := os.Stat(source); err != nil {
			diags.AddError("The batch job was not replaced",
				fmt.Sprintf("The plan uploads %s before it replaces this job, but that cannot be read here, so nothing was replaced and the state is as it was. "+
					"Plan again where it is, and apply that plan.", source))
		}
	}
	return diags
}

// replaced are the jobs that Delete offers.
func (r *batchJob) replaced() *providerdata.Handover[model] {
	return providerdata.Shared[providerdata.Handover[model]](r.Data)
}
