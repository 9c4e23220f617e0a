package simulator_test

import (
	"crypto/md5"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// wantNoFiles wants nothing left but folders.
func wantNoFiles(t *testing.T, dir string) {
	t.Helper()
	err := walkFiles(dir, func(name string) { t.Errorf("%s is left", name) })
	if err != nil {
		t.Error(err)
	}
}

func walkFiles(dir string, found func(string)) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		name := dir + "/" + entry.Name()
		if entry.IsDir() {
			err = walkFiles(name, found)
		} else {
			found(name)
		}
	}
	return err
}

func TestCompleteTwiceAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	m := w.begin("a.mov")
	m.part(1, random(1, 5*mib))
	hold := w.Hold(simulator.CallMultipartComplete, nil)
	answers := make(chan reply, 8)
	for range cap(answers) {
		go func() { answers <- m.complete(1) }()
	}
	must.Succeed(t, hold.Arrived(t.Context(), cap(answers)))
	hold.Release()
	for range cap(answers) {
		wantStatus(t, <-answers, 200, "")
	}
	if got := w.Objects(); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

// The PUT that ends last counts, whatever came meanwhile.
func TestSamePartTwiceAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, simulator.Options{Dir: dir})
	m := w.begin("a.mov")
	hold := w.Hold(simulator.CallPutPart, nil)
	slow, last := random(1, 5*mib), random(2, 10)
	reader, writer := io.Pipe()
	r := w.request(http.MethodPut, m.partURL(1), reader)
	r.ContentLength = int64(len(slow))
	answered := make(chan reply)
	go func() {
		got, err := w.do(r)
		if err != nil {
			t.Error(err)
		}
		answered <- got
	}()
	must.Succeed(t, hold.Arrived(t.Context(), 1))
	hold.Release()
	if _, err := writer.Write(slow[:4*mib]); err != nil {
		t.Fatal(err)
	}
	m.part(1, random(3, 5*mib))
	if _, err := writer.Write(slow[4*mib:]); err != nil {
		t.Fatal(err)
	}
	m.etags[1] = (<-answered).header.Get("Etag")
	m.part(2, random(4, 20))
	m.part(2, last)
	wantStatus(t, m.complete(1, 2), 200, "")
	if got := w.Objects()[0].SHA256; got != shaOf(slow, last) {
		t.Errorf("SHA-256 %q, want %q", got, shaOf(slow, last))
	}
	wantNoFiles(t, dir)
}

func TestDroppedUpload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, simulator.Options{Dir: dir})
	first, second := w.begin("a.mov"), w.begin("b.mov")
	first.part(1, random(1, 100))
	address := first.partURL(2)
	w.DropUpload(first.id)
	if got := code(t, w.mustDo(w.put(address, "", []byte("x")))); got != "404 NoSuchUpload" {
		t.Error(got)
	}
	wantStatus(t, first.complete(1), 404, "NoSuchUpload")
	if got := w.Uploads(); len(got) != 1 || got[0].UploadID != second.id {
		t.Errorf("%+v", got)
	}
	wantNoFiles(t, dir)

	checked := newWorld(t, simulator.Options{CheckUploadAtURL: true})
	gone := checked.begin("a.mov")
	gone.partURL(1)
	checked.DropUpload(gone.id)
	wantStatus(t, checked.mustDo(checked.vod("/vod/v1/customer/multipart/generate-url", map[string]any{
		"key_path": gone.key, "upload_id": gone.id, "part_number": 1,
	})), 404, "no such upload")
}

func TestUploadDroppedWhileAPartComes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, simulator.Options{Dir: dir})
	m := w.begin("a.mov")
	hold := w.Hold(simulator.CallPutPart, nil)
	reader, writer := io.Pipe()
	r := w.request(http.MethodPut, m.partURL(1), reader)
	r.ContentLength = 10
	answered := make(chan reply)
	go func() {
		got, err := w.do(r)
		if err != nil {
			t.Error(err)
		}
		answered <- got
	}()
	must.Succeed(t, hold.Arrived(t.Context(), 1))
	hold.Release()
	if _, err := writer.Write([]byte("12345")); err != nil {
		t.Fatal(err)
	}
	w.DropUpload(m.id)
	if _, err := writer.Write([]byte("67890")); err != nil {
		t.Fatal(err)
	}
	if got := code(t, <-answered); got != "404 NoSuchUpload" {
		t.Error(got)
	}
	wantNoFiles(t, dir)
}

func TestBodyThatEndsEarlyIsNoPart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, simulator.Options{Dir: dir})
	m := w.begin("a.mov")
	address, _ := w.presign("b.mov", "video/mp4")
	for _, target := range []string{m.partURL(1), m.partURL(2), address} {
		r := w.put(target, "video/mp4", nil)
		r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("12345"), brokenReader{})), 10
		if _, err := w.do(r); err == nil {
			t.Error("answered")
		}
	}
	must.Succeed(t, w.Answered(t.Context(), simulator.CallPutObject, 1))
	must.Succeed(t, w.Answered(t.Context(), simulator.CallPutPart, 2))
	if got := w.Uploads()[0].Parts; len(got) != 0 || len(w.Objects()) != 0 {
		t.Errorf("%+v", got)
	}
	// Each has a connection of its own, so they may arrive in any order.
	for _, r := range w.Journal() {
		if put := r.Call == simulator.CallPutObject || r.Call == simulator.CallPutPart; put && (r.Status != 0 || r.BodyBytes > 5) {
			t.Errorf("%+v", r)
		}
	}
	wantNoFiles(t, dir)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestEncryptionWithKMS(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{Encryption: "aws:kms"})
	content := random(1, 100)
	m := w.begin("a.mov")
	m.part(1, content)
	if m.etags[1] == fmt.Sprintf(`"%x"`, md5.Sum(content)) || len(m.etags[1]) != 34 {
		t.Error(m.etags[1])
	}
	got := w.data(m.complete(1))
	if got["ServerSideEncryption"] != "aws:kms" || !strings.HasSuffix(got["ETag"].(string), `-1"`) {
		t.Errorf("%v", got)
	}
}

func TestDiscardContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, simulator.Options{DiscardContent: true, Dir: dir})
	m := w.begin("a.mov")
	m.part(2, random(2, 10))
	m.part(1, random(1, 5*mib))
	wantNoFiles(t, dir)
	wantStatus(t, m.complete(1, 2), 200, "")
	if got := w.Objects()[0]; got.SHA256 != "" || got.Size != 5*mib+10 {
		t.Errorf("%+v", got)
	}
}
