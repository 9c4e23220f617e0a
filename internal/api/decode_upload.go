package api

import (
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// found finds the object that has a value under one of the keys, however it is wrapped. If there is
// none, the fields are empty and their error names the first key.
func found(v value, keys ...string) *fields {
	w := wanted{inLists: true, maybe: func(o object) bool { return o.hasAny(keys...) }}
	// A member with such a key may also be a wrapper of the value.
	w.sure = func(o object) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			text, ok := o.get(key).scalar()
			return ok && text != ""
		})
	}
	o, ok := w.find(v)
	if !ok {
		return &fields{err: misshapen("no %s was found in %s%s", keys[0], v.describe(), describeData(v))}
	}
	return &fields{object: o}
}

// decodeUploadTarget reads the response to call 1 of SERVICE.md.
func decodeUploadTarget(v value) (*UploadTarget, error) {
	f := found(v, "fileKeyPath", "presigned_url", "key_path")
	target := &UploadTarget{KeyPath: f.keyPath("fileKeyPath", "key_path"), URL: f.address("presigned_url", "url", "upload_url")}
	return target, f.err
}

// decodeMultipartUpload reads the response to call 3.
func decodeMultipartUpload(v value) (*MultipartUpload, error) {
	f := found(v, "upload_id", "key_path")
	upload := &MultipartUpload{UploadID: f.need("upload_id"), KeyPath: f.keyPath("key_path", "fileKeyPath")}
	return upload, f.err
}

// decodePartURL reads the response to call 4. The URL may also be the data itself.
func decodePartURL(v value) (string, error) {
	if data := v.object().get("data"); data.isString() {
		f := &fields{object: v.object()}
		address := f.address("data")
		return address, f.err
	}
	f := found(v, "url", "presigned_url", "upload_url")
	address := f.address("url", "presigned_url", "upload_url")
	return address, f.err
}

// decodeCompletedUpload reads the response to call 6.
func decodeCompletedUpload(v value) (*CompletedUpload, error) {
	f := found(v, "Key", "ETag", "Location", "Bucket")
	done := &CompletedUpload{
		Bucket: f.str("Bucket"), Key: f.str("Key"), Location: location(f.limited(AddressLimit, "Location")), ETag: f.etag("ETag"),
		ServerSideEncryption: f.str("ServerSideEncryption"), VersionID: f.str("VersionId"),
		ChecksumCRC64NVME: f.str("ChecksumCRC64NVME"), ChecksumCRC32C: f.str("ChecksumCRC32C"),
		ChecksumCRC32: f.str("ChecksumCRC32"), ChecksumSHA256: f.str("ChecksumSHA256"),
	}
	return done, f.err
}

// location returns the address of an object without what may be secret: user info and a signature.
func location(address string) string {
	address, _, _ = strings.Cut(address, "?")
	scheme, rest, found := strings.Cut(address, "://")
	if found {
		scheme += "://"
	} else {
		scheme, rest = "", address
	}
	authority, _, _ := strings.Cut(rest, "/")
	return redact.Escape(scheme + rest[strings.LastIndexByte(authority, '@')+1:])
}

// decodeMessage reads the message in the response to call 7; "" if there is none. The batch job was
// submitted, whatever the message looks like.
func decodeMessage(v value) string {
	if v.isString() {
		return v.text()
	}
	f := found(v, "message", "msg", "detail")
	text, _ := f.get("message", "msg", "detail").scalar()
	return text
}
