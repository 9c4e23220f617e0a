package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	// smallInFlight and largeInFlight are how many files of a folder are under way at once: sent
	// with one PUT, and in parts. A large file can use all slots of the engine alone, so few are
	// begun.
	smallInFlight = 32
	largeInFlight = 4
	// giveUpAfter is how many files may fail in a row for a reason that is not the file: in an
	// outage, the files of a large folder must not all be retried.
	giveUpAfter = 40
	// rateWindow is the time over which the rate of a folder is measured.
	rateWindow = 5 * time.Second
)

// ErrNotTried is the error of the files of a folder that follow too many that failed.
var ErrNotTried = errors.New("not tried, because too many files in a row failed")

// Folder is the files of one folder that are uploaded together.
type Folder struct {
	Name  string // for progress and logs
	Files []File

	// Stored, which may be nil, returns a file that is stored already and need not be sent.
	Stored func(ctx context.Context, f File) (StoredFile, bool)
}

// Outcome is what became of one file of a folder.
type Outcome struct {
	Result
	Err error // nil: the file is stored
}

// UploadFolder stores files, largest first and several at once. The outcomes are in the order of
// the files. recorded reports whether the ledger has every file that is stored. show, which may be
// nil, gets a line of progress a second.
func (u *Uploader) UploadFolder(ctx context.Context, folder Folder, show func(line string)) (outcomes []Outcome, recorded bool) {
	ctx, cancel := limited(ctx)
	defer cancel()
	b := &batch{
		uploader: u, folder: folder, outcomes: make([]Outcome, len(folder.Files)),
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
	return b.outcomes, !b.unrecorded.Load()
}

// ForgetFolder removes the files of an action from the ledger.
func (u *Uploader) ForgetFolder(ctx context.Context, outcomes []Outcome) {
	for _, o := range outcomes {
		o.line.Drop(ctx)
	}
}

// batch is one call of UploadFolder.
type batch struct {
	uploader *Uploader
	folder   Folder
	outcomes []Outcome
	failed   atomic.Int64 // in a row

	unrecorded atomic.Bool // a file is stored that the ledger lacks

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
	if b.folder.Stored != nil {
		if stored, ok := b.folder.Stored(ctx, f); ok {
			o.StoredFile = stored
			return
		}
	}
	if o.Err = b.proceed(ctx); o.Err != nil {
		rest := operation{uploader: b.uploader, file: f}
		rest.keepPartSize(nil)
		o.Left = rest.choose(nil, nil, "")
		return
	}
	if o.Err = f.CheckSize(); o.Err == nil {
		o.Result, o.Err = b.uploader.store(ctx, f, nil, ledgerOf(f), func(p transfer.Progress) { b.progress(i, p) })
	}
	if o.Err == nil && !o.line.Written() {
		b.unrecorded.Store(true)
	}
	b.count(ctx, o.Err)
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
