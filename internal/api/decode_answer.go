package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
)

// regionKeys are where an entry of the region list may carry its name, in the
// order in which they are believed (interface 2.4 shows no fields).
var regionKeys = []string{"region", "name", "region_name", "code", "region_code", "value", "id", "region_id", "key", "slug"}

// decodeRegions reads the region list: strings or objects.
func decodeRegions(v value) ([]Region, error) {
	list, _, ok := findList(v, "regions")
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
		regions = append(regions, Region{Name: name, JSON: compact.String()})
	}
	return regions, nil
}

func regionName(v value, depth int) (string, bool) {
	if v.isString() {
		name := strings.TrimSpace(v.text())
		return name, name != ""
	}
	if !v.isObject() {
		return "", false
	}
	o := v.object()
	// A name made for people, "Asia Pacific (Mumbai)", is not what a session's
	// region field takes if another key has one without spaces.
	for _, readable := range []bool{false, true} {
		for _, key := range regionKeys {
			name := strings.TrimSpace(o.get(key).text())
			if name != "" && readable == strings.ContainsFunc(name, unicode.IsSpace) {
				return name, true
			}
		}
	}
	var only []string
	for _, key := range o.keys() {
		if name := strings.TrimSpace(o.members[key].text()); name != "" {
			only = append(only, name)
		}
	}
	if len(only) == 1 {
		return only[0], true
	}
	if inner := wrapped(o, nil); len(only) == 0 && len(inner) == 1 && depth < wrapperDepth {
		return regionName(inner[0].value, depth+1)
	}
	for _, key := range regionKeys {
		if number := o.get(key); len(only) == 0 && number.brief() == "a number" && !number.isNull() {
			return string(number), true
		}
	}
	return "", false
}

// found reads an object that has a value under one of the first keys, however
// it is wrapped. What is missing is named after keys[0].
func found(v value, keys ...string) (*fields, error) {
	has := func(o object) bool { return o.hasAny(keys...) }
	o, ok := unwrap(v, has, has)
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
