package parse

import (
	"errors"
	"slices"
	"strings"
)

// KeyPathForm is the form of a key path, for texts.
const KeyPathForm = "vod/input/<customer id>/<upload id>/<file name>"

// KeyPathOverhead is the length, in bytes, of the shortest key path without its file name: a
// customer id of one character, and a UUID.
const KeyPathOverhead = len("vod/input/c//") + len("00000000-0000-0000-0000-000000000000")

// KeyPath is what a key path tells of its file.
type KeyPath struct{ CustomerID, UploadID, FileName string }

// SplitKeyPath reads a key path. Its error goes on from what was read, and does not quote that.
func SplitKeyPath(s string) (KeyPath, error) {
	segments := strings.Split(s, "/")
	if len(segments) != 5 || segments[0] != "vod" || segments[1] != "input" || slices.Contains(segments, "") {
		return KeyPath{}, errors.New("does not have the form of a key path, " + KeyPathForm)
	}
	return KeyPath{CustomerID: segments[2], UploadID: segments[3], FileName: segments[4]}, nil
}
