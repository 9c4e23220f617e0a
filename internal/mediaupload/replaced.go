package mediaupload

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// A plan that does not know the content replaces the stored file. If the apply finds the same
// content, the stored file is kept: Delete offers it, and the Create of an object that asks for
// such a file takes it.

// takeStored takes a stored file that has what a plan asks for. It prefers one with the same source, then
// one with the same name, so that objects with the same content keep their own.
func (r *mediaUpload) takeStored(plan model, baseName string) (file providerdata.ReplacedFile, ok bool) {
	for _, prefer := range []func(providerdata.ReplacedFile) bool{
		func(f providerdata.ReplacedFile) bool { return f.Path == plan.Source.ValueString() },
		func(f providerdata.ReplacedFile) bool { return f.Name == baseName },
		func(providerdata.ReplacedFile) bool { return true },
	} {
		file, ok = r.Data.Replaced.Take(func(f providerdata.ReplacedFile) bool { return prefer(f) && plan.servedBy(f) })
		if ok {
			break
		}
	}
	return file, ok
}

// namedAtApply reports whether the default name and media type of a new object are left to its Create. In
// a plan they are if the content is not known, or if an object of the same content may keep its stored
// file. At apply they are if a stored file is on offer that has all but the default name and type.
func (r *mediaUpload) namedAtApply(plan, config model) bool {
	if !config.FileName.IsNull() && !config.ContentType.IsNull() {
		return false
	}
	if plan.SHA256.IsUnknown() {
		return true
	}
	config.SHA256 = plan.SHA256
	return r.Data.Replaced.NamedAtApply(plan.file().HexSHA256(), false) ||
		(!r.Data.Replaced.Has(plan.servedBy) && r.Data.Replaced.Has(config.servedBy))
}

// servedBy reports whether a stored file has what a model asks for. A name or a type that is null or
// unknown asks for nothing.
func (m *model) servedBy(f providerdata.ReplacedFile) bool {
	has := func(want types.String, have string) bool {
		return want.IsNull() || want.IsUnknown() || have == "" || want.ValueString() == have
	}
	return f.SHA256 == upload.ParseSHA256(m.SHA256.ValueString()) && has(m.FileName, f.Name) && has(m.ContentType, f.ContentType)
}
