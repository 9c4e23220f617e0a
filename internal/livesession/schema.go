package livesession

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// resourceSchema is the schema of the resource. ModifyPlan decides which changes need a new
// session.
func resourceSchema(ctx context.Context) schema.Schema {
	known := map[string]schema.Attribute{
		"wait_for_status": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Statuses to wait for after a create, of `PENDING`, `PROVISIONING`, `ALLOCATED`, `READY`, `STOPPING`, `STOPPED`, `TERMINATED`, `ERROR`, `SCHEDULED` and `CANCELLED`. " +
				"`ERROR`, `TERMINATED`, `STOPPED` and `CANCELLED` end the wait with an error unless they are in the set. With an empty set, the create waits for none. Default: `[\"READY\", \"SCHEDULED\"]`.",
			Validators: statusSet(),
		},
		"replace_on_status": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Statuses in which a plan replaces the session, for example `[\"ERROR\", \"TERMINATED\"]`. Default: none.",
			Validators:          statusSet(),
		},
		"on_existing": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "What a create does if a session already runs with arguments of the same meaning, as after a run that was killed. " +
				"`fail`: an error names the session. `use`: the resource takes the session. `create`: another session is created, without a search. " +
				"A session that the same apply has removed from the state is used with `fail`, too. Default: `fail`.",
			Validators: rules(oneOf(existingFail, existingUse, existingCreate)),
		},
		"deletion_protection": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "If true, plans that would destroy or replace the session fail, even without the resource block. `false` in the same plan allows a replacement; to destroy the session, or with `create_before_destroy`, apply `false` first. " +
				"No plan sees `-replace` and a taint: these use the same session again, unless an argument changes or `on_existing` is `create`. Default: `false`.",
		},
		"endpoints_in_state": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether the state has the endpoints, whose paths carry stream keys. With `false` they are null: " +
				"read them with the ephemeral resource `vodlive_live_session`. After a change to `true`, the next refresh reads them. Default: `true`.",
		},
		"urls_wo_version": schema.Int64Attribute{
			Optional:            true,
			MarkdownDescription: "Version of the write-only URLs, required with any of them. Raise it when a URL changes: this replaces the session.",
		},
		"timeouts": providerdata.Timeouts(ctx, timeouts.Opts{
			Create:            true,
			CreateDescription: "Time limit for a create with its wait, such as `\"90s\"` or `\"1h30m\"`. Default: `\"20m\"`.",
		}),
	}
	for _, a := range attributes {
		known[a.Name] = a.schema()
	}
	for _, a := range twins {
		known[a.twin()] = a.twinSchema()
	}
	return schema.Schema{
		MarkdownDescription: "A live stream session. Creating the resource creates the session and waits until it is usable.\n\n" +
			"A change of any argument except `wait_for_status`, `replace_on_status`, `on_existing`, `deletion_protection`, `endpoints_in_state`, `timeouts` and a `*_wo` argument (raise `urls_wo_version`) replaces the session.",
		Attributes: known,
	}
}

// schema returns the attribute for the resource.
func (a attribute) schema() schema.Attribute {
	description := a.Description + a.Rule
	if a.Default != "" {
		description += fmt.Sprintf(" Default: `%s`.", a.Default)
	}
	switch none := a.none.(type) {
	case types.Bool:
		s := schema.BoolAttribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed, MarkdownDescription: description}
		if a.Default != "" {
			s.Default = booldefault.StaticBool(none.ValueBool())
		}
		return s
	case types.Int64:
		s := schema.Int64Attribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed, MarkdownDescription: description}
		if a.Default != "" {
			s.Default = int64default.StaticInt64(none.ValueInt64())
		} else if a.Computed {
			s.PlanModifiers = []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
		}
		return s
	case types.Object:
		parts := map[string]schema.Attribute{}
		for _, part := range a.parts {
			if !a.Required {
				part = part.readOnly()
			}
			parts[part.Name] = part.schema()
		}
		return schema.SingleNestedAttribute{
			Required: a.Required, Optional: a.Optional, Computed: a.Computed, MarkdownDescription: description, Attributes: parts,
		}
	}
	s := schema.StringAttribute{
		Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.sensitive(), MarkdownDescription: description,
		Validators: a.valid,
	}
	if a.Default != "" {
		s.Default = stringdefault.StaticString(a.Default)
	} else if a.Computed {
		s.PlanModifiers = []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	}
	return s
}

// readOnly returns the attribute for a schema in which the service sets all values.
func (a attribute) readOnly() attribute {
	a.Required, a.Optional, a.Computed, a.Rule, a.Default, a.valid = false, false, true, "", "", nil
	return a
}

func (a attribute) twinSchema() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Sensitive: true, WriteOnly: true,
		MarkdownDescription: fmt.Sprintf("As `%s`, but in no plan and no state.", a.Name),
		Validators: append(rules(
			stringvalidator.ConflictsWith(path.MatchRoot(a.Name)),
			stringvalidator.AlsoRequires(path.MatchRoot("urls_wo_version")),
		), a.valid...),
	}
}

// newValues returns every attribute of the resource as null.
func newValues(ctx context.Context) values {
	m := values{}
	for name, a := range resourceSchema(ctx).Attributes {
		m[name] = null(a.GetType())
	}
	return m
}

// computedAttributes returns attributes of a session as values of the service. A is the interface
// of the schema of a resource, a data source or an ephemeral resource: those of a resource
// implement all.
func computedAttributes[A any](list []attribute) map[string]A {
	all := map[string]A{}
	for _, a := range list {
		all[a.Name] = any(a.readOnly().schema()).(A) //nolint:forcetypeassert // see above
	}
	return all
}

// includeURLs returns the argument without which the state has no URLs of sessions.
func includeURLs(what string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether the state has " + what + ". The URLs carry stream keys, which everybody reads who can read the state. " +
			"To use a URL without storing it, read it with the ephemeral resource `vodlive_live_session`. Default: `false`.",
	}
}

// urlsAttribute returns the map of the URLs of sessions.
func urlsAttribute(description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, Sensitive: true, MarkdownDescription: description, ElementType: objectType(onlyURLs)}
}

// objectType returns the type of an object of these attributes.
func objectType(list []attribute) attr.Type { return unset(list).object().Type(context.Background()) }
