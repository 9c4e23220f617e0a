package mediaupload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	// memoMinSize is the size in bytes below which hashing again costs less than remembering.
	memoMinSize = 4 << 20
	// memoSettled is how long a file must have been left alone: within the resolution of a file system's clock a change
	// can keep the modification time.
	memoSettled = 2 * time.Second
)

// hashMemo remembers content hashes on this machine, in the folder of the upload records. Terraform plans in one process
// and plans again in another when it applies: without the memo a large file would be read in full once more. Nothing is
// trusted blindly: what is sent is hashed while it is sent, and must equal what was planned. An entry holds only while
// nothing of the file's inode changed, its change time included, which no program can set: so a file that was rewritten
// under its old size and modification time is read. Where the operating system does not tell, there is no memo.
type hashMemo struct{ dir string } // dir "" = off

type memoEntry struct {
	Version int       `json:"version"`
	Path    string    `json:"path"`
	Inode   string    `json:"inode"` // see inode
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	SHA256  string    `json:"sha256"`
}

const memoVersion = 1

// file is where the entry of a path is kept, and the absolute path. "" when there is no memo.
func (m hashMemo) file(path string) (name, absolute string) {
	if m.dir == "" {
		return "", ""
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", ""
	}
	key := sha256.Sum256([]byte(absolute))
	return filepath.Join(m.dir, "hash-"+hex.EncodeToString(key[:16])+".json"), absolute
}

// lookup returns the hash of a file that has the size and modification time remembered, else "".
func (m hashMemo) lookup(path string, info os.FileInfo) string {
	name, absolute := m.file(path)
	if name == "" || info.Size() < memoMinSize || inode(info) == "" {
		return ""
	}
	var e memoEntry
	content, err := readSmall(name)
	if err != nil || json.Unmarshal(content, &e) != nil {
		return ""
	}
	if e.Version != memoVersion || e.Path != absolute || e.Inode != inode(info) || e.Size != info.Size() || !e.ModTime.Equal(info.ModTime()) || !sha256Hex.MatchString(e.SHA256) {
		return ""
	}
	return e.SHA256
}

// store remembers a hash. Failing to is no error: the next plan reads the file again.
func (m hashMemo) store(ctx context.Context, path string, info os.FileInfo, digest transfer.Digest, sum string) {
	name, absolute := m.file(path)
	settled := time.Since(info.ModTime()) > memoSettled
	if name == "" || !settled || inode(info) == "" || digest.Size < memoMinSize || digest.Size != info.Size() || !digest.ModTime.Equal(info.ModTime()) {
		return
	}
	content, err := json.Marshal(memoEntry{Version: memoVersion, Path: absolute, Inode: inode(info), Size: digest.Size, ModTime: digest.ModTime, SHA256: sum})
	if err == nil {
		err = writeAtomically(name, content)
	}
	if err != nil {
		tflog.Debug(ctx, "the content hash is not remembered", map[string]any{"error": err.Error()})
	}
}

// forget drops what is remembered of a file whose content turned out to be another.
func (m hashMemo) forget(path string) {
	if name, _ := m.file(path); name != "" {
		_ = os.Remove(name)
	}
}
