package resume

import (
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func makeParts(count int, partSize, size int64) []transfer.Part {
	parts := make([]transfer.Part, count)
	for i := range parts {
		sum := md5.Sum(fmt.Append(nil, i))
		parts[i] = transfer.Part{Number: i + 1, MD5: sum, ETag: quotedMD5(sum), Size: min(partSize, size-int64(i)*partSize)}
	}
	return parts
}

func TestPartsSurviveTheState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		partSize := rapid.Int64Range(5<<20, 64<<20).Draw(t, "part size")
		count := rapid.IntRange(1, 200).Draw(t, "count")
		size := int64(count-1)*partSize + rapid.Int64Range(1, partSize).Draw(t, "last part")
		parts := makeParts(count, partSize, size)
		kept := slices.DeleteFunc(slices.Clone(parts), func(transfer.Part) bool { return rapid.Bool().Draw(t, "missing") })
		for i := range kept {
			if rapid.Bool().Draw(t, "other etag") {
				kept[i].ETag = rapid.StringMatching(`[!-~]{1,40}`).Draw(t, "etag")
			}
		}
		got, err := DecodeParts(EncodeParts(kept), partSize, size)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(kept, got); len(kept) > 0 && diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDecodePartsRefuses(t *testing.T) {
	t.Parallel()
	good := EncodeParts(makeParts(2, 5<<20, 10<<20))
	for _, text := range []string{
		"x", "1", "1:", "1:AAAA", ":" + good, "0:" + good[2:24], "3:" + good[2:24], "-1:" + good[2:24], good + ",", good + ":AAAA:AAAA", "1:" + good[2:24] + ":", "1:" + good[2:24] + ":*",
		"1:" + good[2:24] + ":" + base64.RawStdEncoding.EncodeToString([]byte("\x1b[2J")),
		"1:" + good[2:24] + ":" + base64.RawStdEncoding.EncodeToString([]byte("\u202e")),
		"1:" + good[2:24] + ":" + base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", 1<<10+1))),
	} {
		if parts, err := DecodeParts(text, 5<<20, 10<<20); err == nil {
			t.Errorf("%q was read as %v", text, parts)
		}
	}
	if _, err := DecodeParts(good, 0, 10<<20); err == nil {
		t.Error("a part size of 0 was accepted")
	}
}

func FuzzDecodeParts(f *testing.F) {
	f.Add(EncodeParts(makeParts(3, 5<<20, 15<<20)), int64(5<<20), int64(15<<20))
	f.Add("1:AAAAAAAAAAAAAAAAAAAAAA:IiI", int64(1), int64(1))
	f.Add(",", int64(-1), int64(-1))
	f.Fuzz(func(t *testing.T, text string, partSize, size int64) {
		parts, err := DecodeParts(text, partSize, size)
		if err != nil {
			return
		}
		for _, p := range parts {
			if p.Number < 1 || p.Number > transfer.PartCount(size, partSize) || p.Size < 1 || p.Size > partSize || p.ETag == "" {
				t.Errorf("part %+v of a file of %d bytes in parts of %d", p, size, partSize)
			}
		}
	})
}
