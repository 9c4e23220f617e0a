package mediaupload

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// mediaTypes are the types of the extensions that media files have. They are held here because the tables of the
// operating systems differ, and a type must not depend on which runner makes the plan.
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

// typeByName finds the media type by the extension of the first name that has one of a media file, "" if none has.
func typeByName(names ...string) string {
	for _, name := range names {
		if t := mediaTypes[strings.ToLower(filepath.Ext(name))]; t != "" {
			return t
		}
	}
	return ""
}

// typeByContent finds the media type of a file from its first bytes. There always is one: application/octet-stream at
// the least.
func typeByContent(path string) (string, error) {
	found, err := mimetype.DetectFile(path)
	if err != nil {
		return "", &transfer.FileError{Path: path, Problem: transfer.FileUnreadable, Err: cause(err)}
	}
	return found.String(), nil
}

// stat looks at the file without opening it. Its errors are of type *transfer.FileError.
func stat(path string) (os.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &transfer.FileError{Path: path, Problem: transfer.FileMissing}
	case err != nil:
		return nil, &transfer.FileError{Path: path, Problem: transfer.FileUnreadable, Err: cause(err)}
	case info.IsDir():
		return nil, &transfer.FileError{Path: path, Problem: transfer.FileIsFolder}
	case info.Mode()&fs.ModeDevice != 0:
		return nil, &transfer.FileError{Path: path, Problem: transfer.FileIsDevice}
	case !info.Mode().IsRegular():
		return nil, &transfer.FileError{Path: path, Problem: transfer.FileIrregular}
	case info.Size() == 0:
		return nil, &transfer.FileError{Path: path, Problem: transfer.FileEmpty}
	}
	return info, nil
}

// readable opens the file and closes it again.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return &transfer.FileError{Path: path, Problem: transfer.FileUnreadable, Err: cause(err)}
	}
	return f.Close()
}

// cause is the error below a *fs.PathError, which repeats the path.
func cause(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// isMissing says that an error is about a file that is not there.
func isMissing(err error) bool {
	var fileError *transfer.FileError
	return errors.As(err, &fileError) && fileError.Problem == transfer.FileMissing
}

// seen is what the private state remembers of the file last uploaded: enough to know it again without reading it.
type seen struct {
	Source  string    `json:"source"` // as configured
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	SHA256  string    `json:"sha256"` // lower-case hex
}

func (s seen) is(source string, info os.FileInfo) bool {
	return s.Source == source && s.Size == info.Size() && s.ModTime.Equal(info.ModTime())
}

// contentHash is the SHA-256 of the file in lower-case hex. Under "stat" a file that this machine has hashed before, and
// that has not been touched since, is not read again, in whichever process that was; "content" always reads, once per
// process.
func (r *mediaUpload) contentHash(ctx context.Context, path, detection string) (string, error) {
	if _, err := stat(path); err != nil {
		return "", err
	}
	memo := r.data.Resume.Memo(ctx, path)
	if sum := memo.SHA256(); sum != "" && detection == detectStat {
		return sum, nil
	}
	digest, err := r.data.Transfer.Hash(ctx, path)
	if err != nil {
		return "", err
	}
	memo.Remember(ctx, digest)
	return hex.EncodeToString(digest.SHA256[:]), nil
}
