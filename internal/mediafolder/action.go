package mediafolder

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Check returns what Upload would fail on, as far as it shows without reading the files. The same
// plan may make the folder.
func (s Selection) Check(ctx context.Context) diag.Diagnostics {
	p := planner{plan: s.alone()}
	if !p.plan.known(ctx) {
		return nil
	}
	if _, err := p.find(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.refuse(err.Error() + ".")
	}
	return p.diags
}

func (s Selection) alone() model {
	none := types.MapNull(types.StringType)
	return model{Selection: s, SHA256s: none, Triggers: none}
}

// Upload stores all files, without a state. show gets lines of progress.
func (s Selection) Upload(ctx context.Context, data *providerdata.Data, show func(line string)) (files []upload.File, keyPaths []string, diags diag.Diagnostics) {
	p := planner{data: data, plan: s.alone()}
	p.run(ctx, show)
	if p.diags.HasError() {
		return nil, nil, p.diags
	}
	a := apply{
		data: data, plan: &p.plan, stored: p.files, show: show,
		next: "No batch job was submitted. The next invocation on this machine sends only the rest of files that are sent in parts, and all others again.",
	}
	a.run(ctx)
	if !a.diags.HasError() {
		for _, name := range slices.Sorted(maps.Keys(a.stored)) { // in the order of a.files
			keyPaths = append(keyPaths, a.stored[name].KeyPath)
		}
	}
	return a.files, keyPaths, append(p.diags, a.diags...)
}
