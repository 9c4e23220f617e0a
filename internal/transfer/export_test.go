package transfer

import (
	"os"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

// Memory returns the bytes of file content that the engine holds in buffers of its own, now and at most since it
// was made, and what they never exceed, however many and however large the files are. Each request in flight comes
// on top, with the 32 KiB that the transport copies through.
func (e *Engine) Memory() (now, peak, limit int64) { return e.reader.Memory() }

// OpenWith has files opened by open, each reader with a handle of its own if perReader.
func (e *Engine) OpenWith(open func(*os.File) digest.Handle, perReader bool) {
	e.reader = digest.NewReader(digest.Files{PerReader: perReader, Open: func(path string) (digest.Handle, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return open(f), nil
	}})
}
