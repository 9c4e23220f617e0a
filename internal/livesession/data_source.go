package livesession

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// sessionAttributes returns every field of a session as a computed attribute. The framework takes
// the attributes of a resource for a data source, too.
func sessionAttributes() map[string]schema.Attribute {
	computed := map[string]schema.Attribute{}
	for _, a := range attributes {
		computed[a.name] = a.computed()
	}
	return computed
}

// NewDataSource returns the data source vodlive_live_session.
func NewDataSource() datasource.DataSource {
	return &single{providerdata.DataSource{TypeName: typeName}}
}

type single struct{ providerdata.DataSource }

func (d *single) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := sessionAttributes()
	attributes["id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Id of the session. It is an error if the account has no session with this id.",
		Validators:          rules(notBlank),
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one live session by its id, with every field that the service returns.",
		Attributes:          attributes,
	}
}

func (d *single) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	m := model{session: newSession()}
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("id"), &m.ID)...)
	resp.Diagnostics.Append(d.Data.ReadLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	d.read(ctx, &m, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, m.session)...)
	}
}

// read reads the session with the id of m.
func (d *single) read(ctx context.Context, m *model, diags *diag.Diagnostics) {
	id := m.ID.ValueString()
	since := time.Now()
	s, err := d.Data.API.GetSession(ctx, id)
	switch {
	case api.NotFound(err):
		diags.Append(noSuchSession(id, d.Data.LiveAddress, err))
		return
	case err != nil:
		diags.Append(providerdata.ErrorDiagnostic(fmt.Sprintf("Reading live session %s", id), err))
		return
	}
	m.fill(s, attributes)
	if required, fromList := m.untold(); len(required)+len(fromList) > 0 {
		if s, _ := listed(ctx, d.Data, id, since, diags); s != nil {
			m.fill(s, attributes)
		}
	}
}

const listTypeName = "vodlive_live_sessions"

// NewListDataSource returns the data source vodlive_live_sessions.
func NewListDataSource() datasource.DataSource {
	return &several{providerdata.DataSource{TypeName: listTypeName}}
}

type several struct{ providerdata.DataSource }

type severalModel struct {
	filter

	Limit    types.Int64 `tfsdk:"limit"`
	Sessions []session   `tfsdk:"sessions"`
}

func (d *several) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"limit": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Maximum number of sessions in `sessions`, at least 1. Reading stops as soon as that many have matched, " +
				"which saves requests in a large account (a page has 100 sessions). Default: no limit.",
			Validators: []validator.Int64{int64validator.AtLeast(1)},
		},
		"sessions": schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "The sessions that match every filter, in the order of the service's listing.",
			NestedObject:        schema.NestedAttributeObject{Attributes: sessionAttributes()},
		},
	}
	maps.Copy(attributes, filterAttributes)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the live sessions of the account, with every field that the service returns. The provider applies the filters itself: " +
			"each read requests pages of the service's listing until `limit` sessions have matched.",
		Attributes: attributes,
	}
}

func (d *several) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m severalModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	resp.Diagnostics.Append(d.Data.ReadLive(listTypeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.Sessions = []session{}
	for s, problem := range m.matching(ctx, d.Data) {
		if problem != nil {
			resp.Diagnostics.Append(problem)
			return
		}
		item := newSession()
		item.fill(s, attributes)
		m.Sessions = append(m.Sessions, item)
		if !m.Limit.IsNull() && int64(len(m.Sessions)) == m.Limit.ValueInt64() {
			break
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
