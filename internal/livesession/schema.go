package livesession

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// resourceSchema is the schema of the resource. ModifyPlan decides which changes replace the session.
func resourceSchema(ctx context.Context) schema.Schema {
	known := map[string]schema.Attribute{
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
		"deletion_protection": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether Terraform must keep the session in the state. While this is `true` in the state, every plan that would destroy or replace " +
				"the session is an error, also if the resource block is no longer in the configuration. To allow such a plan, set it to `false` and apply. " +
				"The protection begins when the session has been created without an error. Default: `false`. A change makes no request.",
		},
		"endpoints_in_state": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether plan and state have the endpoints of the session, whose paths carry stream keys. With `false`, `input_endpoint_a`, `input_endpoint_b`, " +
				"`output_endpoint_a` and `output_endpoint_b` are null: read them with the ephemeral resource `vodlive_live_session`. The data sources of sessions and the resource `vodlive_live_session_status` " +
				"put them into the state nevertheless. Default: `true`. " +
				"A change makes no request: after a change to `true`, the next refresh reads the endpoints.",
		},
		"urls_wo_version": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Version of the write-only URLs, which Terraform does not store: required with any of them. " +
				"Raise it whenever one of the URLs changes: this replaces the session.",
		},
		"timeouts": providerdata.Timeouts(ctx, timeouts.Opts{
			Create: true,
			CreateDescription: "Time limit for creating the session, including the wait for `wait_for_status`, " +
				"as a duration such as `\"90s\"` or `\"1h30m\"`. Default: `\"20m\"`.",
		}),
	}
	for _, a := range computed {
		known[a.name] = a.computed()
	}
	for _, a := range arguments {
		known[a.name] = a.argument()
		if a.twin != nil {
			known[a.name+writeOnlySuffix] = a.writeOnlyArgument()
		}
	}
	return schema.Schema{
		MarkdownDescription: "A live stream session. Creating the resource creates the session and waits until it is usable.\n\n" +
			"The service has no call to change a session. A change of any argument except `wait_for_status`, " +
			"`replace_on_status`, `deletion_protection`, `endpoints_in_state` and `timeouts` creates a new session.\n\n" +
			"Another spelling of the same value is not a change: another letter case of `region`, an alias of `timezone`, another layout of " +
			"`scheduled_at`, another letter case of the scheme or host of a URL, or its default port.\n\n" +
			"The service has no call to stop or delete a session either: **destroying or replacing the resource only removes " +
			"the session from the state; the session keeps running.** The plan warns of this and names the session's id.",
		Attributes: known,
	}
}

// argument returns the attribute as an argument of the resource.
func (a attribute) argument() schema.Attribute {
	switch a.value(&session{}).(type) {
	case types.Bool:
		return schema.BoolAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: a.description + " Default: `false`.",
			Default:             booldefault.StaticBool(false),
		}
	case types.Object:
		arguments := map[string]schema.Attribute{}
		for _, part := range presetParts {
			argument := schema.StringAttribute{
				Required:            part.byDefault.IsNull(),
				MarkdownDescription: part.description,
				Validators:          rules(oneOf(part.values...)),
			}
			if byDefault := part.byDefault.ValueString(); byDefault != "" {
				argument.Optional, argument.Computed = true, true
				argument.MarkdownDescription += " Default: `" + byDefault + "`."
				argument.Default = stringdefault.StaticString(byDefault)
			}
			arguments[part.name] = argument
		}
		return schema.SingleNestedAttribute{Required: true, MarkdownDescription: a.description, Attributes: arguments}
	}
	return schema.StringAttribute{
		Required: a.needs == nil, Optional: a.needs != nil, Sensitive: a.sensitive,
		MarkdownDescription: a.description + a.rule,
		Validators:          a.valid,
		PlanModifiers:       []planmodifier.String{keepSpelling{a}},
	}
}

const writeOnlySuffix = "_wo"

func (a attribute) writeOnlyArgument() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Sensitive: true, WriteOnly: true,
		MarkdownDescription: fmt.Sprintf("`%s` as a write-only argument, for Terraform and OpenTofu from 1.11 on: it is in no plan and no state. "+
			"Set only one of the two. Requires `urls_wo_version`. The data sources of sessions show the URL nevertheless, because the service returns it.", a.name),
		Validators: append(rules(
			stringvalidator.ConflictsWith(path.MatchRoot(a.name)),
			stringvalidator.AlsoRequires(path.MatchRoot("urls_wo_version")),
		), a.valid...),
	}
}

// computed returns the attribute as a value of the service.
func (a attribute) computed() schema.Attribute {
	switch a.value(&session{}).(type) {
	case types.Bool:
		return schema.BoolAttribute{Computed: true, MarkdownDescription: a.description}
	case types.Int64:
		return schema.Int64Attribute{
			Computed: true, MarkdownDescription: a.description,
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		}
	case types.Object:
		parts := map[string]schema.Attribute{}
		for _, part := range presetParts {
			parts[part.name] = schema.StringAttribute{Computed: true, MarkdownDescription: part.description}
		}
		return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: a.description, Attributes: parts}
	}
	return schema.StringAttribute{
		Computed: true, Sensitive: a.sensitive, MarkdownDescription: a.description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func statusSet() []validator.Set {
	return []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(notBlank, knownStatus)}
}
