package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// model is the provider block. Whether a value is good is decided in resolver, where its source (attribute or
// environment variable) is known, so that one rule serves both.
type model struct {
	BaseURL              types.String `tfsdk:"base_url"`
	VODBaseURL           types.String `tfsdk:"vod_base_url"`
	AccessTokenID        types.String `tfsdk:"access_token_id"`
	SecretKey            types.String `tfsdk:"secret_key"`
	IDToken              types.String `tfsdk:"id_token"`
	IDTokenFile          types.String `tfsdk:"id_token_file"`
	IDTokenCommand       types.List   `tfsdk:"id_token_command"`
	MaxRetries           types.Int64  `tfsdk:"max_retries"`
	RequestTimeout       types.String `tfsdk:"request_timeout"`
	StallTimeout         types.String `tfsdk:"stall_timeout"`
	UploadConcurrency    types.Int64  `tfsdk:"upload_concurrency"`
	UploadBandwidth      types.Int64  `tfsdk:"upload_bandwidth"`
	CABundleFile         types.String `tfsdk:"ca_bundle_file"`
	SkipRegionValidation types.Bool   `tfsdk:"skip_region_validation"`
	ResumeDir            types.String `tfsdk:"resume_dir"`
}

func (p *vodlive) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The `vodlive` provider uploads media files, submits batch jobs on them, and creates live stream sessions. " +
			"Each half of the service is configured on its own: live sessions need `base_url`, `access_token_id` and `secret_key`; " +
			"uploads and batch jobs need `vod_base_url` and one source of the identity token. " +
			"What is missing is reported by the resource that needs it.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the live API, for example `https://live.example.com`. It may have a port and a path prefix. " +
					"Plain `http` is accepted for loopback addresses only. Environment: `VODLIVE_BASE_URL`.",
			},
			"vod_base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the upload and batch API, under the same rules as `base_url`. " +
					"Environment: `VODLIVE_VOD_BASE_URL`.",
			},
			"access_token_id": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Access token id, the user name of the live API. Environment: `VODLIVE_ACCESS_TOKEN_ID`.",
			},
			"secret_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Secret key that belongs to `access_token_id`. Environment: `VODLIVE_SECRET_KEY`.",
			},
			"id_token": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Identity token of the upload and batch API, sent as it is in the `authorization` header. " +
					"Set at most one of `id_token`, `id_token_file` and `id_token_command`. Environment: `VODLIVE_ID_TOKEN`.",
			},
			"id_token_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "File that holds the identity token. It is read when first needed, and again when the service answers 401, " +
					"so an upload may outlive its token. Environment: `VODLIVE_ID_TOKEN_FILE`.",
			},
			"id_token_command": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Program and arguments that print the identity token, for example `[\"vault\", \"read\", \"-field=token\", \"media/id\"]`. " +
					"It is run without a shell when the token is first needed, and again when the service answers 401; it may take 10 seconds.",
			},
			"max_retries": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How often one call, or one part of an upload, is repeated after a failure that may pass. " +
					"From 0 to 100, 5 by default. Creating a session and submitting a batch job are repeated only if the service surely did not process them.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Time for one call of an API, for example `\"30s\"` (the default). It does not limit uploads of file content, see `stall_timeout`, nor the request that completes a multipart upload.",
			},
			"stall_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Time that the upload of file content may go without any progress before it is sent again, for example `\"60s\"` (the default).",
			},
			"upload_concurrency": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "Parts that are sent at the same time, over all uploads together. From 1 to 64, 4 by default. " +
					"Environment: `VODLIVE_UPLOAD_CONCURRENCY`.",
			},
			"upload_bandwidth": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "Limit in bytes per second over all uploads together. There is no limit by default.",
			},
			"ca_bundle_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM file with certificate authorities to trust besides those of the system. " +
					"Environment: `VODLIVE_CA_BUNDLE_FILE`.",
			},
			"skip_region_validation": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Do not hold the region of a session against the account's regions while planning. `false` by default.",
			},
			"resume_dir": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Folder below which unfinished uploads are recorded, so that the next apply on this machine continues them. " +
					"The records are in its subfolder `terraform-provider-vodlive`, and the provider touches nothing else there. By default the user's " +
					"cache folder; `\"\"` turns records off. The subfolder must belong to the user who runs Terraform, and no other user may be able to write to it: " +
					"otherwise it is not used, and the provider's log says so. The records hold no secret. Environment: `VODLIVE_RESUME_DIR`.",
			},
		},
	}
}
