package digest

import (
	"crypto/sha1" //nolint:gosec // S3 may return it
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/crc64nvme"
)

const crc64NVME = "crc64nvme"

// Algorithm is a checksum that storage may return for a part or for an object.
type Algorithm struct {
	Name  string // as in S3's headers; the answer to CompleteMultipartUpload has it behind "Checksum", in upper case
	Title string

	sum        func() hash.Hash
	polynomial uint32 // of a CRC-32
}

// Algorithms are the checksums that can be computed. CRC-64/NVME needs no further read, so it is
// the first one. The others follow by strength.
var Algorithms = []Algorithm{
	{Name: crc64NVME, Title: "CRC-64/NVME", sum: func() hash.Hash { return crc64nvme.New() }},
	{Name: "sha256", Title: "SHA-256", sum: sha256.New},
	{Name: "sha1", Title: "SHA-1", sum: func() hash.Hash { return exempt(sha1.New) }},
	{Name: "crc32c", Title: "CRC-32C", sum: func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }, polynomial: crc32.Castagnoli},
	{Name: "crc32", Title: "CRC-32", sum: func() hash.Hash { return crc32.NewIEEE() }, polynomial: crc32.IEEE},
}

// algorithm returns the algorithm with a name.
func algorithm(name string) (a Algorithm, ok bool) {
	i := slices.IndexFunc(Algorithms, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return Algorithm{}, false
	}
	return Algorithms[i], true
}

// Object is the content of a multipart upload, as it is known when all parts are stored.
type Object struct {
	SHA256 [32]byte
	CRC    uint64 // CRC-64/NVME
	Parts  []PartChecksum
}

// PartChecksum is what storage returned as the checksum of a part.
type PartChecksum struct {
	Size     int64  // bytes
	Checksum string // "crc64nvme:BASE64"; "": none
}

// Matches compares the content with a checksum of the whole object, as in the response to
// CompleteMultipartUpload. name is the name of an Algorithm. value is the base64 of the object's
// checksum, or "BASE64-N": the checksum of the checksums of its N parts. known is false if storage
// has not returned the checksums of the parts, which all but a CRC-64/NVME and a SHA-256 of the
// object are made of.
func (o Object) Matches(name, value string) (known, ok bool) {
	a, ok := algorithm(name)
	if !ok {
		return false, false
	}
	_, count, composite := strings.Cut(value, "-")
	var want string
	switch {
	case composite && count != strconv.Itoa(len(o.Parts)):
		return true, false
	case composite:
		want, known = o.composite(a)
	case name == crc64NVME:
		want, known = encode64(o.CRC), true
	case name == "sha256":
		want, known = base64.StdEncoding.EncodeToString(o.SHA256[:]), true
	default:
		want, known = o.combined(a)
	}
	return known, known && value == want
}

// ofParts returns the checksums of the parts, unless storage did not return one of so many bytes
// for each of them.
func (o Object) ofParts(name string, size int) (raw [][]byte, ok bool) {
	for _, p := range o.Parts {
		returned, value, _ := strings.Cut(p.Checksum, ":")
		b, err := base64.StdEncoding.DecodeString(value)
		if returned != name || err != nil || len(b) != size {
			return nil, false
		}
		raw = append(raw, b)
	}
	return raw, true
}

// composite is the checksum of the parts' checksums.
func (o Object) composite(a Algorithm) (string, bool) {
	sum := a.sum()
	parts, ok := o.ofParts(a.Name, sum.Size())
	for _, raw := range parts {
		sum.Write(raw)
	}
	return fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(sum.Sum(nil)), len(o.Parts)), ok
}

// combined is the CRC-32 of the object, computed from those of its parts.
func (o Object) combined(a Algorithm) (string, bool) {
	parts, ok := o.ofParts(a.Name, crc32.Size)
	var whole uint32
	for i, raw := range parts {
		whole = appendCRC(a.polynomial, whole, binary.BigEndian.Uint32(raw), o.Parts[i].Size)
	}
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, whole)), ok && a.polynomial != 0
}

// appendCRC returns the CRC of a content whose beginning has the CRC a and whose last size bytes
// have the CRC b: a times x to the power of the number of bits that follow, plus b.
func appendCRC[T uint32 | uint64](polynomial, a, b T, size int64) T {
	power := ^(^T(0) >> 1) >> 1 // x; the lowest power is the highest bit
	for bits := size * 8; bits > 0; bits >>= 1 {
		if bits&1 != 0 {
			a = multiply(polynomial, a, power)
		}
		power = multiply(polynomial, power, power)
	}
	return a ^ b
}

// multiply is the product of two polynomials over GF(2), modulo the CRC's.
func multiply[T uint32 | uint64](polynomial, a, b T) T {
	top := ^(^T(0) >> 1)
	var product T
	for ; a != 0; a <<= 1 {
		if a&top != 0 {
			product ^= b
		}
		low := b & 1
		b >>= 1
		if low != 0 {
			b ^= polynomial
		}
	}
	return product
}

func encode64(crc uint64) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, crc))
}

// NeedsNoRead reports whether a checksum, as "crc64nvme:BASE64", is compared without another read
// of the file.
func NeedsNoRead(checksum string) bool { return strings.HasPrefix(checksum, crc64NVME+":") }
