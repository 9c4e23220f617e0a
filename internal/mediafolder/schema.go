package mediafolder

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

var defaultInclude = types.SetValueMust(types.StringType, []attr.Value{types.StringValue("**")})

// Schema has no plan modifiers: ModifyPlan decides all computed attributes together.
func (r *mediaFolder) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := Arguments()
	maps.Copy(attributes, computedAttributes())
	attributes["triggers"] = schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Values of what makes the files, if the same apply makes them, for example an id. While one is unknown, the plan does not look at the folder, and `files` is known after the apply. A change sends nothing by itself.",
	}
	attributes["timeouts"] = providerdata.Timeouts(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long uploading all files may take, as a duration such as \"30m\" or \"48h\". Default: `\"24h\"`.",
		Update: true, UpdateDescription: "How long uploading the changed files may take, as a duration such as \"30m\" or \"48h\". Default: `\"24h\"`.",
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Uploads the files of a folder as one resource, which is faster than `for_each` over many files. " +
			"A file whose content changed is uploaded under a new key path, and the others are left alone. " +
			"If some files fail, the others are stored and stay in the state, and the next apply sends only what is missing. " +
			"A file that is removed from the folder only leaves the state.",
		Attributes: attributes,
	}
}

// Arguments returns the arguments of Selection.
func Arguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"source_dir": schema.StringAttribute{
			Required: true, Validators: []validator.String{mediafile.SourcePath("name the folder, and the pattern in `include`")},
			MarkdownDescription: "Path of the folder. A relative path starts at the folder in which Terraform runs. Terraform's own files are never uploaded: configurations, variables, states, and saved plans without the extension of a media file.",
		},
		"include": schema.SetAttribute{
			Optional: true, Computed: true, ElementType: types.StringType, Default: setdefault.StaticValue(defaultInclude),
			Validators: append([]validator.Set{setvalidator.SizeAtLeast(1)}, patternValidators...),
			MarkdownDescription: "Patterns of the files to upload, as in Terraform's `fileset()`, held against the path relative to `source_dir`: `*.mp4` selects files at the top, `**/*.mp4` at any depth, `clips/**` all of a folder. " +
				"Letter case counts. Hidden files, and files in hidden folders, are selected only by a pattern that has the dot, such as `.well-known/**`. Default: `[\"**\"]`.",
		},
		"exclude": schema.SetAttribute{
			Optional: true, ElementType: types.StringType, Validators: patternValidators,
			MarkdownDescription: "Patterns of files that are not uploaded although `include` selects them.",
		},
	}
}

var patternValidators = []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(isPattern)}

func computedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": mediafile.ComputedText("SHA-256 over the paths, contents and media types of all files. Null until every file was stored for the first time."),
		"files": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Key paths of the stored files, by path relative to `source_dir`. The plan shows which files the apply uploads: their key paths are known after the apply. So `for_each` over it works.",
		},
		"manifest": schema.StringAttribute{
			Computed: true, Sensitive: true,
			MarkdownDescription: "What is known of the stored files, as JSON for `jsondecode()`: by relative path `key_path`, `sha256`, `size` in bytes, `etag`, `content_type` and `uploaded_at`. Known after an apply that changes `files`. Sensitive only so that no plan prints it: `nonsensitive()` makes it readable.",
		},
		"file_count": mediafile.ComputedNumber("Number of files in `files`."),
		"total_size": mediafile.ComputedNumber("Size of all files together, in bytes."),
		// Not a nested attribute: `terraform test` cannot mock those in a map.
		"incomplete_uploads": schema.MapAttribute{
			Computed: true, Sensitive: true, ElementType: incompleteType,
			MarkdownDescription: "What is needed to go on with uploads in parts that failed or were interrupted, by relative path. Null if there are none. Sensitive because it is long, not because it is secret.",
		},
	}
}
