package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
)

// Region is a region in which a live session may be created.
type Region struct {
	// Name is the value that the region field of a session takes.
	Name string
	// JSON is the entry as the service sent it, compact. Its fields are not documented.
	JSON string
	// Unavailable says that the entry is listed but no session can be created in the region: the
	// entry has, for example, "available": false or "status": "DISABLED".
	Unavailable bool
}

// regionLimit, in bytes, is the length of the longest entry, which becomes Region.JSON.
const regionLimit = 16 << 10

// regionKeys are the keys under which an entry may have the name, the most likely first.
var regionKeys = []string{"region", "name", "region_name", "code", "region_code", "value", "id", "region_id", "key", "slug"}

// decodeRegions reads the response to call 8 of SERVICE.md: a list of strings or objects.
func decodeRegions(v value) ([]Region, error) {
	list, ok := findList(v, "regions")
	if !ok {
		if o := v.object(); o.has("data") && o.get("data").isNull() {
			return nil, nil
		}
		return nil, misshapen("no list of regions was found in %s%s", v.describe(), describeData(v))
	}
	var regions []Region
	for i, item := range list.items() {
		if i == pageLimit {
			return nil, misshapen("it has more than %d regions", pageLimit)
		}
		if len(item) > regionLimit {
			return nil, misshapen("entry %d of the regions has %d bytes, more than %d", i+1, len(item), regionLimit)
		}
		name, ok := regionName(item, 0)
		if !ok {
			return nil, misshapen("entry %d of the regions carries no name: it is %s", i+1, item.describe())
		}
		var compact bytes.Buffer
		_ = json.Compact(&compact, item) // an item of valid JSON is valid
		regions = append(regions, Region{Name: name, JSON: quote.Escape(compact.String()), Unavailable: regionUnavailable(item, 0)})
	}
	return regions, nil
}

// regionName finds the name in an entry. The name may be some levels deeper in an object.
func regionName(v value, depth int) (string, bool) {
	if v.isString() {
		name := quote.Escape(strings.TrimSpace(v.text()))
		return name, name != "" && len(name) <= TextLimit
	}
	if !v.isObject() || depth > wrapperDepth {
		return "", false
	}
	o := v.object()
	var names []string
	for _, key := range regionKeys {
		if name, ok := regionName(o.get(key), depth+1); ok {
			names = append(names, name)
		}
	}
	// A display name such as "Asia Pacific (Mumbai)" is probably not what a session takes.
	if i := slices.IndexFunc(names, func(name string) bool { return !strings.ContainsFunc(name, unicode.IsSpace) }); i >= 0 {
		return names[i], true
	}
	if len(names) > 0 {
		return names[0], true
	}
	return otherRegionName(o, depth)
}

// otherRegionName finds the name of an entry that has it under none of regionKeys: its only string,
// the only name in the objects within it, or a number under one of regionKeys.
func otherRegionName(o object, depth int) (string, bool) {
	var texts, inner []string
	for _, key := range o.keys() {
		if among(availabilityFlags, key) || among(availabilityWords, key) {
			continue
		}
		v := o.get(key)
		if name, ok := regionName(v, depth+1); ok && v.isString() {
			texts = append(texts, name)
		} else if ok {
			inner = append(inner, name)
		}
	}
	switch {
	case len(texts) == 1:
		return texts[0], true
	case len(texts) > 1:
		return "", false
	case len(inner) == 1:
		return inner[0], true
	}
	for _, key := range regionKeys {
		if number := o.get(key); !number.isNull() && number.brief() == "a number" {
			return string(number), true
		}
	}
	return "", false
}

// Keys under which an entry may say whether sessions can be created in the region.
// availabilityFlags may hold a boolean, availabilityWords a word.
var (
	availabilityFlags = []string{"available", "is_available", "enabled", "is_enabled", "active", "is_active", "allocated", "is_allocated", "supported", "is_supported"}
	availabilityWords = []string{"availability", "status", "state"}
	notAvailable      = []string{"unavailable", "notavailable", "disabled", "inactive", "notallocated", "unallocated", "notsupported", "unsupported", "suspended", "closed", "offline", "down", "off", "no", "false"}
)

// regionUnavailable reports whether an entry says that its region is unavailable. An entry that
// says nothing, or something unknown, is available.
func regionUnavailable(v value, depth int) bool {
	if !v.isObject() || depth > wrapperDepth {
		return false
	}
	o := v.object()
	for _, key := range slices.Concat(availabilityFlags, availabilityWords) {
		said := o.get(key)
		text, _ := said.scalar()
		if slices.Contains(notAvailable, fold(text)) || text == "0" && slices.Contains(availabilityFlags, key) || regionUnavailable(said, depth+1) {
			return true
		}
	}
	return slices.ContainsFunc(regionKeys, func(key string) bool { return regionUnavailable(o.get(key), depth+1) })
}
