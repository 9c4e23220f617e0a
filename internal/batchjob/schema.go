package batchjob

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type model struct {
	ID           types.String `tfsdk:"id"`
	Paths        types.List   `tfsdk:"paths"`
	ServiceModes types.List   `tfsdk:"service_modes"`
	Triggers     types.Map    `tfsdk:"triggers"`
	Message      types.String `tfsdk:"message"`
	SubmittedAt  types.String `tfsdk:"submitted_at"`
}

var notBlank = regexp.MustCompile(`\S`)

func (r *batchJob) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Submits a batch job on uploaded files. The job is submitted once, when the resource is created. " +
			"The service shows no job and has no call to end one: nothing is read back, and destroying the resource only forgets it. " +
			"Every change submits a new job.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Made by the provider: the service gives a job no id.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Key paths of the files to process, usually `vodlive_media_upload.NAME.key_path`. At least one, each only once.",
				Validators:          stringList(),
				PlanModifiers:       []planmodifier.List{listplanmodifier.RequiresReplace()},
			},
			"service_modes": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Processing modes, for example `[\"video_optimizer\"]`. At least one, each only once.",
				Validators:          stringList(),
				PlanModifiers:       []planmodifier.List{listplanmodifier.RequiresReplace()},
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any strings. A change of one submits a new job on the same paths.",
				PlanModifiers:       []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"message": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "What the service answered to the submission.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"submitted_at": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "When the job was submitted, by this machine's clock (RFC 3339, UTC).",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

// stringList is the rule for paths and modes alike: at least one, none blank, none twice.
func stringList() []validator.List {
	return []validator.List{
		listvalidator.SizeAtLeast(1),
		listvalidator.UniqueValues(),
		listvalidator.NoNullValues(),
		listvalidator.ValueStringsAre(stringvalidator.RegexMatches(notBlank, "must not be blank")),
	}
}
