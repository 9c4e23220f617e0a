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

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Check returns what Upload would fail on, as far as it shows without reading the files. The same plan may
// make the folder.
func (s Selection) Check(ctx context.Context) diag.Diagnostics {
	if !s.known(ctx) {
		return nil
	}
	p := planner{plan: model{Selection: s}}
	found, err := p.find()
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		p.refuse(err.Error() + ".")
	default:
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if err := s.found(name, found[name]).Check(); err != nil {
				p.problem(err)
			}
		}
		p.refuseProblems()
	}
	return p.diags
}

// Upload stores all files and returns their key paths, without a state. If they are recorded, another
// Upload of the same files sends only what is missing, until Forget. show gets lines of progress.
func (s Selection) Upload(ctx context.Context, data *providerdata.Data, show func(line string)) (keyPaths []string, recorded bool, diags diag.Diagnostics) {
	p := planner{data: data, plan: model{Selection: s, Adopt: types.MapNull(types.StringType), Triggers: types.MapNull(types.StringType), ChangeDetection: types.StringValue(upload.DetectStat)}}
	show("reading the files of " + s.SourceDir.ValueString())
	p.run(ctx, show)
	if p.diags.HasError() {
		return nil, false, p.diags
	}
	a := apply{data: data, plan: &p.plan, stored: p.files, next: afterInvoke, key: s.journalKey(), show: show}
	a.run(ctx)
	for _, name := range slices.Sorted(maps.Keys(a.stored)) {
		keyPaths = append(keyPaths, a.stored[name].KeyPath)
	}
	return keyPaths, a.recorded, append(p.diags, a.diags...)
}

// Forget ends what Upload did: another Upload sends all files.
func (s Selection) Forget(ctx context.Context, data *providerdata.Data) {
	data.Uploader.ForgetFolder(ctx, s.journalKey())
}

// journalKey is not that of the folder alone: a resource, or an action on other files of the folder, must
// not remove the journal.
func (s Selection) journalKey() string {
	return fmt.Sprintf("%s\n%s %s %s %s", journalKey(s.SourceDir.ValueString()), s.Include, s.Exclude, s.NameFormat, s.ContentTypes)
}
