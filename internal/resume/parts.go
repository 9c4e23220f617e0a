package resume

import (
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/etag"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// EncodeParts writes stored parts as "number:MD5" in base64 without padding, separated by commas.
// The ETag follows only where it is not the quoted MD5. Checksums are left out: they prove a part
// only in a file that nobody else can write, and a state is none. 10,000 parts take about 280 kB.
func EncodeParts(parts []transfer.Part) string {
	sorted := slices.Clone(parts)
	slices.SortFunc(sorted, func(a, b transfer.Part) int { return a.Number - b.Number })
	items := make([]string, len(sorted))
	for i, p := range sorted {
		items[i] = fmt.Sprintf("%d:%s", p.Number, base64.RawStdEncoding.EncodeToString(p.MD5[:]))
		if p.ETag != quotedMD5(p.MD5) {
			items[i] += ":" + base64.RawStdEncoding.EncodeToString([]byte(p.ETag))
		}
	}
	return strings.Join(items, ",")
}

func quotedMD5(sum [md5.Size]byte) string { return `"` + hex.EncodeToString(sum[:]) + `"` }

// DecodeParts is the inverse of EncodeParts. Parts that a file of size bytes does not have are an
// error.
func DecodeParts(s string, partSize, size int64) ([]transfer.Part, error) {
	if s == "" {
		return nil, nil
	}
	if partSize < 1 {
		return nil, fmt.Errorf("a part size of %d", partSize)
	}
	count := transfer.PartCount(size, partSize)
	var parts []transfer.Part
	for i, item := range strings.Split(s, ",") {
		p, ok := decodePart(item)
		if !ok {
			return nil, fmt.Errorf("part %d of the list is not number:MD5", i+1)
		}
		if p.Number < 1 || p.Number > count {
			return nil, fmt.Errorf("part number %d of a file with %d parts", p.Number, count)
		}
		p.Size = min(partSize, size-int64(p.Number-1)*partSize)
		parts = append(parts, p)
	}
	return parts, nil
}

func decodePart(item string) (p transfer.Part, ok bool) {
	number, rest, _ := strings.Cut(item, ":")
	encoded, given, differs := strings.Cut(rest, ":")
	sum, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil || len(sum) != md5.Size {
		return p, false
	}
	p.MD5 = [md5.Size]byte(sum)
	p.ETag = quotedMD5(p.MD5)
	if differs {
		decoded, err := base64.RawStdEncoding.DecodeString(given)
		if err != nil || len(decoded) == 0 || !etag.Valid(string(decoded)) {
			return p, false
		}
		p.ETag = string(decoded)
	}
	p.Number, err = strconv.Atoi(number)
	return p, err == nil
}
