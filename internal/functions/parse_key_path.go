package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

type keyPathParts struct {
	CustomerID string `tfsdk:"customer_id"`
	UploadID   string `tfsdk:"upload_id"`
	FileName   string `tfsdk:"file_name"`
}

var parseKeyPath = pure{
	name: "parse_key_path",
	definition: function.Definition{
		Summary:             "Splits a key path",
		MarkdownDescription: "Returns an object with the `customer_id`, `upload_id` and `file_name` of a key path, such as `key_path` of `vodlive_media_upload`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "key_path",
			MarkdownDescription: "Key path of the form `" + parse.KeyPathForm + "`.",
		}},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"customer_id": types.StringType, "upload_id": types.StringType, "file_name": types.StringType,
		}},
	},
	run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var given string
		if err := arguments.Get(ctx, &given); err != nil {
			return nil, err
		}
		parsed, problem := parse.SplitKeyPath(given)
		if problem != nil {
			return nil, argumentError(0, "the argument "+problem.Error())
		}
		return keyPathParts(parsed), nil
	},
}
