package mediafolder

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Check reports what Upload would fail on, as far as it shows without reading the files. The apply
// may make a folder that does not exist yet.
func (s Selection) Check(ctx context.Context) diag.Diagnostics {
	if !s.isKnown(ctx) {
		return nil
	}
	p := planner{selection: s}
	switch err := p.find(); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		p.refuse(err.Error() + ".")
		return p.diags
	}
	problems := map[string]error{}
	for name, localPath := range p.paths {
		if _, err := (upload.File{Path: localPath}).Check(); err != nil {
			problems[name] = err
		}
	}
	p.refuseUnfit(problems)
	return p.diags
}

// Upload uploads all files for an action, which has no state. show gets lines of progress.
func (s Selection) Upload(ctx context.Context, data *providerdata.Data, show func(line string)) (files []upload.File, keyPaths []string, diags diag.Diagnostics) {
	p := planner{data: data, selection: s}
	planned := p.plan(ctx, show)
	if p.diags.HasError() {
		return nil, nil, p.diags
	}
	result := p.upload(ctx, planned, show)
	for _, name := range slices.Sorted(maps.Keys(result.stored)) { // in the order of result.sent
		keyPaths = append(keyPaths, result.stored[name].KeyPath)
	}
	return result.sent, keyPaths, append(p.diags, result.diagnostics(s.SourceDir.ValueString(), "")...)
}
