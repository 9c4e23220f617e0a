package mediaupload

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// ConfigValidators has one of the ways to say what to upload.
func (r *mediaUpload) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{resourcevalidator.ExactlyOneOf(
		path.MatchRoot("source"), path.MatchRoot("content"), path.MatchRoot("content_base64"))}
}

// ValidateConfig refuses to send in parts what is sent with one PUT.
func (r *mediaUpload) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() && config.content() != nil && config.Method.ValueString() == upload.MethodMultipart {
		resp.Diagnostics.AddAttributeError(path.Root("method"), "Invalid method",
			"`method` is \"multipart\", but `content` and `content_base64` are sent with one PUT. Remove `method`, or put the content into a file and set `source`.")
	}
}

// fileNameRule accepts what can be the last part of a key path.
type fileNameRule struct{}

func (fileNameRule) Description(context.Context) string {
	return "must be a file name without a slash"
}
func (v fileNameRule) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v fileNameRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if problem := upload.NameProblem(req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid file name",
			fmt.Sprintf("`%s` is %q, which %s. Give a plain file name with its extension, such as \"promo.mp4\".", req.Path, req.ConfigValue.ValueString(), problem))
	}
}

// mediaTypeRule accepts what upload.IsMediaType does.
type mediaTypeRule struct{}

func (mediaTypeRule) Description(context.Context) string {
	return "must be a media type such as video/mp4"
}
func (v mediaTypeRule) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v mediaTypeRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	given := req.ConfigValue.ValueString()
	if upload.IsMediaType(given) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid media type",
		fmt.Sprintf("`%s` is %q, which is not a media type. Write type and subtype, such as \"video/mp4\".", req.Path, given))
}

// contentRule accepts content of 1 byte to upload.MaxContent bytes. It never shows the content, which may
// be a secret.
type contentRule struct{ base64 bool }

func (contentRule) Description(context.Context) string {
	return fmt.Sprintf("must have 1 to %d bytes", upload.MaxContent)
}
func (v contentRule) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v contentRule) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	size := len(req.ConfigValue.ValueString())
	if v.base64 {
		decoded, err := base64.StdEncoding.DecodeString(req.ConfigValue.ValueString())
		if err != nil {
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid content",
				fmt.Sprintf("`%s` is not base64 as base64encode() and filebase64() print it: %s.", req.Path, err))
			return
		}
		size = len(decoded)
	}
	if size < 1 || size > upload.MaxContent {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid content",
			fmt.Sprintf("`%s` has %d bytes; it %s. Put larger content into a file, and set `source`.", req.Path, size, v.Description(ctx)))
	}
}
