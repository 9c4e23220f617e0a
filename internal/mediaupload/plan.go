package mediaupload

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// Keys of the private state. The intent of a plan tells Delete whether it serves a replacement: Delete gets the old
// state's attributes, but the new plan's private data.
const (
	privateSeen   = "file"
	privateIntent = "intent"

	intentCreate     = `"create"`
	intentCreateOpen = `"create, content not known"`
	intentDestroy    = `"destroy"`
	intentNone       = `"none"`
)

// ModifyPlan decides everything that the file decides. Terraform calls it up to three times for one change (twice while
// planning a replacement, once before applying), so the file is hashed through the engine, which does it once.
func (r *mediaUpload) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.data == nil {
		return
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateIntent, []byte(intentDestroy))...)
		return
	}
	p := planner{resource: r, now: time.Now()}
	resp.Diagnostics.Append(providerdata.Get(ctx, req.Plan, &p.plan)...)
	resp.Diagnostics.Append(providerdata.Get(ctx, req.Config, &p.config)...)
	intent := intentCreate
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(providerdata.Get(ctx, req.State, p.state)...)
		content, diags := req.Private.GetKey(ctx, privateSeen)
		resp.Diagnostics.Append(diags...)
		// A private state that cannot be read only means that the file is read.
		_ = json.Unmarshal(content, &p.seen)
		intent = intentNone
	}
	if resp.Diagnostics.HasError() {
		return
	}
	p.decide(ctx)
	resp.Diagnostics.Append(p.diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	open := p.plan.SHA256.IsUnknown() || p.plan.FileName.IsUnknown() || p.plan.ContentType.IsUnknown()
	if open && (intent == intentCreate || len(p.replace) > 0) {
		intent = intentCreateOpen
	}
	resp.RequiresReplace = append(resp.RequiresReplace, p.replace...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateIntent, []byte(intent))...)
	resp.Diagnostics.Append(providerdata.Set(ctx, &resp.Plan, p.plan)...)
}

// planner decides one plan.
type planner struct {
	resource *mediaUpload
	now      time.Time
	config   model
	plan     model
	state    *model // nil: the object is to be created
	seen     seen

	replace path.Paths
	diags   diag.Diagnostics
}

// complete says that the state holds an upload that is complete. An import is: its content is just not known yet.
func (m *model) complete() bool { return m != nil && m.Incomplete.IsNull() && !m.KeyPath.IsNull() }

// imported says that the state comes from an import whose file has not been looked at yet.
func (m *model) imported() bool { return m.complete() && m.SHA256.IsNull() }

func (p *planner) decide(ctx context.Context) {
	if p.config.Source.IsUnknown() || p.config.SHA256.IsUnknown() {
		p.decideLater()
		return
	}
	source := p.config.Source.ValueString()
	info, err := stat(source)
	if err == nil {
		err = readable(source)
	}
	switch {
	case isMissing(err) && p.state.complete():
		p.decideWithoutFile(source)
		return
	case err != nil:
		p.fail("The file cannot be uploaded", err.Error()+". `source` must be the path of a file with content; a relative path starts at the folder in which Terraform runs.")
		return
	}
	sum, err := p.contentHash(ctx, source, info)
	if err != nil {
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return
	}
	p.plan.SHA256 = sum
	p.plan.Size = types.Int64Value(info.Size())
	switch {
	case !p.state.complete():
		p.decideUpload(ctx, source)
	case p.state.imported():
		p.decideAdoption(source)
	default:
		p.decideChange(ctx, source)
	}
}

func (p *planner) fail(summary, detail string) {
	p.diags.AddAttributeError(path.Root("source"), summary, detail)
}

// contentHash is the planned SHA-256: the configured one, that of the state if the file has not been touched since, or
// that of the file's content.
func (p *planner) contentHash(ctx context.Context, source string, info os.FileInfo) (types.String, error) {
	if !p.config.SHA256.IsNull() {
		return p.config.SHA256, nil
	}
	detection := p.plan.ChangeDetection.ValueString()
	untouched := p.seen.is(p.config.Source.ValueString(), info) && strings.EqualFold(p.seen.SHA256, p.stateSHA256())
	if detection != detectContent && p.state.complete() && untouched {
		return p.state.SHA256, nil
	}
	sum, err := p.resource.contentHash(ctx, source, detection)
	if err != nil {
		return types.StringNull(), err
	}
	if strings.EqualFold(sum, p.stateSHA256()) {
		return p.state.SHA256, nil // the state may hold it in capitals
	}
	return types.StringValue(sum), nil
}

func (p *planner) stateSHA256() string {
	if p.state == nil {
		return ""
	}
	return p.state.SHA256.ValueString()
}

// decideLater plans for a file that is not known yet. A plan can promise no less than what comes out when it is applied,
// so a complete upload is planned to be replaced; if the content then turns out to be the same, Delete hands the upload
// over and Create keeps it. With create_before_destroy Create comes first and sends the file; and what the user asked to
// replace (-replace, taint) cannot be told from this, so that it is kept, too, while its source is not known.
func (p *planner) decideLater() {
	unknown := types.StringUnknown()
	if p.state.complete() {
		p.plan.FileName = firstSet(p.config.FileName, p.state.FileName)
		p.plan.ContentType = firstSet(p.config.ContentType, p.state.ContentType, unknown)
		p.plan.SHA256 = firstSet(p.config.SHA256, unknown)
		p.plan.Size = types.Int64Unknown()
		p.plan.keepOutcome(*p.state)
		asked := p.state.differing(p.config, true)
		if p.config.SHA256.IsNull() {
			asked = append(asked, "sha256")
		}
		if p.state.imported() {
			return
		}
		if len(asked) == 0 {
			p.plan.Size = p.state.Size
			return
		}
		for _, name := range asked {
			p.replace = append(p.replace, path.Root(name))
		}
	}
	p.plan.SHA256 = firstSet(p.config.SHA256, unknown)
	p.plan.FileName = firstSet(p.config.FileName, unknown)
	p.plan.ContentType = firstSet(p.config.ContentType, unknown)
	p.plan.Size = types.Int64Unknown()
	p.plan.setOutcome(unknown, types.Int64Unknown())
	p.plan.Incomplete = types.ObjectNull(incompleteTypes)
}

// decideWithoutFile keeps a complete upload whose file is gone, unless the configuration asks for another one.
func (p *planner) decideWithoutFile(source string) {
	asked := p.state.differing(p.config, false)
	if len(asked) > 0 {
		p.fail("The file cannot be uploaded",
			fmt.Sprintf("%s does not exist, and `%s` asks for a new upload.", source, strings.Join(asked, "`, `")))
		return
	}
	p.plan.SHA256 = firstSet(p.config.SHA256, p.state.SHA256)
	p.plan.Size = p.state.Size
	p.plan.FileName, p.plan.ContentType = p.state.FileName, firstSet(p.config.ContentType, p.state.ContentType)
	p.plan.keepOutcome(*p.state)
	p.diags.AddAttributeWarning(path.Root("source"), "The uploaded file is not here",
		fmt.Sprintf("%s does not exist on this machine, so whether its content changed is not known. It has been uploaded as %s, and nothing is changed.",
			source, p.state.KeyPath.ValueString()))
}

// differing names the arguments in which a configuration asks for another object than the state holds. A value that is
// not known yet may, which counts if unknown is set.
func (m *model) differing(config model, unknown bool) []string {
	var names []string
	add := func(name string, want, have types.String, equal func(a, b string) bool) {
		switch {
		case want.IsNull() || have.IsNull():
		case want.IsUnknown() && unknown, !want.IsUnknown() && !equal(want.ValueString(), have.ValueString()):
			names = append(names, name)
		}
	}
	same := func(a, b string) bool { return a == b }
	add("sha256", config.SHA256, m.SHA256, strings.EqualFold)
	add("file_name", config.FileName, m.FileName, same)
	add("content_type", config.ContentType, m.ContentType, same)
	return names
}

// decideUpload plans an upload: of a new object, or of what is left of one that is incomplete.
func (p *planner) decideUpload(ctx context.Context, source string) {
	name := p.config.FileName
	if name.IsNull() && p.state != nil {
		name = p.state.FileName
	}
	p.plan.FileName = name
	if name.IsNull() {
		base := filepath.Base(source)
		if problem := fileNameProblem(base); problem != "" {
			p.fail("The file cannot be uploaded", fmt.Sprintf("Its name is %q, which %s. Set `file_name` to the name to store it under.", base, problem))
			return
		}
		p.plan.FileName = types.StringValue(base)
	}
	if p.plan.ContentType = p.config.ContentType; p.plan.ContentType.IsNull() {
		p.plan.ContentType = p.contentType(source)
	}
	p.plan.setOutcome(types.StringUnknown(), types.Int64Unknown())
	p.plan.Incomplete = types.ObjectNull(incompleteTypes)
	if _, err := p.plan.parts(); err != nil {
		p.diags.AddAttributeError(path.Root("part_size"), "The part size does not fit the file", err.Error())
		return
	}
	p.diags.Append(p.resource.data.PlanUpload(ctx, typeName, p.now)...)
}

// contentType is found while planning where that needs no look at the content, or where the content has been read
// anyway. Otherwise the apply finds it.
func (p *planner) contentType(source string) types.String {
	if p.plan.FileName.IsUnknown() {
		return types.StringUnknown()
	}
	for _, name := range []string{p.plan.FileName.ValueString(), source} {
		if t := typeByName(name); t != "" {
			return types.StringValue(t)
		}
	}
	if !p.config.SHA256.IsNull() {
		return types.StringUnknown()
	}
	t, err := typeByContent(source)
	if err != nil {
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return types.StringUnknown()
	}
	return types.StringValue(t)
}

// decideAdoption takes the file at hand for the content of an imported upload.
func (p *planner) decideAdoption(source string) {
	if asked := p.state.differing(p.config, false); len(asked) > 0 {
		p.fail("The imported file has another name",
			fmt.Sprintf("The key path %s was imported, whose file is named %q; `file_name` is %q. Leave `file_name` out, or give the imported name.",
				p.state.KeyPath.ValueString(), p.state.FileName.ValueString(), p.config.FileName.ValueString()))
		return
	}
	p.plan.FileName = firstSet(p.config.FileName, p.state.FileName)
	if p.plan.ContentType = firstSet(p.config.ContentType, p.state.ContentType); p.plan.ContentType.IsNull() {
		p.plan.ContentType = p.contentType(source)
	}
	p.plan.keepOutcome(*p.state)
	p.diags.AddAttributeWarning(path.Root("source"), "The file at hand is taken for the imported one",
		fmt.Sprintf("%s was imported as %s. The service shows no content, so the provider takes %s for what is stored there, without sending it. "+
			"From then on a change of the file uploads it anew.", typeName, p.state.KeyPath.ValueString(), source))
}

// decideChange plans for an upload that is complete: a new upload if the configuration or the content asks for one.
func (p *planner) decideChange(ctx context.Context, source string) {
	asked := p.state.differing(p.config, true)
	if !strings.EqualFold(p.plan.SHA256.ValueString(), p.stateSHA256()) && p.config.SHA256.IsNull() {
		asked = append(asked, "sha256")
	}
	if len(asked) == 0 {
		p.plan.Size = p.state.Size
		p.plan.FileName, p.plan.ContentType = p.state.FileName, p.state.ContentType
		p.plan.keepOutcome(*p.state)
		return
	}
	for _, name := range asked {
		p.replace = append(p.replace, path.Root(name))
	}
	state := p.state
	p.state = nil // the new object takes no name and no type from the old one
	p.decideUpload(ctx, source)
	p.state = state
}

// firstSet is the first value that is not null; null if all are.
func firstSet(values ...types.String) types.String {
	for _, v := range values {
		if !v.IsNull() {
			return v
		}
	}
	return types.StringNull()
}
