package mediaupload

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
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

// fileName accepts what can be the last part of a key path.
var fileName = providerdata.StringRule{Kind: "file name", Allowed: "must be a file name without a slash", Problem: func(given string) string {
	problem := upload.NameProblem(given)
	if problem == "" {
		return ""
	}
	return fmt.Sprintf("is %q, which %s. Give a plain file name with its extension, such as \"promo.mp4\".", given, problem)
}}

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

// partSize names the unit, which is easily taken for MiB.
var partSize = providerdata.NumberRule{
	Allowed: fmt.Sprintf("must be a number of bytes from %d (5 MiB) to %d (5 GiB)", transfer.MinPartSize, transfer.MaxPartSize),
	OK:      func(n int64) bool { return n >= transfer.MinPartSize && n <= transfer.MaxPartSize },
	Hint: func(n int64) string {
		if n <= 0 || n > transfer.MaxPartSize>>20 {
			return ""
		}
		mib := max(n, transfer.MinPartSize>>20)
		return fmt.Sprintf(" For %d MiB, write %d * 1024 * 1024.", mib, mib)
	},
}
