package mediaupload

import (
	"crypto/md5"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
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
				kept[i].ETag = rapid.StringN(1, 40, -1).Draw(t, "etag")
			}
		}
		got, err := decodeParts(encodeParts(kept), partSize, size)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(kept, got); len(kept) > 0 && diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestTenThousandPartsStayWellUnderAMegabyteOfState(t *testing.T) {
	t.Parallel()
	parts := makeParts(10_000, 5<<20, 10_000*(5<<20))
	if n := len(encodeParts(parts)); n > 300_000 {
		t.Errorf("10,000 parts take %d bytes of state", n)
	}
}

func TestDecodePartsRefuses(t *testing.T) {
	t.Parallel()
	good := encodeParts(makeParts(2, 5<<20, 10<<20))
	for _, text := range []string{
		"x", "1", "1:", "1:AAAA", ":" + good, "0:" + good[2:24], "3:" + good[2:24], "-1:" + good[2:24], good + ",", good + ":AAAA:AAAA", "1:" + good[2:24] + ":", "1:" + good[2:24] + ":*",
	} {
		if parts, err := decodeParts(text, 5<<20, 10<<20); err == nil {
			t.Errorf("%q was read as %v", text, parts)
		}
	}
	if _, err := decodeParts(good, 0, 10<<20); err == nil {
		t.Error("a part size of 0 was accepted")
	}
}

func FuzzDecodeParts(f *testing.F) {
	f.Add(encodeParts(makeParts(3, 5<<20, 15<<20)), int64(5<<20), int64(15<<20))
	f.Add("1:AAAAAAAAAAAAAAAAAAAAAA:IiI", int64(1), int64(1))
	f.Add(",", int64(-1), int64(-1))
	f.Fuzz(func(t *testing.T, text string, partSize, size int64) {
		parts, err := decodeParts(text, partSize, size)
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

func TestChooseAnUnfinishedUpload(t *testing.T) {
	t.Parallel()
	parts := makeParts(6, 5<<20, 30<<20)
	stale := parts[2]
	stale.MD5[0]++
	upload := func(id string, partSize int64, parts ...transfer.Part) *providerdata.Unfinished {
		return &providerdata.Unfinished{UploadID: id, KeyPath: "k/" + id, PartSize: partSize, Parts: parts}
	}
	trusted := func(p transfer.Part) transfer.Part {
		p.Trusted = true
		return p
	}
	completing, recordedCompleting := upload("a", 5<<20, trusted(parts[0])), upload("a", 5<<20, parts[0])
	completing.Completing, recordedCompleting.Completing = true, true
	summed := parts[0]
	summed.Checksum = "crc32c:AAAAAA=="
	for name, tc := range map[string]struct {
		own, recorded, want *providerdata.Unfinished
		taken, elsewhere    string
	}{
		"none":                       {},
		"another part size":          {own: upload("a", 6<<20, parts[0])},
		"no id":                      {recorded: upload("", 5<<20, parts[0])},
		"state and record":           {own: upload("a", 5<<20, parts[0], parts[1]), recorded: upload("a", 5<<20, parts[1], parts[2]), want: upload("a", 5<<20, trusted(parts[1]), trusted(parts[2]), parts[0])},
		"checksum in the record":     {own: upload("a", 5<<20, parts[0]), recorded: upload("a", 5<<20, summed), want: upload("a", 5<<20, trusted(summed))},
		"two accounts of a part":     {own: upload("a", 5<<20, stale), recorded: upload("a", 5<<20, parts[2]), want: upload("a", 5<<20, trusted(parts[2]), stale)},
		"record of a later time":     {own: upload("a", 5<<20, parts[0]), recorded: recordedCompleting, want: completing},
		"own before another's":       {own: upload("a", 5<<20, parts[0]), recorded: upload("b", 5<<20, parts[1], parts[2]), want: upload("a", 5<<20, parts[0])},
		"own taken":                  {own: upload("a", 5<<20, parts[0]), recorded: upload("b", 5<<20, parts[1]), taken: "a", want: upload("b", 5<<20, trusted(parts[1]))},
		"record taken":               {recorded: upload("b", 5<<20, parts[1]), taken: "b"},
		"at work in another process": {own: upload("a", 5<<20, parts[0]), elsewhere: "a"},
	} {
		u := &uploader{data: providerdata.New(providerdata.Settings{})}
		if tc.taken != "" {
			u.data.Uploads.Claim(tc.taken)
		}
		if diff := cmp.Diff(tc.want, u.choose(tc.own, tc.recorded, tc.elsewhere, 5<<20)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestProgressLine(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]transfer.Progress{
		"promo.mp4 42 %, 3.1 of 7.4 GB, 88 MB/s, 49 s left":     {Name: "promo.mp4", Sent: 3_108_000_000, Total: 7_400_000_000, Rate: 88_000_000, Remaining: 49 * time.Second},
		"a.mp4 50 %, 5.0 of 10 MB, 1.0 MB/s, 5 s left":          {Name: "a.mp4", Sent: 2_000_000, Reused: 3_000_000, Total: 10_000_000, Rate: 1_000_000, Remaining: 5 * time.Second},
		"a.mp4 100 %, 10 of 10 MB, 12 MB/s":                     {Name: "a.mp4", Sent: 10_000_000, Total: 10_000_000, Rate: 12_000_000},
		"a.mp4 0 %, 0 of 3 B, 0 B/s":                            {Name: "a.mp4", Total: 3},
		"big.mxf 1 %, 0.1 of 5.5 TB, 100 MB/s, 15 h 1 min left": {Name: "big.mxf", Sent: 100_000_000_000, Total: 5_500_000_000_000, Rate: 100_000_000, Remaining: 15*time.Hour + time.Minute},
		"mid.mov 10 %, 1.0 of 10 GB, 50 MB/s, 3 min 0 s left":   {Name: "mid.mov", Sent: 1_000_000_000, Total: 10_000_000_000, Rate: 50_000_000, Remaining: 180 * time.Second},
	} {
		if got := progressLine(p); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
