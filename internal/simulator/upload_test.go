package simulator_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const mib = 1 << 20

// put makes a PUT to a presigned address, with a Content-Type unless it is "".
func (w *world) put(address, contentType string, content []byte) *http.Request {
	r := w.request(http.MethodPut, address, bytes.NewReader(content))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

// code is the S3 error code of an answer.
func code(t testing.TB, got reply) string {
	t.Helper()
	var refused struct{ Code, RequestId string } //nolint:revive // S3's name
	if err := xml.Unmarshal(got.body, &refused); err != nil || refused.RequestId == "" {
		t.Errorf("not an S3 error: %v: %s", err, got.body)
	}
	return fmt.Sprint(got.status, " ", refused.Code)
}

func TestSingleUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	for _, name := range []string{"keynote.mp4", "Ünïcode & spaces+plus (1)%.mov"} {
		content := random(1, 3*mib+17)
		address, key := w.presign(name, "video/mp4")
		if segments := strings.Split(key, "/"); len(segments) != 5 || key[:10] != "vod/input/" || segments[4] != name {
			t.Errorf("key path %s", key)
		}
		got := w.mustDo(w.put(address, "video/mp4", content))
		wantStatus(t, got, 200, "")
		want := simulator.Object{
			KeyPath: key, FileName: name, Size: int64(len(content)), SHA256: shaOf(content),
			ETag: fmt.Sprintf(`"%x"`, md5.Sum(content)), ContentType: "video/mp4",
		}
		objects := w.Objects()
		if diff := cmp.Diff(want, objects[len(objects)-1]); diff != "" {
			t.Error(diff)
		}
		if got.header.Get("Etag") != want.ETag || got.header.Get("X-Amz-Server-Side-Encryption") != "AES256" {
			t.Errorf("%v", got.header)
		}
		// The same address again replaces the object.
		wantStatus(t, w.mustDo(w.put(address, "video/mp4", content[:5])), 200, "")
		if again := w.Objects(); len(again) != len(objects) || again[len(again)-1].Size != 5 {
			t.Errorf("%+v", again)
		}
	}
}

func TestPresignedAddress(t *testing.T) {
	t.Parallel()
	now := newClock()
	w := newWorld(t, simulator.Options{Clock: now.Now, PresignLifetime: time.Minute})
	address, _ := w.presign("a b.mp4", "video/mp4")
	base, query := queryOf(t, address)
	for _, name := range []string{"X-Amz-Signature", "X-Amz-Expires", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Credential", "X-Amz-Algorithm"} {
		if query.Get(name) == "" {
			t.Errorf("no %s", name)
		}
	}
	m := w.begin("a.mp4")
	part := m.partURL(1)
	send := func(address string, edit func(*http.Request)) reply {
		r := w.put(address, "video/mp4", []byte("x"))
		if edit != nil {
			edit(r)
		}
		return w.mustDo(r)
	}
	edited := func(name, value string) string {
		_, query := queryOf(t, address)
		query.Set(name, value)
		return base + "?" + query.Encode()
	}
	for name, c := range map[string]struct {
		address string
		edit    func(*http.Request)
		want    string
	}{
		"other Content-Type": {address, func(r *http.Request) { r.Header.Set("Content-Type", "video/quicktime") }, "403 SignatureDoesNotMatch"},
		"no Content-Type":    {address, func(r *http.Request) { r.Header.Del("Content-Type") }, "403 SignatureDoesNotMatch"},
		"changed signature":  {edited("X-Amz-Signature", strings.Repeat("0", 64)), nil, "403 SignatureDoesNotMatch"},
		"longer lifetime":    {edited("X-Amz-Expires", "3600"), nil, "403 SignatureDoesNotMatch"},
		"other key":          {strings.Replace(address, "a%20b", "c", 1), nil, "403 SignatureDoesNotMatch"},
		"made a part":        {edited("uploadId", m.id), nil, "403 SignatureDoesNotMatch"},
		"other part":         {strings.Replace(part, "partNumber=1", "partNumber=2", 1), nil, "403 SignatureDoesNotMatch"},
		"no signature":       {base, nil, "403 AccessDenied"},
		"half a signature":   {strings.Replace(address, "X-Amz-Expires=60&", "", 1), nil, "400 AuthorizationQueryParametersError"},
		"beyond seven days":  {edited("X-Amz-Expires", "604801"), nil, "400 AuthorizationQueryParametersError"},
		"other access key":   {strings.Replace(address, "Credential=S", "Credential=X", 1), nil, "403 InvalidAccessKeyId"},
		"bad date":           {edited("X-Amz-Date", "yesterday"), nil, "400 AuthorizationQueryParametersError"},
		"unsigned x-amz":     {address, func(r *http.Request) { r.Header.Set("X-Amz-Acl", "public-read") }, "403 AccessDenied"},
		"basic credential":   {address, func(r *http.Request) { r.SetBasicAuth("a", "b") }, "400 InvalidArgument"},
		"token":              {part, func(r *http.Request) { r.Header.Set("Authorization", simulator.DefaultIDToken) }, "400 InvalidArgument"},
		"no length":          {address, func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("x")), -1 }, "411 MissingContentLength"},
		"bad digest": {address, func(r *http.Request) {
			r.Header.Set("Content-Md5", base64.StdEncoding.EncodeToString(make([]byte, 16)))
		}, "400 BadDigest"},
		"no digest": {address, func(r *http.Request) { r.Header.Set("Content-Md5", "x") }, "400 InvalidDigest"},
	} {
		if got := code(t, send(c.address, c.edit)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	now.Add(time.Minute)
	wantStatus(t, send(address, func(r *http.Request) { r.Header.Set("X-Other", "is not signed") }), 200, "")
	wantStatus(t, send(part, nil), 200, "")
	now.Add(time.Second)
	for _, address := range []string{address, part} {
		got := send(address, nil)
		wantStatus(t, got, 403, "Request has expired")
		wantStatus(t, got, 403, "<ServerTime>2030-03-01T12:01:01Z</ServerTime>")
		if got := code(t, got); got != "403 AccessDenied" {
			t.Error(got)
		}
	}
	if got := len(w.Objects()); got != 1 {
		t.Errorf("%d objects", got)
	}
}

func TestPresignOptions(t *testing.T) {
	t.Parallel()
	unsigned := newWorld(t, simulator.Options{UnsignedContentType: true, ETagQuoting: "bare"})
	address, _ := unsigned.presign("a.mp4", "video/mp4")
	got := unsigned.mustDo(unsigned.put(address, "text/plain", []byte("x")))
	wantStatus(t, got, 200, "")
	if etag := got.header.Get("Etag"); etag != fmt.Sprintf("%x", md5.Sum([]byte("x"))) {
		t.Error(etag)
	}

	elsewhere := newWorld(t, simulator.Options{Bucket: "other"})
	elsewhere.SetStorageURL("https://storage.example:8443/storage/")
	address, _ = elsewhere.presign("a.mp4", "video/mp4")
	if !strings.HasPrefix(address, "https://storage.example:8443/storage/other/vod/input/") {
		t.Error(address)
	}
	r := elsewhere.put(elsewhere.url+strings.TrimPrefix(address, "https://storage.example:8443"), "video/mp4", []byte("x"))
	if got := code(t, elsewhere.mustDo(r)); got != "403 SignatureDoesNotMatch" {
		t.Errorf("another host than was signed: %s", got)
	}
	r.Host = "storage.example:8443"
	r.Body = io.NopCloser(strings.NewReader("x"))
	wantStatus(t, elsewhere.mustDo(r), 200, "")
}

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
	if stats := w.Stats(); stats.OnDisk != 0 || stats.InMemory != 0 || stats.Received != want.Size {
		t.Errorf("%+v", stats)
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
	for _, keep := range []int64{0, 1} {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := newWorld(t, simulator.Options{KeepContent: keep, Dir: dir})
			var parts [][]byte
			numbers := make([]int, 12)
			for i := range numbers {
				numbers[i] = i + 1
				parts = append(parts, random(uint64(i), 5*mib+i))
			}
			m := w.begin("a.mov")
			order := slices.Clone(numbers)
			rand.New(rand.NewPCG(7, uint64(keep))).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			work := make(chan int)
			var senders sync.WaitGroup
			for range 4 {
				senders.Go(func() {
					for number := range work {
						m.part(number, parts[number-1])
					}
				})
			}
			for _, number := range order {
				work <- number
			}
			close(work)
			senders.Wait()
			if stats := w.Stats(); keep == 1 && stats.OnDisk != 0 {
				t.Errorf("%d bytes on disk once every part has been there", stats.OnDisk)
			}
			wantStatus(t, m.complete(numbers...), 200, "")
			if got := w.Objects()[0].SHA256; got != shaOf(parts...) {
				t.Errorf("SHA-256 %s, want %s", got, shaOf(parts...))
			}
			wantNoFiles(t, dir)
		})
	}
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

func TestReplacedParts(t *testing.T) {
	t.Parallel()
	old, changed, last := random(1, 5*mib), random(2, 5*mib), random(3, 10)
	for name, c := range map[string]struct {
		keep int64
		send func(*multipart)
		want string
	}{
		"other content":           {0, func(m *multipart) { m.part(1, old); m.part(2, last); m.part(1, changed) }, shaOf(changed, last)},
		"other content, not kept": {1, func(m *multipart) { m.part(1, old); m.part(2, last); m.part(1, changed) }, ""},
		"other content, not kept, all sent again": {
			1, func(m *multipart) { m.part(1, old); m.part(2, old); m.part(1, changed); m.part(2, last) }, shaOf(changed, last),
		},
		"same content, not kept": {1, func(m *multipart) { m.part(1, old); m.part(2, last); m.part(1, old); m.part(2, last) }, shaOf(old, last)},
		"before its turn":        {1, func(m *multipart) { m.part(2, old); m.part(2, last); m.part(1, old) }, shaOf(old, last)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{KeepContent: c.keep})
			m := w.begin("a.mov")
			c.send(m)
			wantStatus(t, m.complete(1, 2), 200, "")
			if got := w.Objects()[0].SHA256; got != c.want {
				t.Errorf("SHA-256 %q, want %q", got, c.want)
			}
			if stats := w.Stats(); stats.OnDisk != 0 {
				t.Errorf("%+v", stats)
			}
		})
	}
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
	if err := hold.Arrived(in(t), 1); err != nil {
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
	if err := w.Answered(in(t), simulator.CallPutObject, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Answered(in(t), simulator.CallPutPart, 2); err != nil {
		t.Fatal(err)
	}
	if got := w.Uploads()[0].Parts; len(got) != 0 || len(w.Objects()) != 0 {
		t.Errorf("%+v", got)
	}
	journal := w.Journal()
	if last := journal[len(journal)-1]; last.Call != simulator.CallPutObject || last.Status != 0 || last.BodyBytes > 5 {
		t.Errorf("%+v", last)
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
	if stats := w.Stats(); stats.OnDisk != 0 {
		t.Errorf("%+v", stats)
	}
	wantStatus(t, m.complete(1, 2), 200, "")
	if got := w.Objects()[0]; got.SHA256 != "" || got.Size != 5*mib+10 {
		t.Errorf("%+v", got)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	address, key := w.presign("a.mp4", "video/mp4")
	submit := func(paths, modes any) reply {
		return w.mustDo(w.vod("/v1/local/batch", map[string]any{"paths": paths, "service_modes": modes}))
	}
	modes := []string{"video_optimizer"}
	wantStatus(t, submit([]string{key}, modes), 400, "there is no file at")
	wantStatus(t, w.mustDo(w.put(address, "video/mp4", []byte("x"))), 200, "")
	m := w.begin("b.mov")
	m.part(1, []byte("x"))
	wantStatus(t, submit([]string{key, m.key}, modes), 400, "there is no file at")
	wantStatus(t, m.complete(1), 200, "")
	wantStatus(t, submit([]string{}, modes), 400, "paths must not be empty")
	wantStatus(t, submit([]string{key}, []string{}), 400, "service_modes must not be empty")
	wantStatus(t, submit([]string{key}, []string{" "}), 400, "service_modes[0]")
	wantStatus(t, submit([]any{nil}, modes), 400, "paths[0]")
	wantStatus(t, submit(key, modes), 400, "paths must be an array")
	if got := w.Batches(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	wantStatus(t, submit([]string{key, m.key}, modes), 200, `{"data":null,"message":"`)
	if diff := cmp.Diff([]simulator.Batch{{Paths: []string{key, m.key}, ServiceModes: modes}}, w.Batches()); diff != "" {
		t.Error(diff)
	}
}
