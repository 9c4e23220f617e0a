package mediaupload

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// fileName accepts what can be the last part of a key path.
type fileName struct{}

func (fileName) Description(context.Context) string {
	return "must be a file name without a slash"
}
func (v fileName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v fileName) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if problem := upload.NameProblem(req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid file name",
			fmt.Sprintf("`%s` is %q, which %s. Give a plain file name with its extension, such as \"promo.mp4\".", req.Path, req.ConfigValue.ValueString(), problem))
	}
}

// mediaType accepts what upload.IsMediaType does.
type mediaType struct{}

func (mediaType) Description(context.Context) string {
	return "must be a media type such as video/mp4"
}
func (v mediaType) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v mediaType) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
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
