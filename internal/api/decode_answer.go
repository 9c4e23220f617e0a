package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// regionKeys are where an entry of the region list may carry its name, in the
// order in which they are believed (interface 2.4 shows no fields).
var regionKeys = []string{"region", "name", "region_name", "code", "region_code", "value", "id", "region_id", "key", "slug"}

// decodeRegions reads the region list: strings or objects.
func decodeRegions(v value) ([]Region, error) {
	list, ok := findList(v, "regions")
	if !ok {
		if o := v.object(); o.has("data") && o.get("data").isNull() {
			return nil, nil
		}
		return nil, misshapen("no list of regions was found in %s%s", v.describe(), innards(v))
	}
	var regions []Region
	for i, item := range list.items() {
		name, ok := regionName(item, 0)
		if !ok {
			return nil, misshapen("entry %d of the regions carries no name: it is %s", i+1, item.describe())
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, item); err != nil {
			return nil, misshapen("entry %d of the regions is not JSON", i+1)
		}
		regions = append(regions, Region{Name: name, JSON: compact.String(), Unavailable: regionUnavailable(item, 0)})
	}
	return regions, nil
}

// regionName finds the name in an entry. An object may carry it one or more levels deeper.
func regionName(v value, depth int) (string, bool) {
	if v.isString() {
		name := strings.TrimSpace(v.text())
		return name, name != ""
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
	// A name made for people, "Asia Pacific (Mumbai)", is not what a session's
	// region field takes if another key has one without spaces.
	for _, name := range names {
		if !strings.ContainsFunc(name, unicode.IsSpace) {
			return name, true
		}
	}
	if len(names) > 0 {
		return names[0], true
	}
	return otherRegionName(o, depth)
}

// otherRegionName finds the name of an entry that has it under none of regionKeys: the only string,
// or the only one in an object that it holds, or a number under one of regionKeys.
func otherRegionName(o object, depth int) (string, bool) {
	var texts, inner []string
	for _, key := range o.keys() {
		if isAvailability(key) {
			continue
		}
		v := o.members[key]
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

// Keys under which an entry may say whether sessions can be created in the region. availabilityFlags
// may hold a boolean, availabilityWords a word.
var (
	availabilityFlags = []string{"available", "is_available", "enabled", "is_enabled", "active", "is_active", "allocated", "is_allocated", "supported", "is_supported"}
	availabilityWords = []string{"availability", "status", "state"}
	notAvailable      = []string{"unavailable", "notavailable", "disabled", "inactive", "notallocated", "unallocated", "notsupported", "unsupported", "suspended", "closed", "offline", "down", "off", "no", "false"}
)

func isAvailability(key string) bool {
	return slices.ContainsFunc(slices.Concat(availabilityFlags, availabilityWords), func(k string) bool { return fold(k) == fold(key) })
}

// regionUnavailable reports whether an entry says so of itself. An entry that says nothing, or
// something that is not known here, is available.
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

// statusInBody is the error status that a body tells, 0 if none: a number from 400 to 599 at its top
// level. A body that holds what was asked for is no refusal, whatever number stands beside it.
func statusInBody(v value) int {
	o := v.object()
	for _, key := range []string{"statusCode", "code"} {
		status, err := strconv.Atoi(string(o.get(key)))
		if err != nil || status < http.StatusBadRequest || status > 599 {
			continue
		}
		if isSession(o) || slices.ContainsFunc([]string{"data", "Sessions", "regions"}, func(key string) bool { return !o.get(key).empty() }) {
			return 0
		}
		return status
	}
	return 0
}

// found reads an object that has a value under one of the keys, however it is
// wrapped. What is missing is named after keys[0].
func found(v value, keys ...string) (*fields, error) {
	w := wanted{inLists: true, bare: func(o object) bool { return o.hasAny(keys...) }}
	// A member of that name may also be an object that holds the value.
	w.full = func(o object) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			text, ok := o.get(key).scalar()
			return ok && text != ""
		})
	}
	o, ok := w.find(v)
	if !ok {
		return nil, misshapen("no %s was found in %s%s", keys[0], v.describe(), innards(v))
	}
	return &fields{object: o}, nil
}

// need reads a string that must not be blank.
func (f *fields) need(keys ...string) string {
	s := f.str(keys...)
	if strings.TrimSpace(s) == "" && f.err == nil {
		f.err = misshapen("%s is missing: the answer holds %s", keys[0], nameKeys(f.keys()))
	}
	return s
}

// address reads a presigned URL.
func (f *fields) address(keys ...string) string {
	s := strings.TrimSpace(f.need(keys...))
	if f.err != nil {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "":
		f.err = misshapen("%s is a string that is no URL with a host", keys[0])
	case u.User != nil:
		f.err = misshapen("%s is a URL with user info", keys[0])
	default:
		if err := checkScheme(u); err != nil {
			f.err = misshapen("%s cannot be used: %s", keys[0], err)
		}
	}
	if f.err != nil {
		return ""
	}
	return s
}

// decodeUploadTarget: interface 2.1.
func decodeUploadTarget(v value) (*UploadTarget, error) {
	f, err := found(v, "fileKeyPath", "presigned_url", "key_path")
	if err != nil {
		return nil, err
	}
	target := &UploadTarget{KeyPath: f.need("fileKeyPath", "key_path"), URL: f.address("presigned_url", "url", "upload_url")}
	if f.err != nil {
		return nil, f.err
	}
	return target, nil
}

// decodeMultipartUpload: interface 2.2.
func decodeMultipartUpload(v value) (*MultipartUpload, error) {
	f, err := found(v, "upload_id", "key_path")
	if err != nil {
		return nil, err
	}
	upload := &MultipartUpload{UploadID: f.need("upload_id"), KeyPath: f.need("key_path", "fileKeyPath")}
	if f.err != nil {
		return nil, f.err
	}
	return upload, nil
}

// decodePartURL: interface 2.2. The URL may also be the data itself.
func decodePartURL(v value) (string, error) {
	if data := v.object().get("data"); data.isString() {
		f := &fields{object: v.object()}
		address := f.address("data")
		return address, f.err
	}
	f, err := found(v, "url", "presigned_url", "upload_url")
	if err != nil {
		return "", err
	}
	address := f.address("url", "presigned_url", "upload_url")
	return address, f.err
}

// decodeCompletedUpload: interface 2.2.
func decodeCompletedUpload(v value) (*CompletedUpload, error) {
	f, err := found(v, "Key", "ETag", "Location", "Bucket")
	if err != nil {
		return nil, err
	}
	done := &CompletedUpload{
		Bucket: f.str("Bucket"), Key: f.str("Key"), Location: f.str("Location"), ETag: f.str("ETag"),
		ServerSideEncryption: f.str("ServerSideEncryption"), VersionID: f.str("VersionId"),
		ChecksumCRC64NVME: f.str("ChecksumCRC64NVME"), ChecksumCRC32C: f.str("ChecksumCRC32C"),
		ChecksumCRC32: f.str("ChecksumCRC32"), ChecksumSHA256: f.str("ChecksumSHA256"),
	}
	if f.err != nil {
		return nil, f.err
	}
	return done, nil
}

// decodeMessage reads what batch answers: data null and a message (interface
// 2.3). The batch has been taken whatever the message looks like.
func decodeMessage(v value) string {
	if v.isString() {
		return v.text()
	}
	if f, err := found(v, "message", "msg", "detail"); err == nil {
		return f.str("message", "msg", "detail")
	}
	return ""
}
