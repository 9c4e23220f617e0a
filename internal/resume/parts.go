package resume

import (
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		p, err := decodePart(item)
		if err != nil {
			return nil, fmt.Errorf("part %d of the list: %w", i+1, err)
		}
		if p.Number < 1 || p.Number > count {
			return nil, fmt.Errorf("part number %d of a file with %d parts", p.Number, count)
		}
		p.Size = min(partSize, size-int64(p.Number-1)*partSize)
		parts = append(parts, p)
	}
	return parts, nil
}

func decodePart(item string) (transfer.Part, error) {
	var p transfer.Part
	fields := strings.Split(item, ":")
	if len(fields) != 2 && len(fields) != 3 {
		return p, errors.New("not number:MD5")
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return p, errors.New("no number")
	}
	sum, err := base64.RawStdEncoding.DecodeString(fields[1])
	if err != nil || len(sum) != md5.Size {
		return p, errors.New("no MD5")
	}
	p.Number, p.MD5 = number, [md5.Size]byte(sum)
	p.ETag = quotedMD5(p.MD5)
	if len(fields) == 3 {
		etag, err := base64.RawStdEncoding.DecodeString(fields[2])
		if err != nil || len(etag) == 0 {
			return p, errors.New("no ETag")
		}
		p.ETag = string(etag)
	}
	return p, nil
}
