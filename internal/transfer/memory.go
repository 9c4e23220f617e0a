package transfer

import (
	"bytes"
	"io/fs"
	"time"
)

// content is a handle on bytes in memory, and their fs.FileInfo.
type content struct{ *bytes.Reader }

func (c content) Stat() (fs.FileInfo, error) { return c, nil }
func (content) Close() error                 { return nil }
func (content) Name() string                 { return "" }
func (content) Mode() fs.FileMode            { return 0 }
func (content) ModTime() time.Time           { return time.Time{} }
func (content) IsDir() bool                  { return false }
func (content) Sys() any                     { return nil }

// source opens what f is read from.
func (e *Engine) source(f File) (*source, error) {
	if f.Content == nil {
		return e.files.source(f.Path)
	}
	c := content{bytes.NewReader(f.Content)}
	return &source{file: c, path: f.Name, info: c}, nil
}
