package mediaupload

import (
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// checkObject compares the checksums that storage gives of a complete object with those of the file. They are the only
// proof where ETags are no MD5s.
func checkObject(keyPath string, sent transfer.Result, completed *api.CompletedUpload) error {
	for _, c := range []struct{ name, algorithm, value string }{
		{"CRC-64/NVME", "crc64nvme", completed.ChecksumCRC64NVME},
		{"CRC-32C", "crc32c", completed.ChecksumCRC32C},
		{"CRC-32", "crc32", completed.ChecksumCRC32},
		{"SHA-256", "sha256", completed.ChecksumSHA256},
	} {
		if c.value == "" {
			continue
		}
		if known, ok := sent.Matches(c.algorithm, c.value); known && !ok {
			return &wrongObjectError{keyPath: keyPath, algorithm: c.name, value: c.value}
		}
	}
	return nil
}

// wrongObjectError says that storage made an object of other content.
type wrongObjectError struct {
	keyPath, algorithm string
	value              string // storage's checksum of the object
}

func (e *wrongObjectError) Error() string {
	return fmt.Sprintf("storage made an object, %s, that is not the file: its %s is %s, which is not the file's. Do not use this object. "+
		"Apply again, which uploads the file from its beginning", e.keyPath, e.algorithm, e.value)
}

// composedETag is the ETag that S3 makes of those of the parts, and whether the object has another one of the same form.
// Nothing can be said where the store encrypts with KMS or has its own ETags: then those of the parts are no MD5s.
func composedETag(parts []transfer.Part, completed *api.CompletedUpload) (want string, differs bool) {
	sums := md5.New() //nolint:gosec // see above
	for _, p := range parts {
		if !etagIsMD5(p) {
			return "", false
		}
		sums.Write(p.MD5[:])
	}
	want = fmt.Sprintf("%x-%d", sums.Sum(nil), len(parts))
	got := strings.ToLower(strings.Trim(completed.ETag, `"`))
	sameForm := len(got) == len(want) && strings.HasSuffix(got, fmt.Sprintf("-%d", len(parts)))
	return want, sameForm && got != want
}

func etagIsMD5(p transfer.Part) bool {
	return strings.EqualFold(strings.Trim(p.ETag, `"`), hex.EncodeToString(p.MD5[:]))
}
