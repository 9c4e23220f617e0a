package simulator_test

import (
	"crypto/md5"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestMultipartUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	m := w.begin("film.mov")
	parts := [][]byte{random(1, 5*mib), random(2, 6*mib), random(3, 100)}
	for i, content := range parts {
		m.part(i+1, content)
	}
	uploads := w.Uploads()
	if len(uploads) != 1 || len(uploads[0].Parts) != 3 || uploads[0].UploadID != m.id || uploads[0].KeyPath != m.key {
		t.Fatalf("%+v", uploads)
	}
	if diff := cmp.Diff(simulator.Part{Number: 2, Size: 6 * mib, ETag: m.etags[2], SHA256: shaOf(parts[1])}, uploads[0].Parts[1]); diff != "" {
		t.Error(diff)
	}
	got := w.data(m.complete(1, 2, 3))
	wantKeys(t, "complete", got, []string{
		"Bucket", "BucketKeyEnabled", "ChecksumCRC32", "ChecksumCRC32C", "ChecksumSHA1", "ChecksumSHA256", "ETag", "Expiration", "Key",
		"Location", "RequestCharged", "SSEKMSKeyId", "ServerSideEncryption", "VersionId",
	})
	sums := md5.New()
	for _, content := range parts {
		sum := md5.Sum(content)
		sums.Write(sum[:])
	}
	want := simulator.Object{
		KeyPath: m.key, FileName: "film.mov", Size: 11*mib + 100, SHA256: shaOf(parts...), ETag: fmt.Sprintf(`"%x-3"`, sums.Sum(nil)), Parts: 3,
	}
	if diff := cmp.Diff([]simulator.Object{want}, w.Objects()); diff != "" {
		t.Error(diff)
	}
	if got["ETag"] != want.ETag || got["Key"] != m.key || got["Bucket"] != simulator.DefaultBucket || got["Location"] != w.url+"/storage/"+simulator.DefaultBucket+"/"+url.QueryEscape(m.key) {
		t.Errorf("%v", got)
	}
	if left := w.Uploads(); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	// The same complete again is answered as the first; any other is not.
	if diff := cmp.Diff(got, w.data(m.complete(1, 2, 3))); diff != "" {
		t.Error(diff)
	}
	wantStatus(t, m.complete(1, 2), 404, "NoSuchUpload")
	if got := code(t, w.mustDo(w.put(m.partURL(1), "", parts[2]))); got != "404 NoSuchUpload" {
		t.Error(got)
	}
}

func TestCompleteIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	m := w.begin("film.mov")
	m.part(1, random(1, 5*mib))
	m.part(2, random(2, 5*mib-1))
	m.part(3, random(3, 5*mib))
	m.part(4, random(4, 10))
	right := m.etags[4]
	m.etags[5] = right
	wantStatus(t, m.complete(1, 2, 3, 4), 400, "EntityTooSmall")
	wantStatus(t, m.complete(3, 1, 4), 400, "InvalidPartOrder")
	wantStatus(t, m.complete(1, 1), 400, "InvalidPartOrder")
	wantStatus(t, m.complete(1, 3, 5), 400, "InvalidPart")
	wantStatus(t, m.complete(), 400, "MalformedXML")
	m.etags[4] = m.etags[1]
	wantStatus(t, m.complete(1, 3, 4), 400, "InvalidPart")
	m.etags[4] = strings.Trim(right, `"`)
	other := *w.begin("other.mov")
	other.etags = m.etags
	other.key = m.key
	wantStatus(t, other.complete(1, 3, 4), 404, "NoSuchUpload")
	if got := w.Objects(); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	// Parts may be left out, and ETags go without quotes, as on S3.
	wantStatus(t, m.complete(1, 3, 4), 200, "")
	if got := w.Objects()[0]; got.SHA256 != shaOf(random(1, 5*mib), random(3, 5*mib), random(4, 10)) || got.Parts != 3 {
		t.Errorf("%+v", got)
	}
}

func TestPartsInAnyOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, simulator.Options{Dir: dir})
	m := w.begin("a.mov")
	parts := [][]byte{random(0, 5*mib), random(1, 5*mib+1), random(2, 5*mib+2), random(3, 7)}
	var senders sync.WaitGroup
	for i := range slices.Backward(parts) {
		senders.Go(func() { m.part(i+1, parts[i]) })
	}
	senders.Wait()
	wantStatus(t, m.complete(1, 2, 3, 4), 200, "")
	if got := w.Objects()[0].SHA256; got != shaOf(parts...) {
		t.Errorf("SHA-256 %s, want %s", got, shaOf(parts...))
	}
	wantNoFiles(t, dir)
}

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
	if err := hold.Arrived(t.Context(), cap(answers)); err != nil {
		t.Fatal(err)
	}
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
	if err := hold.Arrived(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
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
	if err := hold.Arrived(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
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
	if err := w.Answered(t.Context(), simulator.CallPutObject, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Answered(t.Context(), simulator.CallPutPart, 2); err != nil {
		t.Fatal(err)
	}
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
