package mediafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Check returns what Upload would fail on, as far as it shows without reading the files. The same
// plan may make the folder.
func (s Selection) Check(ctx context.Context, how mediafile.Arguments) diag.Diagnostics {
	p := planner{plan: model{Selection: s, Arguments: how}}
	if !p.plan.known(ctx) {
		return nil
	}
	found, err := p.find()
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		p.refuse(err.Error() + ".")
	default:
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if err := p.plan.found(name, found[name]).Check(); err != nil {
				p.problem(name, err)
			}
		}
		p.refuseProblems()
	}
	return p.diags
}

// Upload stores all files, without a state. show gets lines of progress.
func (s Selection) Upload(ctx context.Context, data *providerdata.Data, how mediafile.Arguments, show func(line string)) (uploaded mediafile.Uploaded, diags diag.Diagnostics) {
	p := planner{data: data, plan: model{Selection: s, Arguments: how, Adopt: types.MapNull(types.StringType), SHA256s: types.MapNull(types.StringType), Triggers: types.MapNull(types.StringType), ChangeDetection: types.StringValue(upload.DetectStat)}}
	show("reading the files of " + s.SourceDir.ValueString())
	p.run(ctx, show)
	if p.diags.HasError() {
		return uploaded, p.diags
	}
	a := apply{data: data, plan: &p.plan, stored: p.files, next: afterInvoke, scope: s.scope(), show: show}
	a.run(ctx)
	uploaded = mediafile.Uploaded{Recorded: a.recorded, Outcomes: a.outcomes}
	for _, name := range slices.Sorted(maps.Keys(a.stored)) {
		uploaded.KeyPaths = append(uploaded.KeyPaths, a.stored[name].KeyPath)
	}
	return uploaded, append(p.diags, a.diags...)
}

// scope identifies the files of an action: another selection from the same folder is another scope.
func (s Selection) scope() string {
	return fmt.Sprintf("%s\n%s %s %s %s", absolute(s.SourceDir.ValueString()), s.Include, s.Exclude, s.NameFormat, s.ContentTypes)
}
