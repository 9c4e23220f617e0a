package batchjob

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/noun"
)

// distinct requires at least one element and no duplicates.
func distinct(each validator.String) []validator.List {
	return []validator.List{
		listvalidator.SizeAtLeast(1),
		listvalidator.UniqueValues(),
		listvalidator.NoNullValues(),
		listvalidator.ValueStringsAre(each),
	}
}

const knownMode = "video_optimizer"

// ServiceMode refuses a blank processing mode, and warns of one that is nearly a known one. The
// service documents one mode, and may have others.
var ServiceMode = noun.StringRule{
	Kind: "processing mode", Allowed: "must not be blank", Unknown: "Unknown mode",
	Problem: func(given string) string {
		if strings.TrimSpace(given) != "" {
			return ""
		}
		return "must not be blank."
	},
	Doubt: func(given string) string {
		if near, _ := noun.Nearest(given, knownMode); given == knownMode || near == "" {
			return ""
		}
		return fmt.Sprintf("is %q, which is not a known processing mode. Did you mean %q? A job that was submitted cannot be cancelled.", given, knownMode)
	},
}

var _ resource.ResourceWithImportState = (*batchJob)(nil)

func (r *batchJob) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("A batch job cannot be imported",
		"The service returns no id of a job and has no call that reads one, so there is nothing to import. Remove the import. "+
			"An apply of the resource would submit a new job on its paths.")
}
