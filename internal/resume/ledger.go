package resume

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
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

	// Run identifies the CLI that started this process. A CLI may start several processes of the
	// provider, one after another.
	Run string
}

// Ledger lists what this machine has asked the service to make and no state has shown yet, for the
// case that Terraform ends before it has saved the response. A line is removed in two ways only: by
// Drop, when the request was surely not processed or the object is gone, and by Shown. The end of
// an operation or of a process removes nothing, because nobody knows then whether Terraform saves
// the response: most backends save the state after the provider has ended.
//
// Each line is a file (see lineContent), which only this user can write. Its name has all that is
// looked up, and begins with the kind: KIND-OWNER-PROCESS-REQUEST-OBJECT.json. PROCESS is the
// process that has the line, which keeps process-OWNER-PROCESS.lock locked while it runs. Whoever
// renames the file of a process that has ended has taken the line, and nobody else can. REQUEST is
// a digest under the key PROCESS, because arguments may be secrets. OBJECT is a digest of the id of
// a file, and random for other kinds.
//
// Where the store's folder cannot be used, lines are only in memory. A nil *Ledger is
// turned off. It is safe for concurrent use.
type Ledger struct {
	store   *Store
	owner   Owner
	ownerID string
	since   time.Time

	mu       sync.Mutex
	process  string                        // of the names of this process's lines
	folder   *folder                       // of this process's lines; nil before the first, and in memory
	lock     *flock.Flock                  // of this process
	failed   bool                          // lines are only in memory
	loaded   bool                          // the lines of processes that have ended are in lines
	running  []string                      // other processes that had lines and ran when they were looked for
	lines    map[string][]*Line            // of this owner by digest of the object's id, or by name without one
	requests map[string]map[string][]*Line // those that Find may return, by process and REQUEST
	imported map[string]bool               // digests of ids that this process imports
	owned    map[string]bool               // ids of what a saved state or this process has: see Own
	closed   bool
}

// Ledger returns the ledger of an owner.
func (s *Store) Ledger(owner Owner) *Ledger {
	return &Ledger{
		store: s, owner: owner, ownerID: hashed(owner.Folder + "\n" + owner.Workspace + "\n" + owner.Backend)[:16],
		process: randomID(), since: time.Now(),
		lines: map[string][]*Line{}, requests: map[string]map[string][]*Line{}, imported: map[string]bool{}, owned: map[string]bool{},
	}
}

func randomID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

func objectID(id string) string { return hashed(id)[:16] }

// Begin records a request that is about to be sent. The line is on the disk when Begin returns. If
// it cannot be written, the log says so.
func (l *Ledger) Begin(ctx context.Context, r Request) *Line {
	return l.add(ctx, r, nil, "", false)
}

// Add records an object that has been made.
func (l *Ledger) Add(ctx context.Context, r Request, made Made) *Line {
	return l.add(ctx, r, &made, "", false)
}

// Leave records what a state gives up for a Create of this process, or of a later one. Group is any
// text that the Create knows, too: see Left.
func (l *Ledger) Leave(ctx context.Context, r Request, made Made, group string) *Line {
	return l.add(ctx, r, &made, group, true)
}

func (l *Ledger) add(ctx context.Context, r Request, made *Made, group string, left bool) *Line {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &Line{ledger: l, kind: r.Kind, object: randomID(), read: true, content: lineContent{
		Kind: r.Kind, Name: r.Name, Folder: l.owner.Folder, Workspace: l.owner.Workspace, Run: l.owner.Run,
		Began: time.Now().UTC(), Made: made, Group: group,
	}}
	if made != nil && r.Kind.stored() {
		n.object = objectID(made.ID)
	}
	l.prepare(ctx)
	n.process, n.request = l.process, r.digest(l.process)
	l.write(ctx, n)
	l.insert(n, left)
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
		l.lock, err = f.lock(l.lockName(l.process))
		if l.lock != nil {
			l.folder, l.failed = f, false
			return
		}
		if err != nil && !errors.Is(err, errLockRemoved) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		l.process = randomID()
	}
	f.close()
	unwritten(ctx, cmp.Or(err, errLockRemoved))
}

func (l *Ledger) lockName(process string) string { return "process-" + l.ownerID + "-" + process }

// write writes a line of this process, or what has changed in any line.
func (l *Ledger) write(ctx context.Context, n *Line) {
	f, done := l.folder, func() {}
	if n.file {
		f, done = l.open(ctx)
	}
	if f == nil || l.closed {
		return
	}
	defer done()
	content, err := json.MarshalIndent(n.content, "", "  ")
	content = append(content, '\n')
	switch small := n.kind.stored() && n.content.Made.Parts == 0; {
	case err != nil:
	case small && !n.file: // if it is lost, a small file is sent again
		err = f.create(n.name(), content)
	default:
		err = f.write(n.name(), content)
		f.sync()
	}
	if err != nil {
		unwritten(ctx, err)
		return
	}
	n.file = true
}

func unwritten(ctx context.Context, err error) {
	tflog.Warn(ctx, "resume_dir cannot be written: if this run ends early, the next one does not know what it has made", map[string]any{"error": regularfile.Cause(err).Error()})
}

// insert adds a line to the maps. open says that Find may return it.
func (l *Ledger) insert(n *Line, open bool) {
	l.lines[n.key()] = append(l.lines[n.key()], n)
	if open {
		if l.requests[n.process] == nil {
			l.requests[n.process] = map[string][]*Line{}
		}
		l.requests[n.process][n.request] = append(l.requests[n.process][n.request], n)
	}
}

// delete removes a line from the maps.
func (l *Ledger) delete(n *Line) {
	same := func(other *Line) bool { return other == n }
	if l.lines[n.key()] = slices.DeleteFunc(l.lines[n.key()], same); len(l.lines[n.key()]) == 0 {
		delete(l.lines, n.key())
	}
	l.taken(n)
}

// taken removes a line from those that Find may return.
func (l *Ledger) taken(n *Line) {
	if lines := l.requests[n.process]; lines != nil {
		lines[n.request] = slices.DeleteFunc(lines[n.request], func(other *Line) bool { return other == n })
		if len(lines[n.request]) == 0 {
			delete(lines, n.request)
		}
	}
}

// Complete adds what the service returned.
func (n *Line) Complete(ctx context.Context, made Made) {
	if n == nil {
		return
	}
	l := n.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	open := slices.Contains(l.requests[n.process][n.request], n)
	l.delete(n)
	n.content.Made = &made
	l.write(ctx, n)
	l.insert(n, open)
}

// Drop removes the line: the request was surely not processed, or the object is gone.
func (n *Line) Drop(ctx context.Context) {
	if n == nil {
		return
	}
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	n.ledger.remove(ctx, n)
}

// remove removes a line, and the lock of a process that has ended with its last line.
func (l *Ledger) remove(ctx context.Context, n *Line) {
	l.delete(n)
	if !n.file {
		return
	}
	f, done := l.open(ctx)
	if f == nil {
		return
	}
	defer done()
	if err := f.remove(n.name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		tflog.Warn(ctx, "resume_dir cannot be written: a later run may find what a state has already", map[string]any{"error": regularfile.Cause(err).Error()})
	}
	if n.process != l.process && len(l.requests[n.process]) == 0 {
		l.removeLock(f, n.process)
	}
}

// removeLock removes the lock of a process that has ended and has no lines.
func (l *Ledger) removeLock(f *folder, process string) {
	name := l.lockName(process) + lockSuffix
	if lock, err := f.lockFile(name); err == nil && lock != nil {
		_ = f.remove(name)
		_ = lock.Unlock()
	}
}

// open returns the folder, if there is one, and what to call when it is not needed any more.
func (l *Ledger) open(ctx context.Context) (f *folder, done func()) {
	if l.folder != nil {
		return l.folder, func() {}
	}
	if l.store.dir == "" || l.closed {
		return nil, nil
	}
	if _, err := os.Lstat(filepath.Join(l.store.dir, Folder)); err != nil { // do not make it
		return nil, nil
	}
	if f = l.store.open(ctx); f == nil {
		return nil, nil
	}
	return f, f.close
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
		select {
		case <-time.After(endingChecked):
		case <-ctx.Done():
			return nil
		}
	}
}

func (l *Ledger) find(ctx context.Context, r Request) (found []*Line, wait bool) {
	l.load(ctx)
	for process, lines := range l.requests {
		if len(lines) == 0 {
			continue
		}
		for _, n := range slices.Clone(lines[r.digest(process)]) {
			if l.readLine(ctx, n) {
				found = append(found, n)
			}
		}
	}
	slices.SortFunc(found, func(a, b *Line) int {
		if a, b := a.content.Made != nil, b.content.Made != nil; a != b {
			return map[bool]int{true: -1, false: 1}[a]
		}
		return cmp.Or(a.content.Began.Compare(b.content.Began), cmp.Compare(a.object, b.object))
	})
	return found, len(found) == 0 && l.awaits(ctx, r)
}

// Take returns one line of Find for which fits, which may be nil, is true. Nobody else gets it.
func (l *Ledger) Take(ctx context.Context, r Request, fits func(*Line) bool) (*Line, bool) {
	for _, n := range l.Find(ctx, r) {
		if (fits == nil || fits(n)) && l.take(ctx, n, r) {
			return n, true
		}
	}
	return nil, false
}

// take makes a line this process's own. It is false if another process, or another operation of
// this one, was first.
func (l *Ledger) take(ctx context.Context, n *Line, r Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.requests[n.process][n.request], n) {
		return false
	}
	l.taken(n)
	if n.process == l.process || !n.file {
		return true
	}
	l.prepare(ctx)
	if l.folder == nil { // only the line's own process can be told from a running one
		return true
	}
	before, from := n.name(), n.process
	n.process, n.request = l.process, r.digest(l.process)
	switch err := l.folder.rename(before, n.name()); {
	case errors.Is(err, fs.ErrNotExist):
		l.delete(n)
		return false
	case err != nil: // it stays where a later run finds it
		n.process = from
		unwritten(ctx, err)
	}
	if len(l.requests[from]) == 0 {
		l.removeLock(l.folder, from)
	}
	return true
}

// Left returns the lines of a group that nobody has taken.
func (l *Ledger) Left(group string) (left []*Line) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lines := range l.requests[l.process] {
		for _, n := range lines {
			if n.content.Group == group {
				left = append(left, n)
			}
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
	for process, requests := range l.requests {
		for _, lines := range requests {
			for _, n := range slices.Clone(lines) {
				if process != l.process && !n.kind.stored() && l.readLine(ctx, n) && (n.content.Run == "" || n.content.Run != l.owner.Run) {
					unshown = append(unshown, n)
				}
			}
		}
	}
	slices.SortFunc(unshown, func(a, b *Line) int {
		return cmp.Or(a.content.Began.Compare(b.content.Began), cmp.Compare(a.object, b.object))
	})
	return unshown
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
	for _, id := range ids {
		object := objectID(id)
		if l.imported[object] {
			continue
		}
		l.owned[id] = true
		for _, n := range slices.Clone(l.lines[object]) {
			if planned && l.readLine(ctx, n) && n.content.Imported {
				continue
			}
			l.remove(ctx, n)
		}
	}
}

// Own notes that an object belongs to a resource of this process, as Shown does: it is not what a
// request without a response has made.
func (l *Ledger) Own(id string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owned[id] = true
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
// to the one that applies the plan, is in no saved state.
func (l *Ledger) Import(ctx context.Context, id string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(ctx)
	object := objectID(id)
	l.imported[object] = true
	for _, n := range slices.Clone(l.lines[object]) {
		if !l.readLine(ctx, n) || n.content.Imported || !n.file {
			continue
		}
		n.content.Imported = true
		l.write(ctx, n)
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
	processes := map[string][]*Line{}
	for _, process := range l.running {
		processes[process] = nil
	}
	first := !l.loaded
	l.loaded, l.running = true, nil
	entries, _ := fs.ReadDir(f.root.FS(), ".")
	for _, e := range entries {
		if process, ok := l.processOf(e.Name()); ok && first {
			processes[process] = nil
		}
	}
	for _, e := range entries {
		if n := l.lineOf(e.Name()); n != nil {
			if _, ok := processes[n.process]; ok || first {
				processes[n.process] = append(processes[n.process], n)
			}
		}
	}
	for _, process := range slices.Sorted(maps.Keys(processes)) {
		switch {
		case process == l.process:
		case l.runs(f, process, len(processes[process]) == 0):
			l.running = append(l.running, process)
		default:
			for _, n := range processes[process] {
				if n.kind.stored() || l.readFrom(ctx, f, n) {
					l.insert(n, true)
				}
			}
		}
	}
}

// processOf returns the process of a lock.
func (l *Ledger) processOf(name string) (string, bool) {
	process, ok := strings.CutPrefix(name, l.lockName(""))
	if !ok || !ownName.MatchString(name) {
		return "", false
	}
	return strings.CutSuffix(process, lockSuffix)
}

// lineOf returns the line of a file of this owner, nil if it is no such file.
func (l *Ledger) lineOf(name string) *Line {
	if !lineName.MatchString(name) {
		return nil
	}
	part := strings.Split(strings.TrimSuffix(name, ".json"), "-")
	if part[1] != l.ownerID {
		return nil
	}
	return &Line{ledger: l, kind: Kind(part[0]), process: part[2], request: part[3], object: part[4], file: true}
}

// runs reports whether a process runs. It removes the lock of one that has ended and left nothing.
func (l *Ledger) runs(f *folder, process string, empty bool) bool {
	name := l.lockName(process) + lockSuffix
	lock, err := f.lockFile(name)
	if err != nil { // without a lock it has ended; a disk that cannot be read now may be read later
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errLockRemoved)
	}
	if lock == nil {
		return true
	}
	if empty {
		_ = f.remove(name)
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
	entries, _ := fs.ReadDir(f.root.FS(), ".")
	for _, e := range entries {
		n := l.lineOf(e.Name())
		if n != nil && slices.Contains(l.running, n.process) && n.request == r.digest(n.process) && l.readFrom(ctx, f, n) && n.content.Began.Before(l.since) {
			return true
		}
	}
	return false
}

// readLine reads the content of a line. It is false if there is none that can be used.
func (l *Ledger) readLine(ctx context.Context, n *Line) bool {
	if n.read {
		return true
	}
	f, done := l.open(ctx)
	if f == nil {
		return false
	}
	defer done()
	if l.readFrom(ctx, f, n) {
		return true
	}
	l.delete(n)
	return false
}

func (l *Ledger) readFrom(ctx context.Context, f *folder, n *Line) bool {
	content, err := f.read(n.name())
	if err == nil && len(content) > maxLine {
		err = errors.New("it is too large")
	}
	var c lineContent
	if err == nil {
		err = json.Unmarshal(content, &c)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // another process has taken or removed it
		return false
	case err == nil && time.Since(c.Began) > ledgerLifetime:
		_ = f.remove(n.name())
		return false
	case err == nil && (c.Kind != n.kind || c.Made != nil && !c.Made.clean(c.Kind)):
		err = errors.New("its values are not those of a line")
	}
	if err != nil {
		tflog.Warn(ctx, "what an earlier run has made cannot be read", map[string]any{"file": n.name(), "error": err.Error()})
		return false
	}
	n.content, n.read = c, true
	return true
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
	own := func(n *Line) bool { return n.process == l.process }
	if !slices.ContainsFunc(slices.Collect(maps.Values(l.lines)), func(lines []*Line) bool { return slices.ContainsFunc(lines, own) }) {
		_ = l.folder.remove(l.lockName(l.process) + lockSuffix)
	}
	_ = l.lock.Unlock()
	l.folder.close()
}
