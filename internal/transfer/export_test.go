package transfer

import (
	"os"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

// OpenWith has files opened by open, each reader with a handle of its own if perReader.
func (e *Engine) OpenWith(open func(*os.File) digest.Handle, perReader bool) {
	e.reader = digest.NewReader(digest.Files{PerReader: perReader, Open: func(path string) (digest.Handle, os.FileInfo, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		return open(f), info, err
	}})
}
