package resume

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/etag"
	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

const (
	bookVersion = 1
	maxLine     = 64 << 10 // bytes of a line that is read
)

// book is a file of the ledger with the lines of one process. Each line of text is a whole entry.
// Of several entries with one id, the last counts. A line of text that cannot be read does not
// affect the others.
type book struct {
	name   string
	head   bookHead
	lines  map[string]*Line   // by id
	byArgs map[string][]*Line // by Line.hash

	read int64 // bytes, of the file of another process

	// Set in this process's own book only.
	folder *folder
	lock   *flock.Flock
	file   *regularfile.File
}

// bookHead is the first line.
type bookHead struct {
	Version int    `json:"version"`
	Owner   string `json:"owner"`
	Salt    string `json:"salt"` // of the hashes of arguments, which may be secrets
}

// bookEntry is any other line.
type bookEntry struct {
	ID    string    `json:"id"`
	Kind  Kind      `json:"kind,omitempty"`
	Args  string    `json:"args,omitempty"` // salted hash
	Began time.Time `json:"began,omitzero"`
	Made  *Made     `json:"made,omitempty"`
	Keep  bool      `json:"keep,omitempty"`
	Gone  bool      `json:"gone,omitempty"`
}

func randomID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

func newBookOf(name string, head bookHead) *book {
	return &book{name: name, head: head, lines: map[string]*Line{}, byArgs: map[string][]*Line{}}
}

func bookPrefix(owner string) string { return "ledger-" + owner + "-" }

var errOther = fmt.Errorf("it is not of version %d, or it is of another owner", bookVersion)

const bookSuffix = ".jsonl"

// books returns the names of the books of an owner. It does not create the folder.
func (s *Store) books(ctx context.Context, owner string) (names []string) {
	if _, err := os.Lstat(filepath.Join(s.dir, Folder)); err != nil {
		return nil
	}
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	defer f.close()
	entries, _ := fs.ReadDir(f.root.FS(), ".")
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, bookPrefix(owner)) && strings.HasSuffix(name, bookSuffix) && ownName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// newBook makes the book of this process. It is nil, without an error, if resume_dir is not used.
func (s *Store) newBook(ctx context.Context, owner string) (b *book, err error) {
	f := s.open(ctx)
	if f == nil {
		return nil, nil //nolint:nilnil // as documented
	}
	b = newBookOf(bookPrefix(owner)+randomID()+bookSuffix, bookHead{bookVersion, owner, randomID() + randomID()})
	b.folder = f
	defer func() {
		if err != nil {
			b.close(true)
			b = nil
		}
	}()
	if b.lock, err = f.lock(b.name); err == nil && b.lock == nil {
		err = errors.New("another process has its lock")
	}
	if err == nil {
		err = b.rewrite()
	}
	return b, err
}

// rewrite replaces the file of this process's book, in one step, by one with its current lines.
func (b *book) rewrite() error {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	_ = encoder.Encode(b.head) // a buffer takes everything
	for _, n := range b.lines {
		_ = encoder.Encode(b.entry(n))
	}
	if b.file != nil {
		_ = b.file.Close() // Windows replaces no open file
		b.file = nil
	}
	err := b.folder.write(b.name, content.Bytes())
	if err != nil {
		return err
	}
	b.folder.sync()
	b.file, err = b.folder.openFile(b.name, os.O_RDWR|os.O_APPEND)
	return err
}

// entry is a line as the file has it.
func (b *book) entry(n *Line) bookEntry {
	return bookEntry{ID: n.id, Kind: n.kind, Args: b.hashed(n.kind, n.args), Began: n.began, Made: n.made, Keep: n.keep}
}

// hashed is the salted hash of arguments.
func (b *book) hashed(kind Kind, args string) string {
	mac := hmac.New(sha256.New, []byte(b.head.Salt))
	mac.Write([]byte(string(kind) + "\n" + args))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// append writes a line to the file of this process's book.
func (b *book) append(n *Line, urgent bool) error {
	e := b.entry(n)
	if err := appendTo(b.file, urgent, e); err != nil {
		return err
	}
	if b.lines[n.id] == nil {
		b.insert(n, e.Args)
	}
	return nil
}

func (b *book) insert(n *Line, digest string) {
	n.book, n.hash = b, digest
	b.lines[n.id] = n
	b.byArgs[digest] = append(b.byArgs[digest], n)
}

func (b *book) delete(n *Line) {
	delete(b.lines, n.id)
	b.byArgs[n.hash] = slices.DeleteFunc(b.byArgs[n.hash], func(other *Line) bool { return other == n })
}

// appendTo appends entries to a file whose last line may have been cut short.
func appendTo(file *regularfile.File, urgent bool, entries ...bookEntry) error {
	if file == nil {
		return errors.New("it could not be written before")
	}
	content := []byte("\n")
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		content = append(append(content, line...), '\n')
	}
	_, err := file.Write(content)
	if err == nil && urgent {
		err = file.Sync()
	}
	return err
}

// find returns the lines with these arguments.
func (b *book) find(kind Kind, args string) []*Line {
	if b == nil || len(b.lines) == 0 {
		return nil
	}
	return b.byArgs[b.hashed(kind, args)]
}

// made returns the lines of these objects.
func (b *book) made(ids map[string]bool) (found []*Line) {
	if b == nil {
		return nil
	}
	for _, n := range b.lines {
		if n.made != nil && ids[n.made.ID] {
			found = append(found, n)
		}
	}
	return found
}

// openBook reads the book of a process that has ended, and removes it if it has no lines. running
// reports that the process runs, or may run.
func (s *Store) openBook(ctx context.Context, owner, name string) (b *book, running bool) {
	b = newBookOf(name, bookHead{Owner: owner})
	locked, err := b.locked(ctx, s, (*folder).lock, func(f *folder, file *regularfile.File) error {
		if len(b.lines) == 0 {
			b.erase(f, file)
		}
		return nil
	})
	switch {
	case errors.Is(err, errOther):
		tflog.Warn(ctx, "what an earlier run has made cannot be read", map[string]any{"file": name, "error": err.Error()})
		return nil, false
	case !locked:
		return nil, !errors.Is(err, fs.ErrNotExist) // a disk that cannot be read now may be read later
	case len(b.lines) == 0:
		return nil, false
	}
	return b, false
}

// peekBook reads the book of a process that runs.
func (s *Store) peekBook(ctx context.Context, owner, name string) *book {
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	defer f.close()
	file, err := f.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	b := newBookOf(name, bookHead{Owner: owner})
	_ = b.parse(file)
	return b
}

// locked locks the book of a process that has ended, reads what was added to it, and calls do with
// its file. It is false if take did not get the lock.
func (b *book) locked(ctx context.Context, s *Store, take func(*folder, string) (*flock.Flock, error), do func(*folder, *regularfile.File) error) (bool, error) {
	f := s.open(ctx)
	if f == nil {
		return false, fs.ErrNotExist
	}
	defer f.close()
	if _, err := f.root.Lstat(b.name); err != nil { // do not make a lock for it
		return false, regularfile.Cause(err)
	}
	lock, err := take(f, b.name)
	if err != nil || lock == nil {
		return false, err
	}
	defer func() { _ = lock.Unlock() }()
	file, err := f.openFile(b.name, os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) { // another process removed it before this one made the lock
		_ = f.remove(b.name + lockSuffix)
	}
	if err != nil {
		return false, regularfile.Cause(err)
	}
	defer func() { _ = file.Close() }()
	if err := b.parse(file); err != nil {
		return false, err
	}
	return true, do(f, file)
}

// move removes a line, which has been written elsewhere, from the book of a process that has ended.
// there is false if another process removed it first.
func (b *book) move(ctx context.Context, s *Store, n *Line, write func() bool) (moved, there bool) {
	_, err := b.locked(ctx, s, (*folder).awaitLock, func(f *folder, file *regularfile.File) error {
		there = b.lines[n.id] == n
		if moved = there && write(); moved {
			return b.strike(f, file, n)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errLockRemoved): // another process has removed the last lines
		clear(b.lines)
		clear(b.byArgs)
	case err != nil:
		there = true // as far as is known
	}
	return moved, there
}

// remove removes lines, from the file of the book, too. own says that this process writes the book.
func (b *book) remove(ctx context.Context, s *Store, own bool, lines []*Line) error {
	if own {
		return b.strike(nil, b.file, lines...)
	}
	_, err := b.locked(ctx, s, (*folder).awaitLock, func(f *folder, file *regularfile.File) error { return b.strike(f, file, lines...) })
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errLockRemoved) { // another process has removed the last lines
		clear(b.lines)
		clear(b.byArgs)
		err = nil
	}
	return err
}

// strike removes lines from an open book. With its last line, it removes the book of a process that
// has ended.
func (b *book) strike(f *folder, file *regularfile.File, lines ...*Line) error {
	gone := make([]bookEntry, len(lines))
	for i, n := range lines {
		b.delete(n)
		gone[i] = bookEntry{ID: n.id, Gone: true}
	}
	if f != nil && len(b.lines) == 0 {
		b.erase(f, file)
		return nil
	}
	return appendTo(file, false, gone...)
}

// erase removes the files of a book, whose lock this process has: whoever waits for the lock finds
// it removed.
func (b *book) erase(f *folder, file *regularfile.File) {
	if file != nil {
		_ = file.Close() // Windows removes no open file
	}
	_ = f.remove(b.name)
	_ = f.remove(b.name + lockSuffix)
}

// parse reads the lines that were added since it was last called. An error means that the disk
// could not be read. It says nothing about the lines.
func (b *book) parse(file *regularfile.File) error {
	if info, err := file.Stat(); err != nil || info.Size() == b.read && b.read > 0 {
		return err
	}
	if _, err := file.Seek(b.read, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(file, maxLine)
	skip := false // the rest of a line that is too long
	for {
		line, partial, err := lines.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			b.read, err = file.Seek(0, io.SeekCurrent)
			return err
		case err != nil:
			return err
		case b.head.Version == 0:
			var head bookHead
			if json.Unmarshal(line, &head) != nil || head.Version != bookVersion || head.Owner != b.head.Owner || head.Salt == "" {
				return errOther
			}
			b.head = head
		case !skip && !partial:
			b.parseLine(line)
		}
		skip = partial
	}
}

// parseLine reads a line of text, which a crash or a full disk may have left in any state.
func (b *book) parseLine(content []byte) {
	var e bookEntry
	if json.Unmarshal(content, &e) != nil || e.ID == "" {
		return
	}
	known := b.lines[e.ID]
	switch {
	case e.Gone || time.Since(e.Began) > ledgerLifetime || e.Made != nil && !e.Made.clean(e.Kind):
		if known != nil {
			b.delete(known)
		}
	case known != nil:
		known.made, known.keep = e.Made, e.Keep
	default:
		b.insert(&Line{id: e.ID, kind: e.Kind, began: e.Began, made: e.Made, keep: e.Keep}, e.Args)
	}
}

// clean reports whether a recorded object may go to a state, and clears the values that may not.
func (m *Made) clean(kind Kind) bool {
	for _, text := range []string{m.ID, m.Message, m.Bucket, m.Encryption, m.VersionID} {
		if !quote.Safe(text) {
			return false
		}
	}
	if !etag.Valid(m.ETag) {
		m.ETag = ""
	}
	if _, err := time.Parse(time.RFC3339, m.At); err != nil {
		m.At = ""
	}
	if _, err := keypath.Parse(m.ID); err != nil && (kind == KindFile || kind == KindActionFile) {
		return false
	}
	return m.ID != "" && len(m.ID) <= idLimit
}

// close closes the book of this process. over says that only the lines to keep are needed from now
// on.
func (b *book) close(over bool) {
	var kept []*Line
	for _, n := range b.lines {
		if n.keep {
			kept = append(kept, n)
		}
	}
	switch {
	case !over:
		if b.file != nil {
			_ = b.file.Sync()
		}
	case len(kept) == 0 && b.lock != nil:
		b.erase(b.folder, b.file)
		b.file = nil
	case len(kept) > 0:
		clear(b.lines)
		for _, n := range kept {
			b.lines[n.id] = n
		}
		_ = b.rewrite() // else all lines stay
	}
	if b.file != nil {
		_ = b.file.Close()
	}
	if b.lock != nil {
		_ = b.lock.Unlock()
	}
	b.folder.close()
}
