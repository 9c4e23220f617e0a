package mediaupload

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// A plan that does not know the content replaces the stored file. If the apply finds the same content, the stored file
// is kept: Delete offers it, and the Create of an object that asks for such a file takes it.

// offerStored leaves the stored file of a state to the Create that follows.
func (r *mediaUpload) offerStored(state model) {
	r.data.Stored.Offer(storedKey(state), providerdata.Kept{
		StoredFile: state.stored(), Source: state.Source.ValueString(),
		FileName: state.FileName.ValueString(), ContentType: state.ContentType.ValueString(),
	})
}

// takeStored takes a stored file that has the content of a plan, and the name and the type, where the plan knows them.
// Of several it takes the one that was uploaded from the same source or had the same name, so that objects with the same
// content keep their own.
func (r *mediaUpload) takeStored(plan model, baseName string) (providerdata.Kept, bool) {
	for _, prefer := range []func(providerdata.Kept) bool{
		func(k providerdata.Kept) bool { return k.Source == plan.Source.ValueString() },
		func(k providerdata.Kept) bool { return k.FileName == baseName },
		func(providerdata.Kept) bool { return true },
	} {
		k, ok := r.data.Stored.Take(storedKey(plan), func(k providerdata.Kept) bool { return prefer(k) && serves(k, plan) })
		if ok {
			return k, true
		}
	}
	return providerdata.Kept{}, false
}

// namedAtApply says that the name and the type that the plan of a new object gives by default are left to its Create. While
// planning that is so when the content is not known, or when an object of the same content may keep its stored file. At
// apply it is so when a stored file waits that has everything that is configured, but another name or type.
func (r *mediaUpload) namedAtApply(plan, config model) bool {
	if !config.FileName.IsNull() && !config.ContentType.IsNull() {
		return false
	}
	if plan.SHA256.IsUnknown() {
		return true
	}
	waits := func(asking model) bool {
		return r.data.Stored.Has(storedKey(plan), func(k providerdata.Kept) bool { return serves(k, asking) })
	}
	return r.data.Naming.AtApply(storedKey(plan), false) || (!waits(plan) && waits(config))
}

func storedKey(m model) string { return strings.ToLower(m.SHA256.ValueString()) }

// serves says that a stored file has the name and the type that a model asks for. Null and unknown ask for nothing.
func serves(k providerdata.Kept, m model) bool {
	has := func(want types.String, have string) bool {
		return want.IsNull() || want.IsUnknown() || have == "" || want.ValueString() == have
	}
	return has(m.FileName, k.FileName) && has(m.ContentType, k.ContentType)
}
