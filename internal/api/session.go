package api

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// SessionSpec has the arguments of a session by the service's names.
type SessionSpec map[string]any

// Session is a live session as the service returns it: values as text, by the service's names.
// Those of an object have its name in front: input_preset.codec. It has no empty values.
type Session map[string]string

// ID returns the id, which every Session has.
func (s Session) ID() string { return s["id"] }

// Name returns the name.
func (s Session) Name() string { return s["name"] }

// Status returns the status.
func (s Session) Status() string { return s["status"] }

// urls returns the URLs of a session.
func (s Session) urls() (list []string) {
	for _, f := range sessionfield.All {
		if f.Kind == sessionfield.URL && s[f.Name] != "" {
			list = append(list, s[f.Name])
		}
	}
	return list
}

// readSession reads a session. If a field cannot be read, it returns the error and the rest of the
// session, nil without an id.
func readSession(o object) (Session, error) {
	id, err := need(o, "id", TextLimit)
	if err != nil {
		return nil, err
	}
	s := Session{"id": id}
	for _, f := range sessionfield.All {
		fields, from, prefix := []sessionfield.Field{f}, o, ""
		if f.Kind == sessionfield.Group {
			fields, prefix = f.Parts, f.Name+"."
			from, _ = o[f.Name].(object)
		}
		for _, field := range fields {
			err = cmp.Or(err, s.read(from, field, prefix+field.Name))
		}
	}
	return s, err
}

// read reads a field of an object and saves it under a name.
func (s Session) read(o object, f sessionfield.Field, name string) error {
	limit := TextLimit
	if f.Kind == sessionfield.URL {
		limit = AddressLimit
	}
	if f.Name == "output_mode" { // documented as a string and as an object
		o = object{f.Name: only(o[f.Name])}
	}
	text, err := textOf(o, f.Name, limit)
	if err != nil || text == "" {
		return err
	}
	switch f.Kind {
	case sessionfield.Number:
		n, bad := json.Number(text).Int64()
		if bad != nil {
			return misshapen("%s is %s where an integer was expected", f.Name, describe(o[f.Name]))
		}
		if n == 0 { // none
			return nil
		}
	case sessionfield.Flag:
		text = strings.ToLower(text)
	default:
		text = sessionfield.Canonical(text, f.Values)
	}
	s[name] = text
	return nil
}

// only returns the only member of an object, nil if it has none, and any other value as it is.
func only(v any) any {
	o, isObject := v.(object)
	if !isObject || len(o) > 1 {
		return v
	}
	for _, member := range o {
		return member
	}
	return nil
}

// Cursor says where the next page of a listing begins: the values of LastEvaluatedKey by name. They
// are sent back in the query under the same names.
type Cursor map[string]string

// SessionPage is one page of the listing, at most 100 sessions.
type SessionPage struct {
	Sessions []Session
	Next     Cursor // nil on the last page
}

// decodePage reads the response to call 11 of SERVICE.md.
func decodePage(body any) (*SessionPage, error) {
	o := find(body, "Sessions")
	list, ok := o["Sessions"].([]any)
	if !ok {
		return nil, misshapen("no list Sessions was found in %s", describe(body))
	}
	page := &SessionPage{Sessions: make([]Session, len(list))}
	for i, item := range list {
		entry, _ := item.(object)
		s, err := readSession(entry)
		if err != nil {
			return nil, misshapen("entry %d of Sessions: %s", i+1, err)
		}
		page.Sessions[i] = s
	}
	var err error
	page.Next, err = decodeCursor(o["LastEvaluatedKey"])
	return page, err
}

// decodeCursor reads a LastEvaluatedKey; nil on the last page. A value may have its type as in
// DynamoDB: {"S": "x"}.
func decodeCursor(v any) (Cursor, error) {
	if v == nil || v == "" {
		return nil, nil
	}
	o, ok := v.(object)
	if !ok {
		return nil, misshapen("LastEvaluatedKey is %s where an object was expected", describe(v))
	}
	next := Cursor{}
	for key, value := range o {
		text, err := textOf(object{key: only(value)}, key, TextLimit)
		if err != nil {
			return nil, misshapen("LastEvaluatedKey: %s", err)
		}
		if text != "" {
			next[key] = text
		}
	}
	if len(next) == 0 {
		return nil, nil
	}
	return next, nil
}

// Region is a region in which a live session may be created.
type Region struct {
	Name string // the value that the region field of a session takes
	JSON string // the entry, whose fields are not documented
}

// regionKeys are the keys under which an entry may have the name.
var regionKeys = []string{"region", "code", "id", "name"}

// decodeRegions reads the response to call 8 of SERVICE.md: a list of strings or objects.
func decodeRegions(body any) ([]Region, error) {
	list, ok := body.([]any)
	if o, isObject := body.(object); isObject {
		list, ok = o["data"].([]any)
	}
	if !ok {
		return nil, misshapen("no list of regions was found in %s", describe(body))
	}
	regions := make([]Region, len(list))
	for i, item := range list {
		name, _ := item.(string)
		o, _ := item.(object)
		for _, key := range regionKeys {
			if text, err := textOf(o, key, TextLimit); err == nil && name == "" {
				name = text
			}
		}
		if name = strings.TrimSpace(name); name == "" {
			return nil, misshapen("entry %d of the regions has no name: it is %s", i+1, describe(item))
		}
		text, _ := json.Marshal(item)
		regions[i] = Region{Name: name, JSON: string(text)}
	}
	return regions, nil
}
