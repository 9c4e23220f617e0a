package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// The second act uploads a new version of the file, of as many parts as newParts. It is interrupted
// after as many as storedParts.
const (
	partSize    = 8 << 20 // as in examples/demo
	newParts    = 15
	storedParts = 9
)

// secondAct interrupts an upload and continues it, and has a file that changes while it is sent
// refused.
func (d *demo) secondAct(ctx context.Context) (err error) {
	d.media = filepath.Join(d.dir, "promo-2.mp4")
	if err := writeMedia(d.media, newParts*partSize); err != nil {
		return err
	}
	if d.content, err = readContent(ctx, d.media); err != nil {
		return err
	}

	d.say(fmt.Sprintf("Upload a new version of %d parts, and press Ctrl-C after %d", newParts, storedParts))
	if err := d.interrupted(ctx); err != nil {
		return err
	}
	left := d.service.Report().Uploads
	if len(left) != 1 || left[0].Parts < storedParts || left[0].Parts >= newParts {
		return fmt.Errorf("the interrupted upload left %+v, want %d of %d parts or a few more", left, storedParts, newParts)
	}

	d.say("Apply again: the upload continues")
	before := len(d.service.Journal())
	if err := d.terraform(ctx, "apply", "-input=false", "-auto-approve"); err != nil {
		return err
	}
	sent, err := continued(d.service.Report(), d.service.Journal()[before:], d.content, left[0])
	if err != nil {
		return err
	}
	fmt.Printf("%d of %d parts were stored, %d were sent now. The object is the file: SHA-256 %s\n", left[0].Parts, newParts, sent, d.content.sha256)

	d.say("Apply another version, which changes while it is sent: the apply must refuse it")
	return d.changed(ctx)
}

// interrupted applies until as many parts as storedParts are stored.
func (d *demo) interrupted(ctx context.Context) error {
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	var puts atomic.Int64
	over := make(chan struct{})
	defer close(over) // the server of a request that nobody reads does not notice that its client is gone
	defer d.service.Hook(simulator.CallPutPart, func(*http.Request) {
		if puts.Add(1) > storedParts {
			<-over
		}
	})()
	go func() {
		for ctx.Err() == nil {
			if uploads := d.service.Report().Uploads; len(uploads) == 1 && uploads[0].Parts >= storedParts {
				interrupt()
			}
			<-time.After(100 * time.Millisecond)
		}
	}()
	if d.terraform(ctx, "apply", "-input=false", "-auto-approve") == nil {
		return errors.New("the apply was not interrupted")
	}
	return nil
}

// continued returns how many parts the requests sent of an upload of which some were left.
func continued(r simulator.Report, requests []simulator.Request, want content, left simulator.ReportedUpload) (sent int, err error) {
	for _, request := range requests {
		if request.Call == simulator.CallPutPart && request.Status == http.StatusOK {
			sent++
		}
	}
	stored := false
	for _, o := range r.Objects {
		stored = stored || o.KeyPath == left.KeyPath && o.SHA256 == want.sha256
	}
	switch {
	case !stored:
		return 0, fmt.Errorf("%s does not have the content of the file: %+v", left.KeyPath, r.Objects)
	case len(r.Uploads) > 0:
		return 0, fmt.Errorf("%d uploads are unfinished", len(r.Uploads))
	case sent != newParts-left.Parts:
		return 0, fmt.Errorf("%d parts were sent, although %d of %d were stored", sent, left.Parts, newParts)
	}
	return sent, nil
}

// changed applies a new version of the file, which changes once more as soon as its upload begins.
func (d *demo) changed(ctx context.Context) error {
	if err := edit(d.media); err != nil {
		return err
	}
	before := d.service.Report()
	var edited error
	defer d.service.Hook(simulator.CallMultipartCreate, func(*http.Request) { edited = edit(d.media) })()
	if d.terraform(ctx, "apply", "-input=false", "-auto-approve") == nil {
		return errors.New("a file that changed while it was sent was stored")
	}
	after := d.service.Report()
	if !reflect.DeepEqual(before.Objects, after.Objects) || len(before.Batches) != len(after.Batches) {
		return fmt.Errorf("a file that changed while it was sent is an object or in a job:\nbefore %+v\nafter  %+v", before, after)
	}
	fmt.Println("Refused: the service got no object and no batch job")
	return edited
}

// edit changes the last byte of a file.
func edit(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	info, err := file.Stat()
	if err == nil {
		_, err = file.ReadAt(last, info.Size()-1)
	}
	if err == nil {
		last[0]++
		_, err = file.WriteAt(last, info.Size()-1)
	}
	return errors.Join(err, file.Close())
}
