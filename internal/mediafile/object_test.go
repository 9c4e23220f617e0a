package mediafile

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestDiffersKnowsEveryField: an argument for each field of upload.Object is compared, but for the
// size, which follows from the hash. A value that is not known yet is left open.
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
	for i := range reflect.TypeFor[Object]().NumField() {
		one := wanted
		reflect.ValueOf(&one).Elem().Field(i).Set(reflect.ValueOf(types.StringUnknown()))
		if differing, open := one.Differs(wanted); differing != nil || len(open) != 1 {
			t.Errorf("an unknown %s: %q differ, %q are open", reflect.TypeFor[Object]().Field(i).Name, differing, open)
		}
	}
}
