package api

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestBeginsHasWhatIsSent: two uploads begin alike if, and only if, multipart/create is sent the
// same for both.
func TestBeginsHasWhatIsSent(t *testing.T) {
	t.Parallel()
	body := func(u Upload) string {
		text, err := json.Marshal(createRequest(u))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var one Upload
	for field := range reflect.TypeFor[Upload]().Fields() {
		other := one
		reflect.ValueOf(&other).Elem().FieldByName(field.Name).SetString("other")
		if (body(one) == body(other)) != (one.Begins() == other.Begins()) {
			t.Errorf("%s: %s begins as %q, %s as %q", field.Name, body(one), one.Begins(), body(other), other.Begins())
		}
	}
}
