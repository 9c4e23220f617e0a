package upload

import (
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"fmt"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// checkObject compares the checksums that storage returns for a complete object with those of the
// file. They are the only proof where ETags are no MD5s.
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
			return fmt.Errorf("storage made an object, %s, that is not the file: its %s is %s, which is not the file's. Do not use this object. "+
				"The next upload sends the file from its beginning", keyPath, c.name, c.value)
		}
	}
	return nil
}

// composedETag returns the ETag that S3 makes of the parts', and whether the object has another one of the
// same form. Where ETags of parts are no MD5s, as with KMS, nothing can be said.
func composedETag(parts []transfer.Part, completed *api.CompletedUpload) (want string, differs bool) {
	sums := md5.New() //nolint:gosec // see above
	for _, p := range parts {
		if !p.ETagIsMD5() {
			return "", false
		}
		sums.Write(p.MD5[:])
	}
	suffix := fmt.Sprintf("-%d", len(parts))
	want = fmt.Sprintf("%x%s", sums.Sum(nil), suffix)
	got := strings.ToLower(strings.Trim(completed.ETag, `"`))
	sameForm := len(got) == len(want) && strings.HasSuffix(got, suffix)
	return want, sameForm && got != want
}
