package livesession

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// NewDataSource returns the data source vodlive_live_session.
func NewDataSource() datasource.DataSource {
	return &sessionDataSource{providerdata.DataSource{TypeName: typeName}}
}

type sessionDataSource struct{ providerdata.DataSource }

func (d *sessionDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := computedAttributes[schema.Attribute](attributes)
	all["id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Id of the session. It is an error if the account has no session with this id.",
		Validators:          rules(sessionID),
	}
	all["include_urls"] = includeURLs("the URLs of the session; they are null otherwise")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one live session by its id, with every field that the service returns. " +
			"To find a session by its name, use the data source `vodlive_live_sessions`.",
		Attributes: all,
	}
}

func (d *sessionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	asked := valuesOf(ctx, req.Config, &resp.Diagnostics)
	resp.Diagnostics.Append(d.Data.ReadLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m := unset(attributes)
	m["id"] = asked["id"]
	if err := readSession(ctx, d.Data, m, attributes); err != nil {
		resp.Diagnostics.Append(unreadable(m.text("id"), d.Data.LiveAddress, err))
		return
	}
	resp.Diagnostics.Append(addListed(ctx, d.Data, m, attributes)...)
	if !asked.flag("include_urls").ValueBool() {
		m.clear(onlyURLs)
	}
	maps.Copy(asked, m)
	resp.Diagnostics.Append(resp.State.Set(ctx, asked.object())...)
}

const (
	listTypeName = "vodlive_live_sessions"
	mostBytes    = 256 << 20 // of the text of all sessions of the data source
)

// NewListDataSource returns the data source vodlive_live_sessions.
func NewListDataSource() datasource.DataSource {
	return &sessionsDataSource{providerdata.DataSource{TypeName: listTypeName}}
}

type sessionsDataSource struct{ providerdata.DataSource }

type sessionsModel struct {
	filter

	Limit       types.Int64 `tfsdk:"limit"`
	IncludeURLs types.Bool  `tfsdk:"include_urls"`
	Sessions    types.List  `tfsdk:"sessions"`
	IDs         types.List  `tfsdk:"ids"`
	URLs        types.Map   `tfsdk:"urls"`
}

func (d *sessionsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"limit": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Maximum number of sessions in `sessions`, at least 1. Reading stops as soon as that many have matched, " +
				"which saves requests in a large account (a page has 100 sessions). Default: no limit.",
			Validators: []validator.Int64{providerdata.NumberRule{Allowed: "must be at least 1", OK: func(n int64) bool { return n >= 1 }}},
		},
		"sessions": schema.ListAttribute{
			Computed: true, ElementType: objectType(withoutURLs),
			MarkdownDescription: "The sessions that match every filter, in the order of the service's listing, with every field of the resource `vodlive_live_session` that the service knows, but the URLs.",
		},
		"ids": schema.ListAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The ids of these sessions, in the same order.",
		},
		"include_urls": includeURLs("`urls`"),
		"urls": urlsAttribute("The URLs of these sessions, by session id, with `include_urls = true`; null otherwise. " +
			"They include those that a resource keeps out of the state. A URL that a session does not have is null."),
	}
	maps.Copy(attributes, filterAttributes)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the live sessions of the account, with every field that the service returns. The provider applies the filters itself: " +
			"each read requests pages of the service's listing until `limit` sessions have matched.\n\n" +
			"The URLs, which carry stream keys, are only in `urls`, a map that is sensitive as a whole.",
		Attributes: attributes,
	}
}

func (d *sessionsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m sessionsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	resp.Diagnostics.Append(d.Data.ReadLive(listTypeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	sessions, ids, urls, size := []attr.Value{}, []attr.Value{}, map[string]attr.Value{}, 0
	for s, problem := range m.matching(ctx, d.Data) {
		if problem != nil {
			resp.Diagnostics.Append(problem)
			return
		}
		item := unset(attributes)
		item.fill(s, attributes)
		sessions, ids = append(sessions, item.only(withoutURLs)), append(ids, item["id"])
		urls[s.ID()] = item.only(onlyURLs)
		for _, text := range s {
			size += len(text)
		}
		if size > mostBytes {
			resp.Diagnostics.AddError("Too many live sessions match",
				fmt.Sprintf("The first %d sessions that match have more than %d MiB of text. Use more filters, or set `limit`.", len(sessions), mostBytes>>20))
			return
		}
		if !m.Limit.IsNull() && int64(len(sessions)) == m.Limit.ValueInt64() {
			break
		}
	}
	m.Sessions, m.IDs = types.ListValueMust(objectType(withoutURLs), sessions), types.ListValueMust(types.StringType, ids)
	m.URLs = types.MapNull(objectType(onlyURLs))
	if m.IncludeURLs.ValueBool() {
		m.URLs = types.MapValueMust(objectType(onlyURLs), urls)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
