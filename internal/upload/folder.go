package upload

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
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
)

// ErrNotTried is the error of the files of a folder that follow too many that failed.
var ErrNotTried = errors.New("not tried, because too many files in a row failed")

// Folder is the files of one folder that are uploaded together.
type Folder struct {
	Name  string // for progress and logs
	Files []File
}

// Outcome is what became of one file of a folder.
type Outcome struct {
	Result
	Err error // nil: the file is stored
}

// UploadFolder stores files, largest first and several at once. The outcomes are in the order of
// the files. recorded reports whether the ledger has every file that is stored. show, which may be
// nil, gets a line of progress every five seconds.
func (u *Uploader) UploadFolder(ctx context.Context, folder Folder, show func(line string)) (outcomes []Outcome, recorded bool) {
	ctx, cancel := limited(ctx)
	defer cancel()
	b := &batch{
		uploader: u, folder: folder, outcomes: make([]Outcome, len(folder.Files)),
		reporter: u.newReporter(ctx, "uploading", show),
		files:    make([]*tracked, len(folder.Files)),
		list:     u.config.Ledger.List(),
	}
	defer b.list.Close()
	defer u.config.Resume.Flush(ctx)
	defer u.display.begin(ctx, &task{})()
	order := make([]int, len(folder.Files))
	for i, f := range folder.Files {
		order[i], b.files[i] = i, track(f, &b.meter, &u.display.meter)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(folder.Files[j].Size, folder.Files[i].Size) })
	slots := make(chan struct{}, smallInFlight)
	large := make(chan struct{}, largeInFlight)
	var running sync.WaitGroup
	for _, i := range order {
		limit := slots
		if folder.Files[i].InParts() {
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

// batch is one call of UploadFolder.
type batch struct {
	uploader *Uploader
	folder   Folder
	outcomes []Outcome
	failed   atomic.Int64 // in a row

	unrecorded atomic.Bool // a file is stored that the ledger lacks

	reporter *reporter
	meter    meter
	files    []*tracked

	list *resume.List // of the files that are stored
}

func (b *batch) uploadFile(ctx context.Context, i int) {
	f, o := b.folder.Files[i], &b.outcomes[i]
	defer func() {
		b.uploader.display.say(b.files[i].end(o.Err))
		b.report()
	}()
	ctx = retry.TellWaits(ctx, func(text string) {
		b.reporter.waits(f.Name + " " + text)
		b.uploader.display.waitsFor(f.Name + " " + text)
	})
	var taken bool
	if o.Result, taken = b.uploader.takeLeft(ctx, f); taken {
		if !o.InLedger() {
			b.unrecorded.Store(true)
		}
		return
	}
	if o.Err = b.proceed(ctx); o.Err != nil {
		o.Left = b.uploader.left(ctx, f)
		return
	}
	if o.Err = f.CheckSize(); o.Err == nil {
		o.Result, o.Err = b.uploader.store(ctx, f, b.list, func(p transfer.Progress) {
			b.files[i].progress(p)
			b.report()
		})
	}
	if o.Err == nil && !o.InLedger() {
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
		tflog.Warn(ctx, "a file was not uploaded", map[string]any{"error": err.Error()})
	}
}

// ofTheFile reports whether an error says something about the file on this machine alone.
func ofTheFile(err error) bool {
	_, unfit := errors.AsType[*transfer.FileError](err)
	_, changed := errors.AsType[*transfer.ChangedError](err)
	_, size := errors.AsType[*SizeError](err)
	return unfit || changed || size
}

func (b *batch) report() {
	finished := b.meter.over()
	b.reporter.report(func() string {
		line, _ := b.meter.line()
		return b.folder.Name + ": " + line
	}, finished)
}
