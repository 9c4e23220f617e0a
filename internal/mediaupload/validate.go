package mediaupload

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

func (r *mediaUpload) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{resourcevalidator.ExactlyOneOf(
		path.MatchRoot("source"), path.MatchRoot("content"), path.MatchRoot("content_base64"))}
}

// ValidateConfig refuses to send in parts what is sent with one PUT.
func (r *mediaUpload) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() && config.content() != nil && config.Method.ValueString() == upload.MethodMultipart {
		resp.Diagnostics.AddAttributeError(path.Root("method"), providerdata.InvalidValue,
			"`method` is \"multipart\", but `content` and `content_base64` are sent with one PUT. Remove `method`, or put the content into a file and set `source`.")
	}
}

// The rules of content never show it: it may be a secret.
var (
	content       = providerdata.StringRule{Kind: "content", Allowed: contentSize, Problem: func(given string) string { return sizeProblem(len(given)) }}
	contentBase64 = providerdata.StringRule{Kind: "content", Allowed: contentSize, Problem: func(given string) string {
		decoded, err := base64.StdEncoding.DecodeString(given)
		if err != nil {
			return fmt.Sprintf("is not base64 as base64encode() and filebase64() print it: %s.", err)
		}
		return sizeProblem(len(decoded))
	}}
	contentSize = fmt.Sprintf("must have 1 to %d bytes", upload.MaxContent)
)

func sizeProblem(size int) string {
	if size < 1 || size > upload.MaxContent {
		return fmt.Sprintf("has %d bytes; it %s. Put larger content into a file, and set `source`.", size, contentSize)
	}
	return ""
}
