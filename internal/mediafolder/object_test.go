package mediafolder

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestFolderKnowsEveryField: a file that differs from the stored one in a field of upload.Object is
// uploaded, and none of a moved file is left out of the comparison.
func TestFolderKnowsEveryField(t *testing.T) {
	t.Parallel()
	stored := entry{KeyPath: "vod/input/c/u/a.mp4", SHA256: "ab", ContentType: "video/mp4", Size: 5}
	selection := Selection{NameFormat: types.StringValue(formatBase), ContentTypes: types.MapNull(types.StringType)}
	p := planner{stored: map[string]entry{"a.mp4": stored}, state: &model{Selection: selection}, plan: model{Selection: selection}}
	now := upload.Inspection{File: selection.file("a.mp4", "a.mp4", stored), SHA256: stored.SHA256}
	if e, err := p.file("a.mp4", now, ""); e != stored || err != nil {
		t.Fatalf("the same file is %+v: %v", e, err)
	}
	object := reflect.ValueOf(stored.object("a.mp4"))
	for field, v := range object.Fields() {
		if v.IsZero() {
			t.Errorf("object leaves out %s", field.Name)
		}
		other, p := now, p
		switch field.Name {
		case "SHA256":
			other.SHA256 = "cd"
		case "Name":
			other.File.Name = "sub_a.mp4"
			p.stored = map[string]entry{"sub/a.mp4": {KeyPath: "vod/input/c/u/a.mp4", SHA256: "ab", ContentType: "video/mp4", Size: 5}}
			if e, _ := p.file("sub/a.mp4", other, ""); !e.unsent() {
				t.Errorf("another name: %+v", e)
			}
			continue
		case "ContentType":
			p.plan.ContentTypes = types.MapValueMust(types.StringType, map[string]attr.Value{"mp4": types.StringValue("video/x-mine")})
			other.File = p.plan.file("a.mp4", "a.mp4", stored)
			other.File.ContentType = "video/x-mine"
		case "Size":
			continue // follows from the hash
		default:
			t.Errorf("%s has no case here", field.Name)
		}
		if e, err := p.file("a.mp4", other, ""); !e.unsent() || err != nil {
			t.Errorf("another %s: %+v, %v", field.Name, e, err)
		}
	}
}
