package mediaupload

// verdict is what a plan does with the file.
type verdict int

const (
	verdictKeep   verdict = iota // the stored file stays as it is
	verdictAdopt                 // the local file is taken for the content of an imported one
	verdictUpload                // the file is uploaded
	verdictDecide                // the apply uploads the file if it is not the stored one
)

// judge compares the stored file of a state, which may be nil, with the wanted one: null is any
// value, unknown one that only the apply knows, and a size that is null that the file is not here.
// The reasons are the attributes that require, or may require, another upload in place of the
// stored one. What an import lacks differs from nothing. An import whose content is not known is
// never left to the apply, which could not recognise it.
func judge(state *model, wanted model) (v verdict, reasons []string) {
	if !state.stored() {
		return verdictUpload, nil
	}
	differing, open := wanted.object().Differs(state.object())
	switch {
	case len(differing) > 0:
		return verdictUpload, differing
	case !state.ContentVersion.IsNull() && wanted.SHA256.IsUnknown() && !wanted.ContentVersion.IsNull() && !wanted.ContentVersion.Equal(state.ContentVersion) && state.SHA256.IsNull():
		return verdictUpload, []string{"content_wo_version"} // of an imported file, whose content nothing knows
	case len(open) > 0 && !state.SHA256.IsNull():
		return verdictDecide, open
	case state.Size.IsNull() && !wanted.Size.IsNull():
		return verdictAdopt, nil
	}
	return verdictKeep, nil
}
