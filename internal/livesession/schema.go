package livesession

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// resourceSchema is the schema of the resource. Every argument that the service knows requires
// replacement, because the service has no call to change a session.
func resourceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A live stream session. Creating the resource creates the session and waits until it is usable.\n\n" +
			"The service has no call to change a session. A change of any argument except `wait_for_status`, " +
			"`replace_on_status` and `timeouts` creates a new session.\n\n" +
			"Another spelling of the same value is not a change: another letter case of `region`, an alias of `timezone`, another layout of " +
			"`scheduled_at`, another letter case of the scheme or host of a URL, or its default port.\n\n" +
			"The service has no call to stop or delete a session either: **destroying or replacing the resource only removes " +
			"the session from the state; the session keeps running.** The plan warns of this and names the session's id.",
		Attributes: map[string]schema.Attribute{
			"name":        required("name", notBlank()),
			"region":      required("region", notBlank()),
			"input":       required("input", oneOf(directions...)),
			"mode":        required("mode", oneOf(modes...)),
			"output_mode": required("output_mode", oneOf(directions...)),
			"input_preset": schema.SingleNestedAttribute{
				Required:            true,
				MarkdownDescription: descriptions["input_preset"],
				PlanModifiers:       []planmodifier.Object{objectplanmodifier.RequiresReplace()},
				Attributes: map[string]schema.Attribute{
					"codec": schema.StringAttribute{
						Optional: true, Computed: true,
						MarkdownDescription: descriptions["codec"] + " Default: `H264`.",
						Default:             stringdefault.StaticString(codecs[0]),
						Validators:          []validator.String{oneOf(codecs...)},
					},
					"resolution": schema.StringAttribute{
						Required:            true,
						MarkdownDescription: descriptions["resolution"],
						Validators:          []validator.String{oneOf(resolutions...)},
					},
					"bitrate": schema.StringAttribute{
						Required:            true,
						MarkdownDescription: descriptions["bitrate"],
						Validators:          []validator.String{oneOf(bitrates...)},
					},
				},
			},
			"input_source_a":       optional("input_source_a", true, streamURL()),
			"input_source_b":       optional("input_source_b", true, streamURL()),
			"output_destination_a": optional("output_destination_a", true, streamURL()),
			"output_destination_b": optional("output_destination_b", true, streamURL()),
			"enable_input_record":  flag("enable_input_record"),
			"is_scheduled":         flag("is_scheduled"),
			"timezone":             optional("timezone", false, timezone()),
			"scheduled_at":         optional("scheduled_at", false, localTime()),

			"wait_for_status": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Statuses to wait for after the session has been created. Default: `[\"READY\", \"SCHEDULED\"]`. " +
					"With an empty set, the create waits only until the session can be read. `ERROR`, `TERMINATED`, `STOPPED` and `CANCELLED` end the " +
					"wait with an error unless they are in the set. A change makes no request.",
				Validators: statusSet(),
			},
			"replace_on_status": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Statuses in which a plan replaces the session with a new one, for example `[\"ERROR\", \"TERMINATED\"]`. " +
					"Default: none, so a session that has ended stays in the state. A change makes no request by itself. " +
					"For an existing session the value must be known during plan.",
				Validators: statusSet(),
			},
			"timeouts": timeoutsAttribute(ctx),

			"id":                computed("id", false),
			"status":            computed("status", false),
			"input_endpoint_a":  computed("input_endpoint_a", true),
			"input_endpoint_b":  computed("input_endpoint_b", true),
			"output_endpoint_a": computed("output_endpoint_a", true),
			"output_endpoint_b": computed("output_endpoint_b", true),
			"user_id":           computed("user_id", false),
			"transcoder_id":     computed("transcoder_id", false),
			"sub_domain_a":      computed("sub_domain_a", false),
			"sub_domain_b":      computed("sub_domain_b", false),
			"elastic_ip_a":      computed("elastic_ip_a", false),
			"elastic_ip_b":      computed("elastic_ip_b", false),
			"port":              computedPort("port"),
			"egress_port":       computedPort("egress_port"),
		},
	}
}

func required(name string, valid validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: descriptions[name],
		Validators:          []validator.String{valid},
		PlanModifiers:       []planmodifier.String{keepSpelling{name}, stringplanmodifier.RequiresReplace()},
	}
}

func optional(name string, sensitive bool, valid validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Sensitive: sensitive,
		MarkdownDescription: descriptions[name] + rules[name],
		Validators:          []validator.String{valid},
		PlanModifiers:       []planmodifier.String{keepSpelling{name}, stringplanmodifier.RequiresReplace()},
	}
}

func flag(name string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: descriptions[name] + " Default: `false`.",
		Default:             booldefault.StaticBool(false),
		PlanModifiers:       []planmodifier.Bool{boolplanmodifier.RequiresReplace()},
	}
}

func computed(name string, sensitive bool) schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true, Sensitive: sensitive,
		MarkdownDescription: descriptions[name],
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func computedPort(name string) schema.Int64Attribute {
	return schema.Int64Attribute{
		Computed:            true,
		MarkdownDescription: descriptions[name],
		PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

func statusSet() []validator.Set {
	return []validator.Set{
		setvalidator.NoNullValues(),
		setvalidator.ValueStringsAre(knownStatus()),
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	return providerdata.Timeouts(ctx, timeouts.Opts{
		Create: true,
		CreateDescription: "Time limit for creating the session, including the wait for `wait_for_status`, " +
			"as a duration such as `\"90s\"` or `\"1h30m\"`. Default: `\"20m\"`.",
	})
}
