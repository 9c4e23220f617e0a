package mediafile

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestDiffersKnowsEveryField: an argument for each field of upload.Object is compared, but for the
// size, which follows from the hash. A value that is not known yet is left open, or is what is
// stored.
func TestDiffersKnowsEveryField(t *testing.T) {
	t.Parallel()
	var stored upload.Object
	for _, field := range reflect.VisibleFields(reflect.TypeFor[upload.Object]()) {
		if field.Anonymous || field.Name == "Size" {
			continue
		}
		other := stored
		reflect.ValueOf(&other).Elem().FieldByIndex(field.Index).SetString("other")
		if differing, open := ObjectOf(other).Differs(ObjectOf(stored)); len(differing) != 1 || open != nil {
			t.Errorf("another %s: %q differ, %q are open", field.Name, differing, open)
		}
	}
	wanted := ObjectOf(stored)
	for _, text := range Texts {
		one := wanted
		*text.of(&one) = types.StringUnknown()
		if differing, open := one.Differs(wanted); differing != nil || len(open) != 1 || open[0] != text.Name {
			t.Errorf("an unknown %s: %q differ, %q are open", text.Name, differing, open)
		}
		if one.Known() || !wanted.Known() || one.OrStored(wanted) != wanted {
			t.Errorf("an unknown %s: known: %t, or as stored: %v", text.Name, one.Known(), one.OrStored(wanted))
		}
	}
}

// TestNullIsNotSent: an optional text that is not configured is one that is not sent, and any value
// only in the state of an import.
func TestNullIsNotSent(t *testing.T) {
	t.Parallel()
	null, some, sum := types.StringNull(), types.StringValue("a"), types.StringValue("hash")
	for _, c := range []struct {
		wanted, stored, hash types.String
		optional, differs    bool
	}{
		{wanted: null, stored: some, hash: sum, optional: true, differs: true},
		{wanted: some, stored: null, hash: sum, optional: true, differs: true},
		{wanted: null, stored: null, hash: sum, optional: true},
		{wanted: some, stored: null, hash: null, optional: true},
		{wanted: null, stored: null, hash: null, optional: true},
		{wanted: null, stored: some, hash: null, optional: true, differs: true}, // configured since the import
		{wanted: null, stored: some, hash: sum},
		{wanted: some, stored: null, hash: sum},
	} {
		text := Text{Name: "text", Optional: c.optional, of: func(o *Object) *types.String { return &o.FileName }}
		differs, _ := text.compare(&Object{FileName: c.wanted}, &Object{FileName: c.stored, SHA256: c.hash})
		if differs != c.differs {
			t.Errorf("%+v: differs: %t", c, differs)
		}
	}
}

// TestUnfinishedUploadBeginsAsItsFile: what an upload began with is still there after it has been
// in a state.
func TestUnfinishedUploadBeginsAsItsFile(t *testing.T) {
	t.Parallel()
	left := &resume.Unfinished{UploadID: "id", KeyPath: "vod/input/c/u/a.mp4", PartSize: 5 << 20}
	for field := range reflect.TypeFor[api.Upload]().Fields() {
		f := upload.File{Upload: api.Upload{Name: "a.mp4"}, Size: 6 << 20, SHA256: "ab"}
		reflect.ValueOf(&f.Upload).Elem().FieldByName(field.Name).SetString("other")
		got, u, diags := Unfinished(IncompleteObject(f, left))
		if u == nil || diags != nil || got.SHA256 != f.SHA256 || got.Size != f.Size || got.Begins() != f.Begins() {
			t.Errorf("%s: %+v begins as %q, want %q: %v", field.Name, got, got.Begins(), f.Begins(), diags)
		}
	}
}
