package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	// smallInFlight and largeInFlight are how many files of a folder are under way at once: sent with
	// one PUT, and in parts. A large file can use all slots of the engine alone, so few are begun.
	smallInFlight = 32
	largeInFlight = 4
	// giveUpAfter is how many files may fail in a row, for no reason of their own: an outage must not
	// cost the retries of every file of a large folder.
	giveUpAfter = 40
	// rateWindow is the time over which the rate of a folder is measured.
	rateWindow = 5 * time.Second
)

// ErrNotTried is the error of the files of a folder that follow too many that failed.
var ErrNotTried = errors.New("not tried, because too many files in a row failed")

// Folder is the files of one folder that are uploaded together.
type Folder struct {
	Name  string // for progress and logs
	Key   string // what its journal is looked up by
	Files []File
	Offer *Offer // of what the folder replaces; may be nil

	KeepJournal bool // until ForgetFolder, although every file is stored
}

// Outcome is what became of one file of a folder.
type Outcome struct {
	Result
	Err error // nil: the file is stored
}

// Offer is what a state gives up of a folder: stored files, for the UploadFolder that follows in this process. In case
// it does not, they are in the journal of the folder, which no other process can open before End.
type Offer struct {
	mu    sync.Mutex
	files map[string]StoredFile // by File.storedKey

	journal *resume.Journal
	close   func() // the journal
}

func (f File) storedKey() string { return f.key() + "\n" + f.ContentType }

// NewOffer returns an offer without files. folder is the Folder.Key, "" if it is not known: then there is no journal.
func (u *Uploader) NewOffer(ctx context.Context, folder string) *Offer {
	o := &Offer{files: map[string]StoredFile{}, close: func() {}}
	if folder != "" {
		o.journal = u.openJournal(ctx, folder)
		o.close = func() { u.closeJournal(folder) }
	}
	return o
}

// Add offers a file.
func (o *Offer) Add(f File, stored StoredFile) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files[f.storedKey()] = stored
	o.journal.Add(journalLine(f, stored))
}

// Has reports whether a file is on offer.
func (o *Offer) Has(f File) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.files[f.storedKey()]
	return ok
}

func (o *Offer) take(f File) (StoredFile, bool) {
	if o == nil {
		return StoredFile{}, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	stored, ok := o.files[f.storedKey()]
	delete(o.files, f.storedKey())
	return stored, ok
}

// End ends the offer, and returns what no UploadFolder has taken, by key path. It stays in the journal, for the next
// upload of the folder on this machine.
func (o *Offer) End() []StoredFile {
	o.close()
	return slices.SortedFunc(maps.Values(o.files), func(a, b StoredFile) int { return cmp.Compare(a.KeyPath, b.KeyPath) })
}

// UploadFolder stores files, largest first and several at once. The outcomes are in the order of the
// files. What a run that was killed has stored of the same folder is taken from the journal on this
// machine. The caller's state gets what is stored, so the journal loses it: otherwise another state
// could get it, too. With KeepJournal there is no state, and recorded reports whether the journal has
// every file that this call has stored. show, which may be nil, gets a line of progress a second.
func (u *Uploader) UploadFolder(ctx context.Context, folder Folder, show func(line string)) (outcomes []Outcome, recorded bool) {
	ctx, cancel := limited(ctx)
	defer cancel()
	b := &batch{
		uploader: u, folder: folder, outcomes: make([]Outcome, len(folder.Files)), journal: u.openJournal(ctx, folder.Key),
		reporter: u.newReporter(ctx, "uploading a folder", show),
		ofFile:   make([]transfer.Progress, len(folder.Files)), samples: []sample{{at: time.Now()}},
	}
	defer b.reporter.close()
	order := make([]int, len(folder.Files))
	for i, f := range folder.Files {
		order[i] = i
		b.total += f.Size
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(folder.Files[j].Size, folder.Files[i].Size) })
	slots := make(chan struct{}, smallInFlight)
	large := make(chan struct{}, largeInFlight)
	var running sync.WaitGroup
	for _, i := range order {
		limit := slots
		if folder.Files[i].multipart() {
			limit = large
		}
		limit <- struct{}{}
		running.Go(func() {
			b.uploadFile(ctx, i)
			<-limit
		})
	}
	running.Wait()
	recorded = b.journal.Whole()
	if !folder.KeepJournal {
		var stored []string
		for _, o := range b.outcomes {
			if o.Err == nil {
				stored = append(stored, o.KeyPath)
			}
		}
		b.journal.Remove(stored)
	}
	u.closeJournal(folder.Key)
	return b.outcomes, recorded
}

// ForgetFolder removes the journal of a folder.
func (u *Uploader) ForgetFolder(ctx context.Context, key string) { u.journal(ctx, key).Close(true) }

// sharedJournal is a journal that operations of this process have open.
type sharedJournal struct {
	journal *resume.Journal
	users   int
}

// openJournal opens the journal of a folder, or shares the one that is open.
func (u *Uploader) openJournal(ctx context.Context, key string) *resume.Journal {
	u.journalsMu.Lock()
	defer u.journalsMu.Unlock()
	j := u.journals[key]
	if j == nil {
		j = &sharedJournal{journal: u.journal(ctx, key)}
		u.journals[key] = j
	}
	j.users++
	return j.journal
}

// closeJournal is the inverse of openJournal.
func (u *Uploader) closeJournal(key string) {
	u.journalsMu.Lock()
	defer u.journalsMu.Unlock()
	j := u.journals[key]
	if j.users--; j.users == 0 {
		j.journal.Close(false)
		delete(u.journals, key)
	}
}

func (u *Uploader) journal(ctx context.Context, key string) *resume.Journal {
	if u.config.Account == nil { // not configured, and so nothing is to be uploaded
		return nil
	}
	account, err := u.config.Account(ctx)
	if err != nil { // each upload reports it
		return nil
	}
	return u.config.Resume.Journal(ctx, resume.JournalKey{Account: account, Address: u.config.Address, Folder: key})
}

// batch is one call of UploadFolder.
type batch struct {
	uploader *Uploader
	folder   Folder
	outcomes []Outcome
	journal  *resume.Journal
	failed   atomic.Int64 // in a row

	reporter *reporter
	total    int64 // bytes

	mu       sync.Mutex
	finished int                 // files
	sent     int64               // bytes
	reused   int64               // bytes
	ofFile   []transfer.Progress // the last of each file
	samples  []sample            // oldest first, within rateWindow
}

// sample is how many bytes were sent at a time.
type sample struct {
	at   time.Time
	sent int64
}

func (b *batch) uploadFile(ctx context.Context, i int) {
	f, o := b.folder.Files[i], &b.outcomes[i]
	defer func() {
		if o.Err == nil {
			b.stored(i)
		}
	}()
	if stored, ok := b.folder.Offer.take(f); ok {
		o.StoredFile = stored
		return
	}
	if o.Err = b.proceed(ctx); o.Err != nil {
		rest := operation{uploader: b.uploader, file: f}
		rest.keepPartSize(nil)
		o.Left = rest.choose(nil, nil, "")
		return
	}
	if found, ok := b.journal.Found(journalLine(f, StoredFile{})); ok && b.uploader.CheckCustomer(found.KeyPath) == nil {
		tflog.Info(ctx, "stored by an earlier run", map[string]any{"file_name": f.Name, "key_path": found.KeyPath})
		o.StoredFile = StoredFile{KeyPath: found.KeyPath, ETag: found.ETag, UploadedAt: found.UploadedAt}
		return
	}
	if o.Err = f.CheckSize(); o.Err == nil {
		o.Result, o.Err = b.uploader.upload(ctx, f, nil, func(p transfer.Progress) { b.progress(i, p) })
	}
	if o.Err == nil {
		b.journal.Add(journalLine(f, o.StoredFile))
	}
	b.count(ctx, o.Err)
}

// journalLine is a file as a journal has it.
func journalLine(f File, stored StoredFile) resume.Stored {
	return resume.Stored{
		SHA256: f.HexSHA256(), Size: f.Size, FileName: f.Name, ContentType: f.ContentType,
		KeyPath: stored.KeyPath, ETag: stored.ETag, UploadedAt: stored.UploadedAt,
	}
}

// proceed returns why no further file is begun.
func (b *batch) proceed(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if b.failed.Load() >= giveUpAfter {
		return ErrNotTried
	}
	return nil
}

func (b *batch) count(ctx context.Context, err error) {
	if err == nil {
		b.failed.Store(0)
	} else if !ofTheFile(err) {
		b.failed.Add(1)
		tflog.Warn(ctx, "a file of a folder was not uploaded", map[string]any{"error": err.Error()})
	}
}

// ofTheFile reports whether an error says something about the file on this machine alone.
func ofTheFile(err error) bool {
	_, unfit := errors.AsType[*transfer.FileError](err)
	_, changed := errors.AsType[*transfer.ChangedError](err)
	_, size := errors.AsType[*SizeError](err)
	return unfit || changed || size
}

func (b *batch) progress(i int, p transfer.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent += p.Sent - b.ofFile[i].Sent
	b.reused += p.Reused - b.ofFile[i].Reused
	b.ofFile[i] = p
	b.report()
}

func (b *batch) stored(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finished++
	b.reused += b.folder.Files[i].Size - b.ofFile[i].Sent - b.ofFile[i].Reused
	b.report()
}

func (b *batch) report() {
	files := len(b.folder.Files)
	b.reporter.report(func() string {
		p := transfer.Progress{
			Name: fmt.Sprintf("%s: %d of %d files,", b.folder.Name, b.finished, files),
			Sent: b.sent, Reused: b.reused, Total: b.total,
		}
		now := time.Now()
		for len(b.samples) > 1 && now.Sub(b.samples[1].at) > rateWindow {
			b.samples = b.samples[1:]
		}
		if oldest := b.samples[0]; now.After(oldest.at) && b.sent > oldest.sent {
			p.Rate = float64(b.sent-oldest.sent) / now.Sub(oldest.at).Seconds()
			p.Remaining = time.Duration(float64(b.total-b.sent-b.reused) / p.Rate * float64(time.Second))
		}
		b.samples = append(b.samples, sample{now, b.sent})
		return progressLine(p)
	}, b.finished == files)
}
