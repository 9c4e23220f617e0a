package resume

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

const (
	// ledgerLifetime is the age at which a line ends.
	ledgerLifetime = 30 * 24 * time.Hour
	// endingWithin is longer than a provider process lives without the CLI that started it.
	endingWithin  = 10 * time.Second
	endingChecked = 250 * time.Millisecond
)

// Kind is what a line of the ledger is about.
type Kind string

// The kinds. An object of KindActionFile is in no state, so its line ends only with Line.Drop.
const (
	KindSession    Kind = "session"
	KindJob        Kind = "job"
	KindFile       Kind = "file"
	KindActionFile Kind = "action file"
)

// Made is what the service returned for an object, "" for what it left out.
type Made struct {
	ID      string `json:"id"`                // of a session or a job; key path of a file
	At      string `json:"at,omitempty"`      // RFC 3339
	Message string `json:"message,omitempty"` // of a job

	// Of a file.
	ETag       string `json:"etag,omitempty"`
	Bucket     string `json:"bucket,omitempty"`
	Encryption string `json:"encryption,omitempty"`
	VersionID  string `json:"version_id,omitempty"`
	Parts      int64  `json:"parts,omitempty"`
}

// Ledger lists what this machine has asked the service to make and no state has shown yet, for the
// case that Terraform ends before it has saved the response. A line is removed in three ways only:
// by Drop, by Shown, or by Close after a run that ended as it should. The end of an operation
// removes nothing, because nobody knows then whether Terraform saves the response.
//
// A line belongs to an owner, and to the process that wrote it while that runs. Each process has a
// file of its own (see book), which it keeps locked. What is in an unlocked file is left by a
// process that has ended. Any process of the owner may take a line from there into its own file.
//
// Nothing proves a line, because the service cannot be asked for all that is recorded: it counts
// because nobody but this user can write the file. A nil *Ledger is turned off. It is safe for
// concurrent use.
type Ledger struct {
	store *Store
	owner string // hash
	since time.Time

	mu      sync.Mutex
	loaded  bool
	own     *book // nil before the first line
	earlier []*book
	running []string // names of books that other processes have
	closed  bool
	timer   *time.Timer // to the next sync of lines that are not urgent
}

// Line is one object in the ledger. A nil *Line is not recorded: its methods do nothing.
type Line struct {
	ledger *Ledger
	book   *book  // nil: the line could not be written
	args   string // "" in a book that another process has left
	hash   string // of args, under the salt of the book

	id    string
	kind  Kind
	began time.Time
	made  *Made
	keep  bool // also after a run that ended as it should
	held  bool // an operation of this process works on it
}

// Began returns the time just before the request was sent.
func (n *Line) Began() time.Time { return n.began }

// Made returns what the service returned, nil if that is not known.
func (n *Line) Made() *Made { return n.made }

// Ledger returns the ledger of an owner, which is any text. It is nil if the store is turned off.
func (s *Store) Ledger(owner string) *Ledger {
	if s == nil {
		return nil
	}
	return &Ledger{store: s, owner: hashed(owner), since: time.Now()}
}

// Begin records a request that is about to be sent. args are all arguments that the object is made
// of. The line is on the disk when Begin returns. If it cannot be written, the log says so.
func (l *Ledger) Begin(ctx context.Context, kind Kind, args string) *Line {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.newLine(kind, args)
	l.write(ctx, n, true)
	return n
}

// Add records an object that has been made. The line is written at once, so that it outlives this
// process, and synced within a second, for a machine that loses power.
func (l *Ledger) Add(ctx context.Context, kind Kind, args string, made Made) *Line {
	return l.add(ctx, kind, args, made, kind == KindActionFile)
}

// Keep is Add for an object that a state gives up: the line stays after a run that ended as it
// should, unless Use was called.
func (l *Ledger) Keep(ctx context.Context, kind Kind, args string, made Made) *Line {
	return l.add(ctx, kind, args, made, true)
}

func (l *Ledger) add(ctx context.Context, kind Kind, args string, made Made, keep bool) *Line {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.newLine(kind, args)
	n.made, n.keep = &made, keep
	l.write(ctx, n, false)
	return n
}

func (l *Ledger) newLine(kind Kind, args string) *Line {
	return &Line{ledger: l, args: args, id: randomID(), kind: kind, began: time.Now().UTC(), held: true}
}

// Use notes that a state gets the object after all, so that the line of Keep is not needed.
func (n *Line) Use(ctx context.Context) {
	if n == nil {
		return
	}
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	n.keep = false
	n.ledger.write(ctx, n, false)
}

// Written reports whether the line is recorded.
func (n *Line) Written() bool {
	if n == nil {
		return false
	}
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	return n.book != nil
}

// write writes a line to the process's own book, and reports whether it is there.
func (l *Ledger) write(ctx context.Context, n *Line, urgent bool) bool {
	if l.closed {
		return false
	}
	if !l.prepare(ctx) {
		return false
	}
	if err := l.own.append(n, urgent); err != nil {
		unwritten(ctx, err)
		return false
	}
	if !urgent && l.timer == nil {
		l.timer = time.AfterFunc(recordInterval, l.sync)
	}
	return true
}

// Prepare makes the file of this process, so that Add need not: that takes long on a slow disk.
func (l *Ledger) Prepare(ctx context.Context) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.prepare(ctx)
	}
}

func (l *Ledger) prepare(ctx context.Context) bool {
	if l.own == nil {
		var err error
		if l.own, err = l.store.newBook(ctx, l.owner); err != nil {
			unwritten(ctx, err)
		}
	}
	return l.own != nil
}

func unwritten(ctx context.Context, err error) {
	tflog.Warn(ctx, "resume_dir cannot be written: if this run ends early, the next one does not know what it has made",
		map[string]any{"error": regularfile.Cause(err).Error()})
}

func (l *Ledger) sync() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	if l.own != nil {
		_ = l.own.file.Sync() // without the line, a file is sent again
	}
}

// Complete adds what the service returned.
func (n *Line) Complete(ctx context.Context, made Made) {
	if n == nil {
		return
	}
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	n.made = &made
	n.ledger.write(ctx, n, n.urgent())
}

// Drop removes the line: the request was surely not processed, the object is gone, or the user has
// been told all that is known.
func (n *Line) Drop(ctx context.Context) {
	if n == nil {
		return
	}
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	n.ledger.remove(ctx, n.book, n)
}

// Return gives back a line of Take, so that another operation, or a later run, can take it.
func (n *Line) Return(ctx context.Context) {
	if n == nil {
		return
	}
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	n.keep, n.held = true, false
	if n.book == n.ledger.own {
		n.ledger.write(ctx, n, true)
	}
}

// Has reports whether Take may find a line. If a running process of the same owner has such a line,
// that process may be about to end with the CLI that started it: Has waits for that.
func (l *Ledger) Has(ctx context.Context, kind Kind, args string) bool {
	if l == nil {
		return false
	}
	for {
		l.mu.Lock()
		l.load(ctx)
		found := l.find(kind, args, nil) != nil
		wait := !found && l.awaits(ctx, kind, args)
		l.mu.Unlock()
		if !wait {
			return found
		}
		select {
		case <-time.After(endingChecked):
		case <-ctx.Done():
			return false
		}
	}
}

// Take returns a line of an earlier run with equal arguments: the oldest one with a response, else
// the oldest. fits, which may be nil, chooses among them. Nobody else gets the line until Return.
func (l *Ledger) Take(ctx context.Context, kind Kind, args string, fits func(*Line) bool) (*Line, bool) {
	if !l.Has(ctx, kind, args) {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		n := l.find(kind, args, fits)
		if n == nil {
			return nil, false
		}
		n.held, n.keep = true, kind == KindActionFile
		if n.book == l.own {
			return n, true
		}
		copied := *n
		copied.ledger, copied.args, n.ledger = l, args, l
		switch moved, there := n.book.move(ctx, l.store, n, func() bool { return l.write(ctx, &copied, n.urgent()) }); {
		case moved:
			l.dropEmpty(n.book)
			return &copied, true
		case there:
			return n, true // the own book cannot be written
		} // otherwise, another process has taken it
	}
}

// urgent reports whether the loss of a line costs more than a file that is sent again.
func (n *Line) urgent() bool { return n.kind == KindSession || n.kind == KindJob }

// find returns a line that no operation holds.
func (l *Ledger) find(kind Kind, args string, fits func(*Line) bool) *Line {
	var found []*Line
	for _, b := range append(slices.Clone(l.earlier), l.own) {
		for _, n := range b.find(kind, args) {
			if !n.held && (fits == nil || fits(n)) {
				found = append(found, n)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(a, b *Line) int {
		if (a.made != nil) != (b.made != nil) {
			return map[bool]int{true: -1, false: 1}[a.made != nil]
		}
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.id, b.id))
	})
}

// Any reports whether there are lines, which Shown could remove.
func (l *Ledger) Any(ctx context.Context) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.load(ctx)
	}
	return len(l.earlier) > 0 || l.own != nil && len(l.own.lines) > 0
}

// Shown removes the lines of objects that a state has, by their ids and key paths. Terraform must
// have saved this state: it may not have saved the one in a response.
func (l *Ledger) Shown(ctx context.Context, ids ...string) {
	if !l.Any(ctx) {
		return
	}
	shown := make(map[string]bool, len(ids))
	for _, id := range ids {
		shown[id] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range append(slices.Clone(l.earlier), l.own) {
		l.remove(ctx, b, b.made(shown)...)
	}
}

// remove removes lines of one book.
func (l *Ledger) remove(ctx context.Context, b *book, lines ...*Line) {
	if b == nil || len(lines) == 0 {
		return
	}
	if err := b.remove(ctx, l.store, b == l.own, lines); err != nil {
		tflog.Warn(ctx, "resume_dir cannot be written: a later run may find what a state has already", map[string]any{"error": regularfile.Cause(err).Error()})
	}
	l.dropEmpty(b)
}

func (l *Ledger) dropEmpty(b *book) {
	if b != l.own && len(b.lines) == 0 {
		l.earlier = slices.DeleteFunc(l.earlier, func(other *book) bool { return other == b })
	}
}

// load reads what earlier processes have left. It looks for their books once.
func (l *Ledger) load(ctx context.Context) {
	names := l.running
	if !l.loaded {
		names = l.store.books(ctx, l.owner)
	}
	l.loaded, l.running = true, nil
	for _, name := range names {
		if l.own == nil || name != l.own.name {
			l.take(ctx, name)
		}
	}
}

// take reads a book, unless its process runs.
func (l *Ledger) take(ctx context.Context, name string) {
	switch b, running := l.store.openBook(ctx, l.owner, name); {
	case running:
		l.running = append(l.running, name)
	case b != nil:
		l.earlier = append(l.earlier, b)
	}
}

// awaits reports whether a process that was running has a line with equal arguments, and may end
// soon.
func (l *Ledger) awaits(ctx context.Context, kind Kind, args string) bool {
	if time.Since(l.since) > endingWithin {
		return false
	}
	before := func(n *Line) bool { return n.began.Before(l.since) } // others of the same run begin later
	return slices.ContainsFunc(l.running, func(name string) bool {
		return slices.ContainsFunc(l.store.peekBook(ctx, l.owner, name).find(kind, args), before)
	})
}

// Close ends the ledger of this process. saved says that Terraform has saved every response: then
// the lines of this run are removed.
func (l *Ledger) Close(saved bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.own != nil {
		l.own.close(saved)
		l.own = nil
	}
}
