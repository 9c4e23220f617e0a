package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// Region is a region in which a live session may be created.
type Region struct {
	// Name is the value that the region field of a session takes.
	Name string
	// JSON is the entry as the service sent it, compact. Its fields are not documented.
	JSON string
}

// regionLimit, in bytes, is the length of the longest entry, which becomes Region.JSON.
const regionLimit = 16 << 10

// regionKeys are the keys under which an entry may have the name, the most likely first.
var regionKeys = []string{"region", "name", "region_name", "code", "region_code", "value", "id", "region_id", "key", "slug"}

// decodeRegions reads the response to call 8 of SERVICE.md: a list of strings or objects.
func decodeRegions(v value) ([]Region, error) {
	list, ok := v.object().get("data"), true // where it is documented
	if !list.IsArray() {
		list, ok = findList(v, "regions")
	}
	if !ok {
		if o := v.object(); o.has("data") && o.get("data").isNull() {
			return nil, nil
		}
		return nil, misshapen("no list of regions was found in %s%s", v.describe(), describeData(v))
	}
	var regions []Region
	key := nameKey(list)
	for i, item := range list.items() {
		if i == pageLimit {
			return nil, misshapen("it has more than %d regions", pageLimit)
		}
		if len(item.Raw) > regionLimit {
			return nil, misshapen("entry %d of the regions has %d bytes, more than %d", i+1, len(item.Raw), regionLimit)
		}
		named := item
		if key != "" {
			named = item.object().get(key)
		}
		name, ok := regionName(named, 0)
		if !ok {
			return nil, misshapen("entry %d of the regions carries no name: it is %s", i+1, item.describe())
		}
		var compact bytes.Buffer
		_ = json.Compact(&compact, []byte(item.Raw)) // an item of valid JSON is valid
		regions = append(regions, Region{Name: name, JSON: parse.Escape(compact.String())})
	}
	return regions, nil
}

// nameKey returns the first of regionKeys under which all entries have a name without white space,
// "" if there is none: of one list, no entry is read by its code and another one by its display
// name, such as "Frankfurt".
func nameKey(list value) string {
	i := slices.IndexFunc(regionKeys, func(key string) bool {
		for _, item := range list.items() {
			if name, ok := regionName(item.object().get(key), 1); !ok || strings.ContainsFunc(name, unicode.IsSpace) {
				return false
			}
		}
		return true
	})
	if i < 0 {
		return ""
	}
	return regionKeys[i]
}

// regionName finds the name in an entry: the entry itself, what it has under one of regionKeys, or
// its only string. A display name such as "Asia Pacific (Mumbai)" is probably not what a session
// takes.
func regionName(v value, depth int) (string, bool) {
	if v.isString() {
		name := parse.Escape(strings.TrimSpace(v.text()))
		return name, name != "" && len(name) <= TextLimit
	}
	if !v.IsObject() || depth > wrapperDepth {
		return "", false
	}
	o := v.object()
	var known []string
	var texts []value
	for _, key := range regionKeys {
		if name, ok := regionName(o.get(key), depth+1); ok {
			known = append(known, name)
		}
	}
	if i := slices.IndexFunc(known, func(name string) bool { return !strings.ContainsFunc(name, unicode.IsSpace) }); i >= 0 {
		return known[i], true
	}
	if len(known) > 0 {
		return known[0], true
	}
	for _, m := range o.distinct() {
		if m.isString() {
			texts = append(texts, m.value)
		}
	}
	if len(texts) == 1 {
		return regionName(texts[0], depth)
	}
	return "", false
}
