package livesession

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// NewDataSource returns the data source vodlive_live_session.
func NewDataSource() datasource.DataSource {
	return &sessionDataSource{providerdata.DataSource{TypeName: typeName}}
}

type sessionDataSource struct{ providerdata.DataSource }

var _ datasource.DataSourceWithConfigValidators = (*sessionDataSource)(nil)

func (d *sessionDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := computedAttributes[schema.Attribute](attributes)
	all["id"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Id of the session. Set either `id` or `name`. It is an error if the account has no session with this id.",
		Validators:          rules(sessionID),
	}
	all["name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Name of the session, letter case included. It is an error if the account has no session with this name, or several. " +
			"Sessions in status `ERROR`, `TERMINATED`, `STOPPED` or `CANCELLED` do not count if another one has this name, because a session that was replaced keeps its name.",
		Validators: rules(notBlank, stringvalidator.LengthAtMost(api.TextLimit)),
	}
	all["statuses"] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "With `name`: only a session with one of these statuses, for example `[\"READY\", \"SCHEDULED\"]`.",
		Validators:          append(statusSet(), setvalidator.SizeAtLeast(1), setvalidator.AlsoRequires(path.MatchRoot("name"))),
	}
	all["include_urls"] = includeURLs("the URLs of the session; they are null otherwise")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one live session by its id or its name, with every field that the service returns. " +
			"Reading by name takes one request for every 100 sessions of the account. Reading by id takes one request more, because only the listing shows some fields, such as `port`.",
		Attributes: all,
	}
}

func (d *sessionDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))}
}

func (d *sessionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	asked := get(ctx, req.Config, &resp.Diagnostics)
	resp.Diagnostics.Append(d.Data.ReadLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m := unset(attributes)
	m["id"] = asked["id"]
	if m["id"].IsNull() {
		s, problem := d.named(ctx, asked.str("name"), asked.set("statuses"))
		if problem != nil {
			resp.Diagnostics.Append(problem)
			return
		}
		m.fill(s, attributes)
	} else {
		readByID(ctx, d.Data, m, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if !asked.flag("include_urls").ValueBool() {
		m.clear(onlyURLs)
	}
	maps.Copy(asked, m)
	resp.Diagnostics.Append(resp.State.Set(ctx, asked.object())...)
}

// readByID reads the session with the id of m.
func readByID(ctx context.Context, data *providerdata.Data, m values, diags *diag.Diagnostics) {
	id := m.text("id")
	since := time.Now()
	s, err := data.API.GetSession(ctx, id)
	switch {
	case api.NotFound(err):
		switch listed, listErr := listedAfterAll(ctx, data, id); {
		case listErr != nil:
			diags.Append(unlistable(id, err, listErr))
		case listed:
			diags.Append(listedOnly(id, err, diag.SeverityError))
		default:
			diags.Append(noSuchSession(id, data.LiveAddress, err))
		}
		return
	case err != nil:
		diags.Append(providerdata.ErrorDiagnostic("Reading the live session", err))
		return
	}
	m.fill(s, attributes)
	if required, missing := m.missing(); len(required)+len(missing) > 0 {
		if s, _ := fromListing(ctx, data, s.ID(), since, diags); s != nil {
			m.fill(s, m.left(attributes))
		}
	}
	m["id"] = types.StringValue(id) // the service may write it in another letter case, which Terraform refuses
}

// noSuchSession is the error for an id that the account does not have.
func noSuchSession(id, base string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("No live session has this id",
		fmt.Sprintf("No session of this account has the id %q. The provider looked for it at %s with the configured access token id. "+
			"Check the id, and that `base_url` and the credentials belong to the account that has the session. "+
			"The data source `vodlive_live_sessions` lists the sessions of an account.\n\n%s", id, base, providerdata.ErrorText(err)))
}

// mostNamed is how many sessions of one name a diagnostic lists.
const mostNamed = 10

// named returns the only session of the account with a name and, unless the set is null, one of
// these statuses. Sessions that have ended count only if all of them have.
func (d *sessionDataSource) named(ctx context.Context, name types.String, of types.Set) (api.Session, diag.Diagnostic) {
	var found, ended []api.Session
	sameName := filter{Name: name, Statuses: of}
	for s, problem := range sameName.matching(ctx, d.Data) {
		switch {
		case problem != nil:
			return nil, problem
		case terminal(s.Status()):
			ended = append(ended, s)
		default:
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		found = ended
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		withStatus := ""
		if !of.IsNull() {
			withStatus = " and the status " + enumerate(elements(of), "or")
		}
		return nil, diag.NewAttributeErrorDiagnostic(path.Root("name"), "No live session has this name",
			fmt.Sprintf("No session of this account has the name %q%s. The provider listed the sessions at %s with the configured access token id. "+
				"Check the name, letter case included, and that `base_url` and the credentials belong to the account that has the session. "+
				"The data source `vodlive_live_sessions` lists the sessions of an account.", name.ValueString(), withStatus, d.Data.LiveAddress))
	}
	var lines []string
	for _, s := range found[:min(len(found), mostNamed)] {
		lines = append(lines, fmt.Sprintf("%s (status %s)", s.ID(), s.Status()))
	}
	text := providerdata.List(lines)
	if more := len(found) - len(lines); more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	remedy := "Set `id` to the id of one of them, in place of `name`"
	if slices.ContainsFunc(found[1:], func(s api.Session) bool { return s.Status() != found[0].Status() }) {
		remedy += ", or `statuses` to those of only one"
	}
	return nil, diag.NewAttributeErrorDiagnostic(path.Root("name"), "Several live sessions have this name",
		fmt.Sprintf("%d sessions of this account have the name %q:\n%s\n\n%s.", len(found), name.ValueString(), text, remedy))
}

const listTypeName = "vodlive_live_sessions"

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
	sessions, ids, urls := []attr.Value{}, []attr.Value{}, map[string]attr.Value{}
	for s, problem := range m.matching(ctx, d.Data) {
		if problem != nil {
			resp.Diagnostics.Append(problem)
			return
		}
		item := unset(attributes)
		item.fill(s, attributes)
		sessions, ids = append(sessions, item.only(withoutURLs)), append(ids, item["id"])
		urls[s.ID()] = item.only(onlyURLs)
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
