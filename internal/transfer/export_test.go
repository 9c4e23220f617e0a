package transfer

import (
	"io/fs"
	"os"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

// OpenWith has files opened by open.
func (e *Engine) OpenWith(open func(*os.File) digest.Handle) {
	e.reader = digest.NewReader(func(path string) (digest.Handle, fs.FileInfo, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		return open(f), info, err
	})
}
