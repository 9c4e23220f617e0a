package transfer_test

import (
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// discarding reads every PUT and keeps nothing.
type discarding struct{ etag func(*http.Request) string }

func (d *discarding) RoundTrip(req *http.Request) (*http.Response, error) {
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, req.Body, make([]byte, 32<<10))
	_ = req.Body.Close()
	if err != nil || n != req.ContentLength {
		return nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return answer(200, "", "ETag", d.etag(req)), nil
}

// A part of 512 MiB goes out without being held. The file is sparse, so neither
// end has anything to keep.
func TestMemoryIsBounded(t *testing.T) { //nolint:paralleltest // counts what the process allocates
	if testing.Short() {
		t.Skip("goes through 512 MiB twice")
	}
	const part = 512 << 20
	path := filepath.Join(t.TempDir(), "sparse")
	overwrite(t, path, nil)
	if err := os.Truncate(path, part+1); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	f := transfer.File{Path: path, Name: "sparse", Size: part + 1}
	sum, err := hex.DecodeString("7c40fe5ce847740d0f0d0cdde3949d6585804cdec3ae61a15b923165699c8137")
	must.Succeed(t, err)
	f.SHA256 = [32]byte(sum)
	e := newEngine(&discarding{etag: func(req *http.Request) string {
		if req.ContentLength == part {
			return "aa559b4e3523a6c931f08f4df52d58f2" // the MD5 of 512 MiB of zeros
		}
		return "93b885adfe0da089cdf634904fd59f71" // and of one
	}}, func(c *transfer.Config) { c.Concurrency = 1 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mustSend(t, e, f, part)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 3<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
