package resume

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

const (
	// ledgerLifetime is the age at which a line ends.
	ledgerLifetime = 30 * 24 * time.Hour
	// endingWithin is longer than a provider process lives without the CLI that started it.
	endingWithin  = 10 * time.Second
	endingChecked = 250 * time.Millisecond
	// lockAttempts is how many locks a process makes until it has one: another process may look at
	// one before it is locked.
	lockAttempts = 20
)

// Owner is whose lines a process reads and writes: those of one state. Another owner's lines are
// never read, taken or removed.
type Owner struct {
	Folder    string // of the root module
	Workspace string
	Backend   string // what `terraform init` chose; "" is the local backend

	// Run identifies the run of the CLI that started this process. It may start several, one after
	// another, and has what they have made. "": it is not known.
	Run string
}

// Ledger lists what this machine has asked the service to make and no state has shown yet, for the
// case that Terraform ends before it has saved the response. A line is removed in two ways only: by
// Drop, when the request was surely not processed or the object is gone, and by Shown. The end of
// an operation or of a process removes nothing, because nobody knows then whether Terraform saves
// the response: most backends save the state after the provider has ended.
//
// Lines are in files that only this user can write, called KIND-OWNER-PROCESS-KEY-ID. PROCESS is
// the process that has them, which keeps process-OWNER-PROCESS.lock locked while it runs. Whoever
// renames a file of a process that has ended has taken its lines, and nobody else can. KEY is that
// of the digests by which requests are looked up.
//
// Where the store's folder cannot be used, lines are only in memory. A nil *Ledger is
// turned off. It is safe for concurrent use.
type Ledger struct {
	store   *ledgerStore
	owner   Owner
	ownerID string
	since   time.Time

	mu       sync.Mutex
	process  string                        // of the names of this process's pages
	folder   *disk.Folder                  // of this process's pages; nil before the first, and in memory
	lock     *flock.Flock                  // of this process
	failed   bool                          // lines are only in memory
	loaded   bool                          // the lines of processes that have ended are in lines
	running  []string                      // other processes that had lines and ran when they were looked for
	awaited  map[string]map[string]bool    // digests of lines of running processes, by file: see began
	lines    map[string][]*Line            // by the id of the object
	requests map[string]map[string][]*Line // those that Find may return, by key and digest
	imported map[string]bool               // ids of what this process imports
	owned    map[string]bool               // ids of what a saved state or this process has: see Own
	closed   bool
}

// Ledger returns the ledger of an owner.
func (s *Store) Ledger(owner Owner) *Ledger {
	return &Ledger{
		store: newLedgerStore(s.dir), owner: owner, ownerID: hashed(owner.Folder + "\n" + owner.Workspace + "\n" + owner.Backend)[:16],
		process: randomID(), since: time.Now(), awaited: map[string]map[string]bool{},
		lines: map[string][]*Line{}, requests: map[string]map[string][]*Line{}, imported: map[string]bool{}, owned: map[string]bool{},
	}
}

func randomID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// Begin records a request that is about to be sent. The line is on the disk when Begin returns. If
// it cannot be written, the log says so.
func (l *Ledger) Begin(ctx context.Context, r Request) *Line {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.single(ctx, r, nil)
}

// Leave records what a state gives up for a Create of this process, or of a later one.
func (l *Ledger) Leave(ctx context.Context, r Request, made Made) *Line {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.single(ctx, r, &made)
}

// single makes a page of one line. Find may return one with a response.
func (l *Ledger) single(ctx context.Context, r Request, made *Made) *Line {
	n := l.newLine(l.newPage(ctx, r.Kind), r)
	n.content.Made = made
	l.save(ctx, n.page)
	l.insert(n, made != nil)
	return n
}

// newLine adds a line of this process to a page.
func (l *Ledger) newLine(p *page, r Request) *Line {
	n := &Line{ledger: l, page: p, own: true, content: lineContent{
		Kind: r.Kind, Request: r.digest(p.key), Name: r.Name, Folder: l.owner.Folder, Workspace: l.owner.Workspace, Run: l.owner.Run,
		Began: time.Now().UTC(),
	}}
	p.add(n)
	return n
}

// prepare opens the folder, and makes the lock of this process before it writes a line.
func (l *Ledger) prepare(ctx context.Context) {
	if l.folder != nil || l.failed || l.closed {
		return
	}
	l.failed = true
	f := l.store.open(ctx)
	if f == nil {
		return
	}
	var err error
	for range lockAttempts {
		l.lock, err = f.Lock(l.lockName(l.process))
		if l.lock != nil {
			l.folder, l.failed = f, false
			return
		}
		if err != nil && !errors.Is(err, disk.ErrLockRemoved) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		l.process = randomID()
	}
	f.Close()
	unwritten(ctx, cmp.Or(err, disk.ErrLockRemoved))
}

func (l *Ledger) lockName(process string) string { return "process-" + l.ownerID + "-" + process }

// insert adds a line to the maps. open says that Find may return it.
func (l *Ledger) insert(n *Line, open bool) {
	l.list(n)
	if key := n.page.key; open {
		if l.requests[key] == nil {
			l.requests[key] = map[string][]*Line{}
		}
		l.requests[key][n.content.Request] = append(l.requests[key][n.content.Request], n)
	}
}

// list adds a line to those of its object, and unlist removes it there.
func (l *Ledger) list(n *Line) {
	if id := n.object(); id != "" {
		l.lines[id] = append(l.lines[id], n)
	}
}

func (l *Ledger) unlist(n *Line) {
	if id := n.object(); id != "" {
		if l.lines[id] = without(l.lines[id], n); len(l.lines[id]) == 0 {
			delete(l.lines, id)
		}
	}
}

// delete removes a line from the maps, and from its page until that is saved.
func (l *Ledger) delete(n *Line) {
	if n.removed {
		return
	}
	n.removed = true
	n.page.left--
	l.unlist(n)
	l.taken(n)
}

// taken removes a line from those that Find may return.
func (l *Ledger) taken(n *Line) {
	if lines := l.requests[n.page.key]; lines != nil {
		if lines[n.content.Request] = without(lines[n.content.Request], n); len(lines[n.content.Request]) == 0 {
			delete(lines, n.content.Request)
		}
		if len(lines) == 0 {
			delete(l.requests, n.page.key)
		}
	}
}

func without(lines []*Line, n *Line) []*Line {
	return slices.DeleteFunc(lines, func(other *Line) bool { return other == n })
}

// Complete adds what the service returned.
func (n *Line) Complete(ctx context.Context, made Made) {
	if n == nil {
		return
	}
	l := n.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.removed {
		return
	}
	l.unlist(n)
	n.content.Made = &made
	l.list(n)
	l.save(ctx, n.page)
}

// Drop removes lines: the requests were surely not processed, or the objects are gone.
func Drop(ctx context.Context, lines ...*Line) {
	pages := map[*page]*Ledger{}
	for _, n := range lines {
		if n != nil {
			n.ledger.mu.Lock()
			n.ledger.delete(n)
			pages[n.page] = n.ledger
			n.ledger.mu.Unlock()
		}
	}
	for p, l := range pages {
		l.mu.Lock()
		l.save(ctx, p)
		l.mu.Unlock()
	}
}

// open returns the folder, if there is one, and what to call when it is not needed any more.
func (l *Ledger) open(ctx context.Context) (f *disk.Folder, done func()) {
	if l.folder != nil {
		return l.folder, func() {}
	}
	if l.store.private == nil || l.closed {
		return nil, nil
	}
	if _, err := os.Lstat(l.store.private.Path("")); err != nil { // do not make it
		return nil, nil
	}
	if f = l.store.open(ctx); f == nil {
		return nil, nil
	}
	return f, f.Close
}

// Find returns the lines with an equal request that processes that have ended, or a Delete of this
// one, have left: those with a response first, then the oldest first. If a running process of the
// same owner has such a line, it may be about to end with the CLI that started it: Find waits for
// that.
func (l *Ledger) Find(ctx context.Context, r Request) []*Line {
	if l == nil {
		return nil
	}
	for {
		l.mu.Lock()
		found, wait := l.find(ctx, r)
		l.mu.Unlock()
		if !wait {
			return found
		}
		if !pause(ctx) {
			return nil
		}
	}
}

// pause waits until it is time to look again whether a process has ended. It is false if ctx ended.
func pause(ctx context.Context) bool {
	select {
	case <-time.After(endingChecked):
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *Ledger) find(ctx context.Context, r Request) (found []*Line, wait bool) {
	l.load(ctx)
	for key, lines := range l.requests {
		found = append(found, lines[r.digest(key)]...)
	}
	slices.SortFunc(found, func(a, b *Line) int {
		if a, b := a.content.Made != nil, b.content.Made != nil; a != b {
			return map[bool]int{true: -1, false: 1}[a]
		}
		return older(a, b)
	})
	return found, len(found) == 0 && l.awaits(ctx, r)
}

func older(a, b *Line) int {
	return cmp.Or(a.content.Began.Compare(b.content.Began), cmp.Compare(a.page.id, b.page.id))
}

// Take returns one line of Find for which fits, which may be nil, is true. Nobody else gets it.
func (l *Ledger) Take(ctx context.Context, r Request, fits func(*Line) bool) (*Line, bool) {
	for _, n := range l.Find(ctx, r) {
		if (fits == nil || fits(n)) && l.take(ctx, n) {
			return n, true
		}
	}
	return nil, false
}

// TakeLeft is Take for the lines that a Delete of this process has left. It waits for no process.
func (l *Ledger) TakeLeft(ctx context.Context, r Request, fits func(*Line) bool) (*Line, bool) {
	for _, n := range l.leftFor(r) {
		if fits(n) && l.take(ctx, n) {
			return n, true
		}
	}
	return nil, false
}

func (l *Ledger) leftFor(r Request) (left []*Line) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, lines := range l.requests {
		for _, n := range lines[r.digest(key)] {
			if n.own {
				left = append(left, n)
			}
		}
	}
	return left
}

// take makes a line this process's own. It is false if another process, or another operation of
// this one, was first.
func (l *Ledger) take(ctx context.Context, n *Line) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.requests[n.page.key][n.content.Request], n) || !l.takePage(ctx, n.page) {
		return false
	}
	l.taken(n)
	return true
}

// Left returns the lines of a group that nobody has taken.
func (l *Ledger) Left(group string) (left []*Line) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.findable() {
		if n.own && n.content.Group == group {
			left = append(left, n)
		}
	}
	return left
}

// Unshown returns the lines of sessions and jobs that earlier runs have left, the oldest first.
func (l *Ledger) Unshown(ctx context.Context) (unshown []*Line) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(ctx)
	for n := range l.findable() {
		if !n.own && !n.page.kind.stored() {
			unshown = append(unshown, n)
		}
	}
	slices.SortFunc(unshown, older)
	return unshown
}

// Lines returns the lines with these ids that Find may still return.
func (l *Ledger) Lines(ctx context.Context, ids []string) (lines []*Line) {
	if l == nil || len(ids) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(ctx)
	for n := range l.findable() {
		if slices.Contains(ids, n.ID()) {
			lines = append(lines, n)
		}
	}
	slices.SortFunc(lines, older)
	return lines
}

// findable yields the lines that Find may return.
func (l *Ledger) findable() iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		for _, requests := range l.requests {
			for _, lines := range requests {
				for _, n := range lines {
					if !yield(n) {
						return
					}
				}
			}
		}
	}
}

// Any reports whether there are lines, which Shown could remove.
func (l *Ledger) Any(ctx context.Context) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(ctx)
	return len(l.lines) > 0
}

// Shown removes the lines of objects that a state has, by their ids and key paths. Terraform must
// have saved this state. planned says that it is the prior state of a plan, which has what the plan
// imports, too: that is not saved yet.
func (l *Ledger) Shown(ctx context.Context, planned bool, ids ...string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(ctx)
	changed := map[*page]bool{}
	for _, id := range ids {
		if l.imported[id] {
			continue
		}
		l.owned[id] = true
		for _, n := range slices.Clone(l.lines[id]) {
			if planned && n.content.Imported == id {
				continue
			}
			l.delete(n)
			changed[n.page] = true
		}
	}
	for p := range changed {
		l.save(ctx, p)
	}
}

// Own notes that an object belongs to a resource of this process, as Shown does: it is not what a
// request without a response has made. It is false if the object belonged to one before.
func (l *Ledger) Own(id string) (isNew bool) {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	isNew = !l.owned[id]
	l.owned[id] = true
	return isNew
}

// Owns reports whether Own or Shown was told of an object.
func (l *Ledger) Owns(id string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned[id]
}

// Import notes that a plan imports an object: what Terraform then shows of it to this process, and
// to the one that applies the plan, is in no saved state. unanswered are lines without a response
// that may have made it: a state that shows it ends them. Until then, the user may import another
// one.
func (l *Ledger) Import(ctx context.Context, id string, unanswered ...*Line) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(ctx)
	l.imported[id] = true
	for _, n := range append(unanswered, l.lines[id]...) {
		if n.content.Imported == id || n.removed || !n.page.onDisk {
			continue
		}
		l.unlist(n)
		n.content.Imported = id
		l.list(n)
		l.save(ctx, n.page)
	}
}

// load finds the lines that processes which have ended have left. Later calls look only for
// processes that were running.
func (l *Ledger) load(ctx context.Context) {
	if l.closed || l.loaded && len(l.running) == 0 {
		return
	}
	f, done := l.open(ctx)
	if f == nil {
		l.loaded = true
		return
	}
	defer done()
	processes := map[string][]*page{}
	for _, process := range l.running {
		processes[process] = nil
	}
	first := !l.loaded
	l.loaded, l.running = true, nil
	names := f.Names()
	for _, name := range names {
		if process, ok := l.processOf(name); ok && first {
			processes[process] = nil
		}
	}
	for _, name := range names {
		if p := l.pageOf(name); p != nil {
			if _, ok := processes[p.process]; ok || first {
				processes[p.process] = append(processes[p.process], p)
			}
		}
	}
	for _, process := range slices.Sorted(maps.Keys(processes)) {
		switch {
		case process == l.process:
		case l.runs(f, process, len(processes[process]) == 0):
			l.running = append(l.running, process)
		default:
			for _, p := range processes[process] {
				l.read(ctx, f, p)
			}
		}
	}
}

// processOf returns the process of a lock.
func (l *Ledger) processOf(name string) (string, bool) {
	process, ok := strings.CutPrefix(name, l.lockName(""))
	if !ok || !ledgerNames.MatchString(name) {
		return "", false
	}
	return strings.CutSuffix(process, disk.LockSuffix)
}

// runs reports whether a process runs. It removes the lock of one that has ended and left nothing.
func (l *Ledger) runs(f *disk.Folder, process string, empty bool) bool {
	name := l.lockName(process) + disk.LockSuffix
	lock, err := f.LockFile(name)
	if err != nil { // without a lock it has ended; a disk that cannot be read now may be read later
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrLockRemoved)
	}
	if lock == nil {
		return true
	}
	if empty {
		_ = f.Remove(name)
	}
	_ = lock.Unlock()
	return false
}

// awaits reports whether a process that was running has a line with an equal request, and may end
// soon. Lines that it began later than this process are of another operation of the same run.
func (l *Ledger) awaits(ctx context.Context, r Request) bool {
	if time.Since(l.since) > endingWithin || len(l.running) == 0 {
		return false
	}
	f, done := l.open(ctx)
	if f == nil {
		return false
	}
	defer done()
	for _, name := range f.Names() {
		p := l.pageOf(name)
		if p == nil || p.kind != r.Kind || !slices.Contains(l.running, p.process) {
			continue
		}
		if l.awaited[name] == nil {
			l.awaited[name] = l.began(f, p)
		}
		if l.awaited[name][r.digest(p.key)] {
			return true
		}
	}
	return false
}

// began returns the digests of the lines of a page that were begun before this process. They do not
// get more.
func (l *Ledger) began(f *disk.Folder, p *page) map[string]bool {
	digests := map[string]bool{}
	content, _ := f.Read(l.fileName(p))
	for text := range p.kind.texts(content) {
		if c, err := p.kind.decode(text); err == nil && c.Began.Before(l.since) {
			digests[c.Request] = true
		}
	}
	return digests
}

// Close ends the ledger of this process, whose lines are then left to later ones.
func (l *Ledger) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if l.folder == nil {
		return
	}
	_ = l.lock.Unlock()
	l.folder.Close()
}
