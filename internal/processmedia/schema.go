package processmedia

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/batchjob"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafolder"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediaupload"
	"github.com/vodlive/terraform-provider-vodlive/internal/noun"
)

func (a *processMedia) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := ofResource(mediaupload.Arguments(), map[string]string{
		"source":       "Path of the file to upload. Set exactly one of `source` and `source_dir`.",
		"file_name":    "With `source`: name of the stored file. Default: the base name of `source`.",
		"content_type": "With `source`: media type of the file. Default: found from the extension of the file name, else from the content.",
		"sha256":       "With `source`: SHA-256 that the content must have, in hexadecimal. Saves reading the file before it is sent.",
	}, "source")
	folder := ofResource(mediafolder.Arguments(), map[string]string{
		"source_dir": "Path of a folder. All its files that `include` and `exclude` select are uploaded, and one batch job is submitted on all of them.",
		"include":    "", "exclude": "", "name_format": "", "content_types": "",
	}, "source_dir")
	maps.Copy(attributes, folder)
	shared := map[string]string{}
	for name := range mediafile.ArgumentAttributes() {
		shared[name] = ""
	}
	maps.Copy(attributes, ofResource(mediafile.ArgumentAttributes(), shared, ""))
	attributes["service_modes"] = schema.ListAttribute{
		Required: true, ElementType: types.StringType,
		MarkdownDescription: "Processing modes, for example `[\"video_optimizer\"]`. At least one, each only once.",
		Validators: []validator.List{
			listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), noun.NoNulls,
			listvalidator.ValueStringsAre(batchjob.ServiceMode),
		},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Uploads a file, or the files of a folder, and submits one batch job on them, each time it is invoked, and keeps nothing in the state. " +
			"Progress is shown while it runs. If some files fail, no job is submitted. " +
			"When the action is invoked again on the same machine, it continues from its records in `resume_dir`: stored files of a folder, and stored parts of a large file, are not sent again.",
		Attributes: attributes,
	}
}

// ofAState are the sentences of descriptions that are about what a state keeps.
var ofAState = strings.NewReplacer(" A change sends nothing.", "", " A file whose name changes is uploaded again.", "",
	" A file whose configured media type changes is uploaded again.", "")

// ofResource makes optional arguments with the rules of a resource's, and with the descriptions of
// those where they are "". All of them require the argument of.
func ofResource(arguments map[string]resourceschema.Attribute, descriptions map[string]string, of string) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for name, description := range descriptions {
		if description == "" {
			description = ofAState.Replace(arguments[name].GetMarkdownDescription())
		}
		var required []path.Expression
		if name != of && of != "" {
			required = append(required, path.MatchRoot(of))
		}
		switch a := arguments[name].(type) {
		case resourceschema.StringAttribute:
			attributes[name] = schema.StringAttribute{
				Optional: true, MarkdownDescription: description, Validators: append(a.Validators, stringvalidator.AlsoRequires(required...)),
			}
		case resourceschema.Int64Attribute:
			attributes[name] = schema.Int64Attribute{Optional: true, MarkdownDescription: description, Validators: a.Validators}
		case resourceschema.SetAttribute:
			attributes[name] = schema.SetAttribute{
				Optional: true, ElementType: a.ElementType, MarkdownDescription: description, Validators: append(a.Validators, setvalidator.AlsoRequires(required...)),
			}
		case resourceschema.MapAttribute:
			attributes[name] = schema.MapAttribute{
				Optional: true, ElementType: a.ElementType, MarkdownDescription: description, Validators: append(a.Validators, mapvalidator.AlsoRequires(required...)),
			}
		default:
			panic("no argument " + name)
		}
	}
	return attributes
}
