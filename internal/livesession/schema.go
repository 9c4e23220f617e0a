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
			MarkdownDescription: "Statuses to wait for after a create. Default: `[\"READY\", \"SCHEDULED\"]`. With an empty set: until the session can be read. " +
				"The provider reads the session every few seconds, so name the statuses that follow, too: with `ALLOCATED` alone, a session that is `READY` by then is waited for in vain. " +
				"`ERROR`, `TERMINATED`, `STOPPED` and `CANCELLED` end the wait with an error unless they are in the set.",
			Validators: statusSet(),
		},
		"replace_on_status": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Statuses in which a plan creates a new session for the one in the state, for example `[\"ERROR\", \"TERMINATED\"]`. " +
				"Default: none.",
			Validators: statusSet(),
		},
		"deletion_protection": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether plans that would destroy the session or create a new one for it are errors, even without the resource block. For a tainted session, the apply is an error, not the plan. " +
				"To destroy or replace the session, apply `false` first; a changed argument may be in the same apply. A session that ended before it was ready is not protected. Default: `false`.",
		},
		"endpoints_in_state": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether plan and state have the four endpoints, whose paths carry stream keys. With `false` they are null: " +
				"read them with the ephemeral resource `vodlive_live_session`. Default: `true`. A change to `true` reads the session once.",
		},
		"urls_wo_version": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Version of the write-only URLs, which take ephemeral values. Required with any of them. Raise it when one of them changes: this creates a new session. " +
				"Moving the same URL to its plain argument, or back, changes nothing. Data sources and `vodlive_live_session_status` " +
				"with `include_urls` store these URLs, too.",
		},
		"timeouts": providerdata.Timeouts(ctx, timeouts.Opts{
			Create:            true,
			CreateDescription: "Time limit for a create with its wait, such as `\"90s\"` or `\"1h30m\"`. Default: `\"20m\"`.",
			Update:            true,
			UpdateDescription: "Time limit for an update that creates a session or waits for one. Default: `create`.",
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
			"The service has no call to change or stop a session. A change of any argument except `wait_for_status`, " +
			"`replace_on_status`, `deletion_protection`, `endpoints_in_state` and `timeouts` creates a new session, which Terraform shows as an update: " +
			"the state keeps the old session until the new one exists, and then has the new `id`. The old one keeps running, as after a destroy.\n\n" +
			"Another spelling of the same value is not a change: letter case of `region`, an alias of `timezone`, another layout of " +
			"`scheduled_at`, letter case of the scheme or host of a URL, or its default port. An argument that does not apply is an error.",
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
		Validators:    a.valid,
		PlanModifiers: []planmodifier.String{keepSpelling{a}},
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

// keepSpelling plans the value of the state if the configuration has another spelling of it, so
// that the plan shows no change. After an import the state has the service's spelling.
type keepSpelling struct{ attribute }

func (keepSpelling) Description(context.Context) string {
	return "Another spelling of the same value is not a change."
}

func (k keepSpelling) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

func (k keepSpelling) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if k.equal(req.StateValue, req.PlanValue) {
		resp.PlanValue = req.StateValue
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
