package upload

import (
	"crypto/md5"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func TestChooseAnUnfinishedUpload(t *testing.T) {
	t.Parallel()
	parts := make([]transfer.Part, 6)
	for i := range parts {
		sum := md5.Sum(fmt.Append(nil, i))
		parts[i] = transfer.Part{Number: i + 1, MD5: sum, ETag: fmt.Sprintf(`"%x"`, sum), Size: 5 << 20}
	}
	stale := parts[2]
	stale.MD5[0]++
	upload := func(id string, partSize int64, parts ...transfer.Part) *resume.Unfinished {
		return &resume.Unfinished{UploadID: id, KeyPath: "k/" + id, PartSize: partSize, Parts: parts}
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
		own, handed, recorded, want *resume.Unfinished
		taken, elsewhere            string
	}{
		"none":                       {},
		"another part size":          {own: upload("a", 6<<20, parts[0])},
		"no id":                      {recorded: upload("", 5<<20, parts[0])},
		"state and record":           {own: upload("a", 5<<20, parts[0], parts[1]), recorded: upload("a", 5<<20, parts[1], parts[2]), want: upload("a", 5<<20, trusted(parts[1]), trusted(parts[2]), parts[0])},
		"checksum in the record":     {own: upload("a", 5<<20, parts[0]), recorded: upload("a", 5<<20, summed), want: upload("a", 5<<20, trusted(summed))},
		"two accounts of a part":     {own: upload("a", 5<<20, stale), recorded: upload("a", 5<<20, parts[2]), want: upload("a", 5<<20, trusted(parts[2]), stale)},
		"record of a later time":     {own: upload("a", 5<<20, parts[0]), recorded: recordedCompleting, want: completing},
		"own before another's":       {own: upload("a", 5<<20, parts[0]), recorded: upload("b", 5<<20, parts[1], parts[2]), want: upload("a", 5<<20, parts[0])},
		"handed over":                {handed: upload("a", 5<<20, parts[0]), recorded: upload("b", 5<<20, parts[1]), want: upload("a", 5<<20, parts[0])},
		"handed over and recorded":   {handed: upload("a", 5<<20, parts[0]), recorded: upload("a", 5<<20, parts[0]), want: upload("a", 5<<20, trusted(parts[0]))},
		"handed over and taken":      {handed: upload("a", 5<<20, parts[0]), recorded: upload("b", 5<<20, parts[1]), taken: "a", want: upload("b", 5<<20, trusted(parts[1]))},
		"own taken":                  {own: upload("a", 5<<20, parts[0]), recorded: upload("b", 5<<20, parts[1]), taken: "a", want: upload("b", 5<<20, trusted(parts[1]))},
		"record taken":               {recorded: upload("b", 5<<20, parts[1]), taken: "b"},
		"at work in another process": {own: upload("a", 5<<20, parts[0]), elsewhere: "a"},
	} {
		o := &operation{uploader: New(Config{}), file: File{PartSize: 5 << 20}}
		if tc.handed != nil {
			o.uploader.HandOver(o.file, tc.handed)
		}
		if tc.taken != "" {
			o.uploader.claim(tc.taken)
		}
		if diff := cmp.Diff(tc.want, o.choose(tc.own, tc.recorded, tc.elsewhere)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
