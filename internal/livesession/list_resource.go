package livesession

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// NewListResource returns the list resource vodlive_live_session of `terraform query`.
func NewListResource() list.ListResource {
	return &listResource{providerdata.Resource{TypeName: typeName}}
}

// listResource makes no GET per session: the listing has every field.
type listResource struct{ providerdata.Resource }

func (l *listResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	attributes := map[string]schema.Attribute{}
	for name, attribute := range filterAttributes {
		attributes[name] = attribute
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the live sessions of the account that match every filter. The provider applies the filters itself: it requests pages of the " +
			"service's listing until `limit` sessions have matched. The results have no URLs, because these carry stream keys.",
		Attributes: attributes,
	}
}

func (l *listResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var f filter
	diags := req.Config.Get(ctx, &f)
	diags.Append(l.Data.ReadLive(typeName)...)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		found := int64(0)
		for s, problem := range f.matching(ctx, l.Data) {
			if problem != nil {
				push(list.ListResult{Diagnostics: diag.Diagnostics{problem}})
				return
			}
			found++
			if !push(result(ctx, req, s)) || (req.Limit > 0 && found >= req.Limit) {
				return
			}
		}
	}
}

// result converts a session. The resource is the state that an import would read, but for the URLs:
// they carry stream keys, which `terraform query -json` would print.
func result(ctx context.Context, req list.ListRequest, s api.Session) list.ListResult {
	r := req.NewListResult(ctx)
	r.DisplayName = s.Name()
	setIdentity(ctx, r.Identity, s.ID(), &r.Diagnostics)
	if req.IncludeResource {
		m := newValues(ctx)
		m.fill(s, withoutURLs)
		r.Diagnostics.Append(r.Resource.Set(ctx, m.object())...)
	}
	return r
}
