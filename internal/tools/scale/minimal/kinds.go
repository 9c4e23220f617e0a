package main

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// thing is the resource: an argument, one with a default, and an id.
type thing struct{ client *http.Client }

var (
	_ resource.ResourceWithConfigure   = (*thing)(nil)
	_ resource.ResourceWithImportState = (*thing)(nil)
)

type thingModel struct {
	Label types.String `tfsdk:"label"`
	Kind  types.String `tfsdk:"kind"`
	ID    types.String `tfsdk:"id"`
}

func (*thing) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_thing"
}

func (*thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A thing.",
		Attributes: map[string]schema.Attribute{
			"label": schema.StringAttribute{Optional: true, MarkdownDescription: "Label of the thing."},
			"kind": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("plain"), MarkdownDescription: "Kind of the thing.",
			},
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Id of the thing.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

func (t *thing) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	t.client, _ = req.ProviderData.(*http.Client)
}

func (*thing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.ID = types.StringValue("thing")
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (*thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*thing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (*thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (*thing) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
}

// look is the data source.
type look struct{ client *http.Client }

var _ datasource.DataSourceWithConfigure = (*look)(nil)

func (*look) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_thing"
}

func (*look) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = dataschema.Schema{Attributes: map[string]dataschema.Attribute{
		"label": dataschema.StringAttribute{Optional: true, MarkdownDescription: "Label of the thing."},
		"id":    dataschema.StringAttribute{Computed: true, MarkdownDescription: "Id of the thing."},
	}}
}

func (l *look) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	l.client, _ = req.ProviderData.(*http.Client)
}

func (*look) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), "thing")...)
}

// secret is the ephemeral resource.
type secret struct{}

func (*secret) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_secret"
}

func (*secret) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"label": ephemeralschema.StringAttribute{Required: true, MarkdownDescription: "Label of the secret."},
		"value": ephemeralschema.StringAttribute{Computed: true, MarkdownDescription: "The secret."},
	}}
}

func (*secret) Open(ctx context.Context, _ ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("value"), "value")...)
}

// press is the action.
type press struct{}

func (*press) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_press"
}

func (*press) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = actionschema.Schema{Attributes: map[string]actionschema.Attribute{
		"label": actionschema.StringAttribute{Optional: true, MarkdownDescription: "Label of the button."},
	}}
}

func (*press) Invoke(context.Context, action.InvokeRequest, *action.InvokeResponse) {}

// echo is the function.
type echo struct{}

func (echo) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "echo"
}

func (echo) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:    "Returns what it is given",
		Parameters: []function.Parameter{function.StringParameter{Name: "text", MarkdownDescription: "A text."}},
		Return:     function.StringReturn{},
	}
}

func (echo) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	resp.Error = function.ConcatFuncErrors(req.Arguments.Get(ctx, &text), resp.Result.Set(ctx, text))
}
