package digest

import (
	"crypto/fips140"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"strings"

	"github.com/minio/crc64nvme"
)

const crc64NVME = "crc64nvme"

// Algorithm is a checksum that storage may return for a part or for an object.
type Algorithm struct {
	Name  string // as in S3's headers; the answer to CompleteMultipartUpload has it behind "Checksum", in upper case
	Title string

	sum func() hash.Hash
}

// Algorithms are the checksums that can be computed. CRC-64/NVME needs no further read, so it is
// the first one. The others follow by strength.
var Algorithms = []Algorithm{
	{crc64NVME, "CRC-64/NVME", func() hash.Hash { return crc64nvme.New() }},
	{"sha256", "SHA-256", sha256.New},
	{"crc32c", "CRC-32C", func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
	{"crc32", "CRC-32", func() hash.Hash { return crc32.NewIEEE() }},
}

// Matches compares a checksum of the whole file, as the response to CompleteMultipartUpload has it,
// with the content. name is the name of an Algorithm. value is in base64. isKnown is false where
// there is nothing to compare it with: only the CRC-64/NVME and the SHA-256 of a whole file are
// computed, and "BASE64-N" is a checksum of the checksums of N parts.
func (c *Content) Matches(name, value string) (isKnown, isEqual bool) {
	switch {
	case strings.Contains(value, "-"):
		return false, false
	case name == crc64NVME && c.crc != 0:
		return true, value == encodeCRC(c.crc)
	case name == "sha256":
		return true, value == encode(c.plan.SHA256[:])
	}
	return false, false
}

func encode(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }

func encodeCRC(crc uint64) string { return encode(binary.BigEndian.AppendUint64(nil, crc)) }

// NeedsNoRead reports whether a checksum, as "crc64nvme:BASE64", is compared without another read
// of the file.
func NeedsNoRead(checksum string) bool { return strings.HasPrefix(checksum, crc64NVME+":") }

// newMD5 returns an MD5 that can be computed in FIPS 140-3 mode, too: the ETags of S3 are MD5s, and
// prove nothing that the SHA-256 of the content does not. All calls have to be exempt: after a
// refused write, the hash would be that of no bytes.
func newMD5() hash.Hash {
	var h hash.Hash
	fips140.WithoutEnforcement(func() { h = md5.New() }) //nolint:gosec // see above
	return exempt{h}
}

type exempt struct{ hash.Hash }

func (h exempt) Write(p []byte) (n int, err error) {
	fips140.WithoutEnforcement(func() { n, err = h.Hash.Write(p) })
	return n, err
}

func (h exempt) Sum(b []byte) (sum []byte) {
	fips140.WithoutEnforcement(func() { sum = h.Hash.Sum(b) })
	return sum
}
