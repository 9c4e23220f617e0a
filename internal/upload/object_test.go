package upload

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// TestObjectsAreToldApart: a file that differs in a field of Object is another one for the ledger,
// too.
func TestObjectsAreToldApart(t *testing.T) {
	t.Parallel()
	u := New(Config{})
	const line = `{"SHA256":"ab","Name":"a.mp4","ContentType":"video/mp4","Size":5,"Scope":"s"}`
	f := File{SHA256: "ab", Upload: api.Upload{Name: "a.mp4", ContentType: "video/mp4"}, Size: 5}
	f.Scope = "s"
	if body, err := json.Marshal(u.request(f, resume.KindFile).Body); string(body) != line || err != nil {
		t.Errorf("earlier builds look a file up by %s, this one by %s (%v)", line, body, err)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Object]()) {
		if field.Anonymous {
			continue
		}
		other := f
		switch v := reflect.ValueOf(&other).Elem().FieldByName(field.Name); v.Kind() {
		case reflect.String:
			v.SetString("other")
		case reflect.Int64:
			v.SetInt(6)
		default:
			t.Fatalf("File has no text or number %s", field.Name)
		}
		if other.Object() == f.Object() {
			t.Errorf("files that differ in %s are one object", field.Name)
		}
		if u.request(other, resume.KindFile) == u.request(f, resume.KindFile) {
			t.Errorf("the ledger does not tell files apart that differ in %s", field.Name)
		}
	}
}
