package functions

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// parseKeyPath splits a key path of the form vod/input/<customer id>/<upload id>/<file name>.
type parseKeyPath struct{}

type keyPath struct {
	CustomerID string `tfsdk:"customer_id"`
	UploadID   string `tfsdk:"upload_id"`
	FileName   string `tfsdk:"file_name"`
}

func (parseKeyPath) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_key_path"
}

func (parseKeyPath) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Splits a key path",
		MarkdownDescription: "Returns an object with the `customer_id`, `upload_id` and `file_name` of a key path, such as `key_path` of `vodlive_media_upload`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "key_path",
			MarkdownDescription: "Key path of the form `vod/input/<customer id>/<upload id>/<file name>`.",
		}},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"customer_id": types.StringType, "upload_id": types.StringType, "file_name": types.StringType,
		}},
	}
}

func (parseKeyPath) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var given string
	if resp.Error = req.Arguments.Get(ctx, &given); resp.Error != nil {
		return
	}
	parsed, problem := splitKeyPath(given)
	if problem != "" {
		resp.Error = argumentError(0, problem)
		return
	}
	resp.Error = resp.Result.Set(ctx, parsed)
}

// splitKeyPath returns the elements of a key path, or the text of an error that says where it is
// invalid, what was found and what was expected.
func splitKeyPath(given string) (keyPath, string) {
	const form = "a key path has the form vod/input/<customer id>/<upload id>/<file name>"
	segments := strings.Split(given, "/")
	expected := []string{`"vod"`, `"input"`, "a customer id", "an upload id", "a file name"}
	at := 1 // position in characters of the segment, from 1
	for i, want := range expected {
		if i >= len(segments) {
			return keyPath{}, fmt.Sprintf("%q ends at character %d, where a slash and %s were expected: %s.", given, at-2, want, form)
		}
		found := segments[i]
		if found == "" || (i < 2 && `"`+found+`"` != want) {
			return keyPath{}, fmt.Sprintf("%q has %q at character %d, where %s was expected: %s.", given, found, at, want, form)
		}
		at += len([]rune(found)) + 1
	}
	if len(segments) > len(expected) {
		return keyPath{}, fmt.Sprintf("%q has another slash at character %d, where the file name should end: %s.", given, at-1, form)
	}
	return keyPath{CustomerID: segments[2], UploadID: segments[3], FileName: segments[4]}, ""
}
