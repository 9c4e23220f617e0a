package mediafolder

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestFolderKnowsEveryField: a file that differs from the stored one in a field of upload.Object is
// uploaded.
func TestFolderKnowsEveryField(t *testing.T) {
	t.Parallel()
	stored := entry{
		Object:  upload.Object{SHA256: "ab", Upload: api.Upload{Name: "a.mp4", ContentType: "video/mp4"}, Size: 5},
		KeyPath: "vod/input/c/u/a.mp4", UploadedAt: "2026-01-01T00:00:00Z",
	}
	with := func(contentTypes types.Map) model {
		return model{Selection: Selection{NameFormat: types.StringValue(formatBase), ContentTypes: contentTypes}}
	}
	before := with(types.MapNull(types.StringType))
	p := planner{stored: map[string]entry{"a.mp4": stored}, state: &before, plan: before}
	now := upload.Inspection{File: before.file("a.mp4", "a.mp4", stored), SHA256: stored.SHA256}
	if e, err := p.file("a.mp4", now, "", ""); e != stored || err != nil {
		t.Fatalf("the same file is %+v: %v", e, err)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[upload.Object]()) {
		if field.Anonymous || field.Name == "Size" { // which follows from the hash
			continue
		}
		other, p := now, p
		reflect.ValueOf(&other.File).Elem().FieldByName(field.Name).SetString("other")
		other.SHA256 = other.File.SHA256
		if field.Name == "ContentType" {
			p.plan = with(types.MapValueMust(types.StringType, map[string]attr.Value{"mp4": types.StringValue("other")}))
		}
		if e, err := p.file("a.mp4", other, "", ""); !e.unsent() || err != nil {
			t.Errorf("another %s: %+v, %v", field.Name, e, err)
		}
	}
}

// TestFilesHaveEveryField: `files` has each field of a stored file, and of one that a plan sends
// all but what the upload makes.
func TestFilesHaveEveryField(t *testing.T) {
	t.Parallel()
	stored := entry{Object: upload.Object{Upload: api.Upload{Name: "a.mp4"}, Size: 5}, KeyPath: "vod/input/c/u/a.mp4"}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[entry]()) {
		if field.Type.Kind() != reflect.String || field.Name == "Name" || field.Name == "KeyPath" { // Name is the end of KeyPath
			continue
		}
		e := stored
		reflect.ValueOf(&e).Elem().FieldByIndex(field.Index).SetString("other")
		if got, err := fromTerraform(toTerraform(map[string]entry{"a": e})); got["a"] != e || err != nil {
			t.Errorf("%s: got %+v, want %+v: %v", field.Name, got["a"], e, err)
		}
	}
	var elements, attributes map[string]tftypes.Value
	if err := toTerraform(map[string]entry{"a": {}}).As(&elements); err != nil {
		t.Fatal(err)
	}
	if err := elements["a"].As(&attributes); err != nil {
		t.Fatal(err)
	}
	for name, v := range attributes {
		if made := name == "key_path" || name == "etag" || name == "uploaded_at"; v.IsKnown() == made {
			t.Errorf("a plan has %s of a file to send: %v", name, v)
		}
	}
}
