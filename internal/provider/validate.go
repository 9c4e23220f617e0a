package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
)

var _ provider.ProviderWithValidateConfig = (*vodlive)(nil)

// ValidateConfig applies the rules of Configure to what the provider block has, without the
// environment and without reading a file.
func (p *vodlive) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r := resolver{env: func(string) (string, bool) { return "", false }, withoutFiles: true}
	r.resolve(m)
	resp.Diagnostics.Append(r.diags...)
}
