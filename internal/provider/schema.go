package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var customerID = stringvalidator.RegexMatches(regexp.MustCompile(`^[^/\s]+$`), "must be a customer id, the third part of a key path")

// model is the provider block. The resolver validates its values, so that the same rules apply to
// attributes and environment variables.
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
	AllowedCustomerIDs   types.Set    `tfsdk:"allowed_customer_ids"`
	CABundleFile         types.String `tfsdk:"ca_bundle_file"`
	SkipRegionValidation types.Bool   `tfsdk:"skip_region_validation"`
	ResumeDir            types.String `tfsdk:"resume_dir"`
}

func (p *vodlive) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	secret := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Optional: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The `vodlive` provider uploads media files, submits batch jobs on them, and creates live stream sessions. " +
			"Configure only the API that you use: live sessions need `base_url`, `access_token_id` and `secret_key`; " +
			"uploads and batch jobs need `vod_base_url` and one source of the identity token. " +
			"If a resource needs a value that is missing, its plan says so.",
		Attributes: map[string]schema.Attribute{
			"base_url": text("Address of the live API, for example `https://live.example.com`. It may have a port and a path prefix. " +
				"Plain `http` is accepted for loopback addresses only. Environment: `VODLIVE_BASE_URL`."),
			"vod_base_url": text("Address of the upload and batch API, with the same rules as `base_url`. " +
				"Environment: `VODLIVE_VOD_BASE_URL`."),
			"access_token_id": secret("Access token id, the user name of the live API. Environment: `VODLIVE_ACCESS_TOKEN_ID`."),
			"secret_key":      secret("Secret key that belongs to `access_token_id`. Environment: `VODLIVE_SECRET_KEY`."),
			"id_token": secret("Identity token of the upload and batch API, sent without change in the `authorization` header. " +
				"Set at most one of `id_token`, `id_token_file` and `id_token_command`. Environment: `VODLIVE_ID_TOKEN`."),
			"id_token_file": text("File that contains the identity token. The provider reads it when it first needs the token, and again when a request is refused with 401, " +
				"so an upload may take longer than a token is valid. Environment: `VODLIVE_ID_TOKEN_FILE`."),
			"id_token_command": schema.ListAttribute{
				Optional: true, Sensitive: true, ElementType: types.StringType,
				Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
				MarkdownDescription: "Program and arguments that print the identity token, for example `[\"vault\", \"read\", \"-field=token\", \"media/id\"]`. " +
					"The provider runs it without a shell, for at most 10 seconds, when it first needs the token, and again when a request is refused with 401. " +
					"The program inherits the whole environment of Terraform, including the secrets in it.",
			},
			"max_retries": number("Maximum number of retries of a request, or of a part of an upload, after a timeout, a broken response or one with status 408 or 5xx, but 501. From 0 to 100. " +
				"After 429, and 503 with `Retry-After`, requests are repeated until the operation's time limit, or for two minutes if it has none. " +
				"The creation of a session and the submission of a batch job are repeated only if the service cannot have processed them. Default: `5`."),
			"request_timeout": text("Timeout of one API request. It does not apply to uploads of file content (see `stall_timeout`), nor to the request that completes a multipart upload. Default: `\"30s\"`."),
			"stall_timeout":   text("How long an upload of file content may make no progress before the provider sends it again. Default: `\"60s\"`."),
			"upload_concurrency": number("Number of parts in flight, over all uploads together, from 1 to 64. Default: 14, or up to 32 where that raises the rate. " +
				"Environment: `VODLIVE_UPLOAD_CONCURRENCY`."),
			"upload_bandwidth": number("Maximum number of bytes per second, over all uploads together: 2500000 is 20 Mbit/s. Default: no limit."),
			"allowed_customer_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.NoNullValues(), setvalidator.ValueStringsAre(customerID)},
				MarkdownDescription: "Customers whose files may be uploaded, imported and processed, by the id in their key paths " +
					"(`vod/input/<customer id>/...`). Default: all customers. " +
					"A key path of any other customer is refused before a byte is sent.",
			},
			"ca_bundle_file": text("PEM file with certificate authorities to trust in addition to the system's. " +
				"Environment: `VODLIVE_CA_BUNDLE_FILE`."),
			"skip_region_validation": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether plans skip the check that the region of a session is allocated to the account. Default: `false`.",
			},
			"resume_dir": text("Folder for records of unfinished uploads, with which the next apply on this machine resumes them; `\"\"` turns them off. " +
				"Its subfolder `terraform-provider-vodlive` must belong to the user who runs Terraform, and no other user may be able to write to it. Records contain no secrets. Default: the user's cache folder. Environment: `VODLIVE_RESUME_DIR`."),
		},
	}
}
