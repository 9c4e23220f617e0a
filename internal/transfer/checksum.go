package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/crc64nvme"
)

// Checksum algorithms by their names in S3's headers.
const (
	crc64NVME = "crc64nvme"
	crc32C    = "crc32c"
	crc32IEEE = "crc32"
	sha256Sum = "sha256"
)

// algorithms are those that an answer is searched for. A part is recorded with the first one found:
// CRC-64/NVME needs no further read, and the others follow by strength.
var algorithms = []string{crc64NVME, sha256Sum, crc32C, crc32IEEE}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newChecksum(algorithm string) hash.Hash {
	switch algorithm {
	case crc64NVME:
		return crc64nvme.New()
	case sha256Sum:
		return sha256.New()
	case crc32C:
		return crc32.New(castagnoli)
	case crc32IEEE:
		return crc32.NewIEEE()
	default:
		return nil
	}
}

// checksum is one that storage returned, in base64.
type checksum struct{ algorithm, value string }

func (c checksum) String() string { return c.algorithm + ":" + c.value }

func parseChecksum(s string) checksum {
	algorithm, value, _ := strings.Cut(s, ":")
	return checksum{algorithm, value}
}

// checksumsOf returns the checksums of the content in the answer to a PUT.
func checksumsOf(header http.Header) []checksum {
	var found []checksum
	for _, algorithm := range algorithms {
		if v := strings.TrimSpace(header.Get("X-Amz-Checksum-" + algorithm)); v != "" {
			found = append(found, checksum{algorithm, v})
		}
	}
	return found
}

// checksum computes a checksum of a section in base64, "" for an unknown algorithm. crc is the
// section's CRC-64/NVME from the first read. The other checksums need a read of their own, which
// must have the same CRC. Storage rarely returns them, so they are computed only on demand.
func (e *Engine) checksum(ctx context.Context, s section, algorithm string, crc uint64) (string, error) {
	if algorithm == crc64NVME {
		return encode64(crc), nil
	}
	sum := newChecksum(algorithm)
	if sum == nil {
		return "", nil
	}
	var again uint64
	err := e.readThrough(ctx, s, &queue{}, func(chunk []byte) error {
		sum.Write(chunk)
		again = crc64nvme.Update(again, chunk)
		return nil
	})
	if err == nil && again != crc {
		err = s.changed()
	}
	return base64.StdEncoding.EncodeToString(sum.Sum(nil)), err
}

// compare requires that all checksums in the answer to a PUT are the content's. It returns the one
// to record, "" if there was none.
func (e *Engine) compare(ctx context.Context, p put, returned []checksum, crc uint64) (string, error) {
	for _, c := range returned {
		want, err := e.checksum(ctx, p.section, c.algorithm, crc)
		if err != nil {
			return "", err
		}
		if c.value != want {
			return "", &ChecksumError{Op: p.op, Algorithm: c.algorithm, Returned: e.masked(p, c.value), Content: want, Attempts: 1}
		}
	}
	if len(returned) == 0 {
		return "", nil
	}
	return returned[0].String(), nil
}

// Matches compares a checksum of the whole object, as the answer to CompleteMultipartUpload has it,
// with the content. algorithm is "crc64nvme", "crc32c", "crc32" or "sha256"; value is the base64 of
// the object's checksum or, as "BASE64-N", of that of its N parts' checksums. known is false if the
// checksum cannot be told: except for a CRC-64/NVME and a SHA-256 of the object it is made of those
// that storage returned for the parts.
func (r Result) Matches(algorithm, value string) (known, ok bool) {
	_, count, composite := strings.Cut(value, "-")
	var want string
	switch {
	case composite && count != strconv.Itoa(len(r.Parts)):
		return true, false
	case composite:
		want, known = r.composite(algorithm)
	case algorithm == crc64NVME:
		want, known = encode64(r.crc), true
	case algorithm == sha256Sum:
		want, known = base64.StdEncoding.EncodeToString(r.SHA256[:]), true
	default:
		want, known = r.combined(algorithm)
	}
	return known, known && value == want
}

// partChecksum returns the bytes of the checksum that storage returned for a part.
func (p Part) partChecksum(algorithm string) []byte {
	c := parseChecksum(p.Checksum)
	if c.algorithm != algorithm {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(c.value)
	if err != nil {
		return nil
	}
	return raw
}

// composite is the checksum of the parts' checksums.
func (r Result) composite(algorithm string) (string, bool) {
	sum := newChecksum(algorithm)
	if sum == nil {
		return "", false
	}
	for _, p := range r.Parts {
		raw := p.partChecksum(algorithm)
		if len(raw) != sum.Size() {
			return "", false
		}
		sum.Write(raw)
	}
	return fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(sum.Sum(nil)), len(r.Parts)), true
}

// combined is the CRC-32 of the object, computed from those of its parts.
func (r Result) combined(algorithm string) (string, bool) {
	polynomials := map[string]uint32{crc32C: crc32.Castagnoli, crc32IEEE: crc32.IEEE}
	polynomial, ok := polynomials[algorithm]
	if !ok {
		return "", false
	}
	var whole uint32
	for _, p := range r.Parts {
		raw := p.partChecksum(algorithm)
		if len(raw) != crc32.Size {
			return "", false
		}
		whole = appendCRC(polynomial, whole, binary.BigEndian.Uint32(raw), p.Size)
	}
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, whole)), true
}

// appendCRC returns the CRC of a content whose beginning has the CRC a and whose last size bytes have
// the CRC b: a times x to the power of the number of bits that follow, plus b.
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
