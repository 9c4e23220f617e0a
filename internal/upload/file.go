package upload

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// Values of File.Method. Any other value means MethodAuto.
const (
	MethodAuto      = "auto"
	MethodSingle    = "single"
	MethodMultipart = "multipart"
)

const (
	// singleLimit is the largest file in bytes that MethodAuto sends with one PUT: one call instead
	// of four. It cannot be continued, which costs seconds on a slow line.
	singleLimit = 16 << 20
	// MaxContent is the largest File.Content in bytes: Terraform keeps it in plans and states.
	MaxContent = 1 << 20
	// nameLimit is the length, in bytes, of the longest name that a key path has room for.
	nameLimit = api.TextLimit - parse.KeyPathOverhead
	// maxPut is the largest file in bytes that S3 takes in one PUT.
	maxPut = 5 << 30
)

// File is one file to upload, and how.
type File struct {
	api.Upload

	Path     string // in the file system
	Content  []byte // in place of the file at Path, sent with one PUT; nil: the file
	Size     int64  // bytes
	SHA256   string // of the content, in lower-case hex; no object is made from any other content; "": not known yet
	Method   string
	PartSize int64 // bytes; 0 = chosen by the file's size
}

// Object is what makes a stored file the one that is wanted: if any of this changes, the file is
// uploaded again. Tests of the packages that compare files go through its fields.
type Object struct {
	SHA256 string
	api.Upload

	Size int64 // bytes
}

// Object returns what the stored file must have.
func (f File) Object() Object { return Object{f.SHA256, f.Upload, f.Size} }

// sum is SHA256 as the engine takes it. Every caller has set it: see Prepare.
func (f File) sum() (sha [sha256.Size]byte) {
	decoded, _ := hex.DecodeString(f.SHA256)
	copy(sha[:], decoded)
	return sha
}

// isRecorded reports whether the upload is recorded on this machine. Sending a smaller file again
// costs less than its record.
func (f File) isRecorded() bool { return f.Size >= recordedSize || f.InParts() }

// InParts reports whether the file is sent in parts.
func (f File) InParts() bool {
	return f.Content == nil && (f.Method == MethodMultipart || (f.Method != MethodSingle && f.Size > singleLimit))
}

func (f File) partSize() int64 {
	if f.PartSize == 0 {
		return transfer.PartSize(f.Size)
	}
	return f.PartSize
}

// sumSize is the size in bytes of the parts whose sums an upload needs: all of the file for one
// PUT. It is 0 if storage does not take such parts, or if the size is not known.
func (f File) sumSize() int64 {
	switch {
	case f.CheckSize() != nil:
		return 0
	case f.InParts():
		return f.partSize()
	}
	return f.Size
}

// fits reports whether the file can be sent in parts of this size: a state may have been edited.
func (f File) fits(partSize int64) bool {
	return partSize >= transfer.MinPartSize && partSize <= transfer.MaxPartSize && transfer.PartCount(f.Size, partSize) <= transfer.MaxParts
}

// Check returns the size of the file, and why it cannot be sent: a *transfer.FileError, a
// *PointerError or a *SizeError.
func (f File) Check() (size int64, err error) {
	info, err := transfer.Stat(f.Path)
	if err != nil {
		return 0, nameLink(err, f.Path)
	}
	f.Size = info.Size()
	if err := f.checkPointer(); err != nil {
		return f.Size, err
	}
	return f.Size, f.CheckSize()
}

// nameLink adds to the error of a missing file that there is a link to it.
func nameLink(err error, path string) error {
	if target, linkErr := os.Readlink(path); linkErr == nil && IsMissing(err) {
		return &transfer.FileError{Path: fmt.Sprintf("%s is a link to %s, which", path, target), Problem: transfer.FileMissing}
	}
	return err
}

// pointerLimit is larger than the files that Git LFS and git-annex leave in place of content.
const pointerLimit = 1 << 10

// pointers are how such files begin, and the commands that fetch the content.
var pointers = map[string]string{
	"version https://git-lfs.github.com/spec/": "git lfs pull",
	"/annex/objects/":                          "git annex get",
}

// checkPointer returns a *PointerError for a file that is only a pointer to its content.
func (f File) checkPointer() error {
	if f.Size > pointerLimit {
		return nil
	}
	content, err := os.ReadFile(f.Path)
	if err != nil {
		return &transfer.FileError{Path: f.Path, Problem: transfer.FileUnreadable, Err: errors.Unwrap(err)}
	}
	for beginning, command := range pointers {
		if strings.HasPrefix(string(content), beginning) {
			return &PointerError{Path: f.Path, Command: command}
		}
	}
	return nil
}

// CheckSize returns a *SizeError if the file cannot be sent as asked. A size of 0 is not known yet.
func (f File) CheckSize() error {
	e := &SizeError{Path: f.Path, Size: f.Size, PartSize: f.partSize()}
	switch {
	case f.Size > transfer.MaxPartSize*transfer.MaxParts:
		e.Limit = LimitObject
	case !f.InParts() && f.Size > maxPut:
		e.Limit = LimitPut
	case f.InParts() && transfer.PartCount(f.Size, f.partSize()) > transfer.MaxParts:
		e.Limit = LimitParts
	default:
		return nil
	}
	return e
}

// NameProblem says why a file cannot be stored under a name, "" if it can.
func NameProblem(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is blank"
	case strings.Contains(name, "/"):
		return "holds a slash"
	case strings.Contains(name, `\`):
		return "holds a backslash"
	case name == "." || name == "..":
		return "names a folder"
	case len(name) > nameLimit:
		return fmt.Sprintf("has %d bytes, more than the %d that a key path can hold", len(name), nameLimit)
	}
	for _, c := range name {
		if !parse.Safe(string(c)) {
			return fmt.Sprintf("holds the control or format character %U", c)
		}
	}
	return ""
}

// DefaultName returns the name under which a file is stored by default. The error is a *NameError.
func DefaultName(path string) (string, error) {
	base := norm.NFC.String(filepath.Base(path)) // as Terraform has it
	if problem := NameProblem(base); problem != "" {
		return "", &NameError{base, problem}
	}
	return base, nil
}

// DefaultType returns the media type of a file by the extension of its name or path.
func (f File) DefaultType() string {
	return cmp.Or(TypeByName(f.Name, f.Path), "application/octet-stream")
}
