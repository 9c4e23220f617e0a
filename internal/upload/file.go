package upload

import (
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"path/filepath"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// Values of File.Method. Any other value means MethodAuto.
const (
	MethodAuto      = "auto"
	MethodSingle    = "single"
	MethodMultipart = "multipart"
)

const (
	// singleLimit is the largest file in bytes that MethodAuto sends with one PUT: one call instead of
	// four. It cannot be continued, which loses a minute on a slow line.
	singleLimit = 64 << 20
	// MaxContent is the largest File.Content in bytes: Terraform keeps it in plans and states.
	MaxContent = 1 << 20
	// nameLimit is the length, in bytes, of the longest name that a key path has room for.
	nameLimit = api.TextLimit - keypath.Overhead
	// maxPut is the largest file in bytes that S3 takes in one PUT.
	maxPut = 5 << 30
)

// File is one file to upload, and how.
type File struct {
	Path        string // in the file system
	Content     []byte // in place of the file at Path, sent with one PUT; nil: the file
	Name        string // to store it under
	ContentType string
	Size        int64    // bytes
	SHA256      [32]byte // of the content; no object is made from any other content; zero: not known yet
	Method      string
	PartSize    int64 // bytes; 0 = chosen by the file's size
}

// Continues reports whether f can use what an upload of earlier stored: content and name are the same.
func (f File) Continues(earlier File) bool { return f.key() == earlier.key() }

func (f File) key() string { return fmt.Sprintf("%x %d %s", f.SHA256, f.Size, f.Name) }

func (f File) multipart() bool {
	return f.Content == nil && (f.Method == MethodMultipart || (f.Method != MethodSingle && f.Size > singleLimit))
}

func (f File) partSize() int64 {
	if f.PartSize == 0 {
		return transfer.PartSize(f.Size)
	}
	return f.PartSize
}

// SizeError says that storage does not take a file of this size in the way it is to be sent.
type SizeError struct {
	Argument string // what to change: "source", "method" or "part_size"
	Detail   string // sentences
}

func (e *SizeError) Error() string { return e.Detail }

// Check is CheckSize with the size that the file has now, or the error of transfer.Stat.
func (f File) Check() error {
	info, err := transfer.Stat(f.Path)
	if err != nil {
		return err
	}
	f.Size = info.Size()
	return f.CheckSize()
}

// CheckSize returns a *SizeError if the file cannot be sent as asked. A size of 0 is not known yet.
func (f File) CheckSize() error {
	file := fmt.Sprintf("%s has %d bytes", f.Path, f.Size)
	switch count := transfer.PartCount(f.Size, f.partSize()); {
	case f.Size > transfer.MaxPartSize*transfer.MaxParts:
		return &SizeError{"source", fmt.Sprintf("%s. Storage takes at most %d parts of %d bytes. Split the file.",
			file, transfer.MaxParts, int64(transfer.MaxPartSize))}
	case !f.multipart() && f.Size > maxPut:
		return &SizeError{"method", fmt.Sprintf("%s. Storage takes at most %d bytes in one PUT. Leave `method` out, or set it to \"multipart\".",
			file, int64(maxPut))}
	case f.multipart() && count > transfer.MaxParts:
		return &SizeError{"part_size", fmt.Sprintf("%s, which are %d parts of %d bytes: storage takes %d at most. Raise `part_size` to at least %d, or leave it out.",
			file, count, f.partSize(), transfer.MaxParts, transfer.PartSize(f.Size))}
	}
	return nil
}

// NameProblem says why a file cannot be stored under a name, "" if it can.
func NameProblem(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is blank"
	case strings.ContainsAny(name, `/\`):
		return "holds a slash"
	case name == "." || name == "..":
		return "names a folder"
	case len(name) > nameLimit:
		return fmt.Sprintf("has %d bytes, more than the %d that a key path can hold", len(name), nameLimit)
	}
	for _, c := range name {
		if !redact.Safe(string(c)) {
			return fmt.Sprintf("holds the control or format character %U", c)
		}
	}
	return ""
}

// DefaultName returns the name under which a file is stored by default.
func DefaultName(path string) (string, error) {
	base := filepath.Base(path)
	if problem := NameProblem(base); problem != "" {
		return "", fmt.Errorf("the file's name is %q, which %s. Set `file_name` to the name to store it under", base, problem)
	}
	return base, nil
}

// mediaTypes are the types by extension. The tables of operating systems differ, and a type must not
// depend on which runner makes the plan.
var mediaTypes = map[string]string{
	".3gp": "video/3gpp", ".aac": "audio/aac", ".aif": "audio/aiff", ".aiff": "audio/aiff", ".avi": "video/x-msvideo",
	".flac": "audio/flac", ".flv": "video/x-flv", ".m2ts": "video/mp2t", ".m3u8": "application/vnd.apple.mpegurl",
	".m4a": "audio/mp4", ".m4v": "video/x-m4v", ".mka": "audio/x-matroska", ".mkv": "video/x-matroska",
	".mov": "video/quicktime", ".mp3": "audio/mpeg", ".mp4": "video/mp4", ".mpd": "application/dash+xml",
	".mpeg": "video/mpeg", ".mpg": "video/mpeg", ".mts": "video/mp2t", ".mxf": "application/mxf", ".oga": "audio/ogg",
	".ogg": "audio/ogg", ".ogv": "video/ogg", ".opus": "audio/ogg", ".srt": "application/x-subrip", ".ts": "video/mp2t",
	".ttml": "application/ttml+xml", ".vob": "video/mpeg", ".vtt": "text/vtt", ".wav": "audio/wav", ".webm": "video/webm",
	".wmv": "video/x-ms-wmv",
}

// IsMediaType reports whether s is type/subtype with optional parameters (RFC 9110 8.3.1).
func IsMediaType(s string) bool {
	parsed, _, err := mime.ParseMediaType(s)
	kind, sub, ok := strings.Cut(parsed, "/")
	return err == nil && ok && kind != "" && sub != ""
}

// TypeByName returns the media type for the extension of the first name that has one of mediaTypes, else "".
func TypeByName(names ...string) string {
	for _, name := range names {
		if t := mediaTypes[strings.ToLower(filepath.Ext(name))]; t != "" {
			return t
		}
	}
	return ""
}

// DefaultType returns the media type of a file by the extension of its name or path, else by its
// first bytes: application/octet-stream if they tell nothing. The error is a *transfer.FileError.
func (f File) DefaultType() (string, error) {
	if t := TypeByName(f.Name, f.Path); t != "" {
		return t, nil
	}
	if f.Content != nil {
		return mimetype.Detect(f.Content).String(), nil
	}
	found, err := f.detect()
	if err != nil {
		return "", &transfer.FileError{Path: f.Path, Problem: transfer.FileUnreadable, Err: regularfile.Cause(err)}
	}
	return found.String(), nil
}

func (f File) detect() (*mimetype.MIME, error) {
	file, _, err := regularfile.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return mimetype.DetectReader(file)
}

// IsMissing reports whether an error says that a file does not exist.
func IsMissing(err error) bool {
	fileError, ok := errors.AsType[*transfer.FileError](err)
	return ok && fileError.Problem == transfer.FileMissing
}

var noHash [32]byte // of a file that is not hashed yet

// ParseSHA256 reads a hash in hexadecimal. It is zero if that is none.
func ParseSHA256(s string) [32]byte {
	decoded, err := hex.DecodeString(s)
	if err != nil || len(decoded) != len(noHash) {
		return noHash
	}
	return [32]byte(decoded)
}

// HexSHA256 is the hash in lower-case hex, "" if it is not known.
func (f File) HexSHA256() string {
	if f.SHA256 == noHash {
		return ""
	}
	return hex.EncodeToString(f.SHA256[:])
}
