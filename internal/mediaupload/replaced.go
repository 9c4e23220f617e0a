package mediaupload

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// A plan that does not know the content replaces the stored file. If the apply finds the same
// content, the stored file is kept: Delete offers it, and the Create of an object that asks for
// such a file takes it.

// replacedFiles are what the resources of a provider process know of each other's replacements.
type replacedFiles struct {
	offered providerdata.Handover[replacedFile]
	naming  sync.Map // by content: see namedAtApply
}

// replacedFile is a stored file whose resource is being replaced, and what it was uploaded as.
type replacedFile struct {
	uploaded upload.File // its ContentType is "" if not known, as after an import
	stored   upload.StoredFile
}

func (r *mediaUpload) replaced() *replacedFiles { return providerdata.Shared[replacedFiles](r.Data) }

// namedAtApply reports whether new objects of a content get their names at apply, not in the plan,
// because one of them may keep a replaced file under its name. An apply must not change a planned
// name, and it cannot tell two new objects of one content apart. So the first call for a content
// decides for all of them, by wanted.
func (r *replacedFiles) namedAtApply(sha256 string, wanted bool) bool {
	decided, _ := r.naming.LoadOrStore(sha256, wanted)
	return decided == true
}

// takeStored takes a stored file that has what a plan asks for. It prefers one with the same source, then
// one with the same name, so that objects with the same content keep their own.
func (r *mediaUpload) takeStored(plan model, baseName string) (file replacedFile, ok bool) {
	for _, prefer := range []func(upload.File) bool{
		func(f upload.File) bool { return f.Path == plan.Source.ValueString() },
		func(f upload.File) bool { return f.Name == baseName },
		func(upload.File) bool { return true },
	} {
		file, ok = r.replaced().offered.Take(func(f replacedFile) bool { return prefer(f.uploaded) && plan.servedBy(f) })
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
	all := r.replaced()
	return all.namedAtApply(plan.file().HexSHA256(), false) || (!all.offered.Has(plan.servedBy) && all.offered.Has(config.servedBy))
}

// servedBy reports whether a stored file has what a model asks for. A name or a type that is null or
// unknown asks for nothing.
func (m *model) servedBy(f replacedFile) bool {
	has := func(want types.String, have string) bool {
		return want.IsNull() || want.IsUnknown() || have == "" || want.ValueString() == have
	}
	return f.uploaded.SHA256 == upload.ParseSHA256(m.SHA256.ValueString()) &&
		has(m.FileName, f.uploaded.Name) && has(m.ContentType, f.uploaded.ContentType)
}
