package mediafolder

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

var defaultInclude = types.SetValueMust(types.StringType, []attr.Value{types.StringValue("**")})

// Schema has no plan modifiers: ModifyPlan decides all computed values together, from the files.
func (r *mediaFolder) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := Arguments()
	attributes["sha256s"] = schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "SHA-256 that the content of files must have, by relative path, in hexadecimal. A plan does not read these files: a file is uploaded if its SHA-256 here differs from the stored file's, " +
			"and nothing but this content is sent. Other files are read as usual. A name that no selected file of the folder has is an error. A change sends nothing by itself.",
		Validators: []validator.Map{providerdata.NoNulls, mapvalidator.ValueStringsAre(mediafile.SHA256)},
	}
	attributes["triggers"] = schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Values of what makes the files of the folder, if the same apply makes them, for example a hash or an id. While one is unknown, the plan does not look at the folder, which need not be there yet, " +
			"and `files` is known after the apply. A change sends nothing by itself.",
	}
	maps.Copy(attributes, computedAttributes())
	attributes["timeouts"] = providerdata.Timeouts(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long uploading all files may take, as a duration such as \"30m\" or \"48h\". Default: `\"24h\"`.",
		Update: true, UpdateDescription: "How long uploading the changed files may take, as a duration such as \"30m\" or \"48h\". Default: `\"24h\"`.",
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Uploads the files of a folder. Use it for many files: Terraform's own time grows with the square of the instances of a resource. " +
			"Each file is planned by its content, as `vodlive_media_upload` does: a changed file is uploaded under a new key path, the others are left alone. " +
			"If some files fail, the others are stored and stay in the state, and the next apply sends only what is missing. " +
			"The service has no call to delete a file: removing a file from the folder, or destroying this resource, only forgets it.",
		Attributes: attributes,
	}
}

// Arguments are those of the resource that an upload without a state has, too (see Selection).
func Arguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"source_dir": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "Path of the folder. A relative path starts at the folder in which Terraform runs. Moving the folder changes nothing at the service. " +
				"Once everything is uploaded, the folder need not be there any more: a plan then warns and changes nothing.",
			Validators: []validator.String{mediafile.SourcePath("name the folder, and the pattern in `include`")},
		},
		"include": schema.SetAttribute{
			Optional: true, Computed: true, ElementType: types.StringType, Default: setdefault.StaticValue(defaultInclude),
			MarkdownDescription: "Patterns of the files to upload. They mean what they mean in `.gitignore`: `clips` and `clips/` are the folder with all in it, `*.mp4` matches at any depth, " +
				"and a slash at the beginning or in the middle makes a pattern start at `source_dir`. `*` and `?` match within a name, `**` any number of folders, " +
				"`{mp4,mov}` alternatives, `[a-z]` a range, `[[:digit:]]` a class. Letter case counts. Hidden files, and all files in hidden folders, are selected only by a pattern that has the dot, such as `.well-known/`. " +
				"A pattern that selects no file is a warning. Default `[\"**\"]`: all files that are not hidden.",
			Validators: []validator.Set{setvalidator.SizeAtLeast(1), providerdata.NoNulls, setvalidator.ValueStringsAre(pattern)},
		},
		"exclude": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Patterns of files that are not uploaded although `include` selects them, written as in `include`; wildcards match hidden files, too.",
			Validators:          []validator.Set{providerdata.NoNulls, setvalidator.ValueStringsAre(pattern)},
		},
		"name_format": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(formatBase),
			MarkdownDescription: "How the name of a stored file is made of its relative path. `base`: the last part; files with one base name are an error. " +
				"`flat`: the whole path, with `_` in place of slashes. A file whose name changes is uploaded again. Default: `base`.",
			Validators: []validator.String{stringvalidator.OneOf(formatBase, formatFlat)},
		},
		"content_types": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Media types by extension, for example `{ \".mxf\" = \"application/mxf\" }`. Other extensions have the media type that the provider knows, " +
				"else the one found from the content. Letter case and the dot do not count; two keys for one extension are an error. A file whose configured media type changes is uploaded again.",
			Validators: []validator.Map{
				providerdata.NoNulls, mapvalidator.KeysAre(extension),
				mapvalidator.ValueStringsAre(mediafile.MediaType),
				eachExtensionOnce{},
			},
		},
	}
}

func computedAttributes() map[string]schema.Attribute {
	text, number := mediafile.ComputedText, mediafile.ComputedNumber
	var fields []string
	for _, t := range entryTexts {
		fields = append(fields, fmt.Sprintf("`%s` (%s)", t.name, t.about))
	}
	incomplete := mediafile.IncompleteAttributes()
	// Without being sensitive: the map is, as a whole, which costs Terraform less time.
	incomplete["parts"] = text(incomplete["parts"].GetMarkdownDescription())
	return map[string]schema.Attribute{
		"id":         text("Made by the provider when every file was stored for the first time; null until then."),
		"file_count": number("Number of files in `files`."),
		"total_size": number("Size of all files in `files` together, in bytes."),
		// Not nested attributes, here and in other collections of computed objects: `terraform
		// test` cannot mock those.
		"files": schema.MapAttribute{
			Computed: true, ElementType: entryType,
			MarkdownDescription: "The stored files by their paths relative to `source_dir`, with slashes. A plan shows what it will change here, so `for_each` over it works. " +
				"Each file has " + strings.Join(fields, ", ") + ", and `size` (of its content in bytes). " +
				"`etag` and `uploaded_at` are null if they are not known, as for an adopted file.",
		},
		"incomplete_uploads": schema.MapNestedAttribute{
			Computed: true, Sensitive: true,
			MarkdownDescription: "What is needed to continue the multipart uploads that failed or were interrupted, by relative path. Null if there are none.",
			NestedObject:        schema.NestedAttributeObject{Attributes: incomplete},
		},
	}
}
