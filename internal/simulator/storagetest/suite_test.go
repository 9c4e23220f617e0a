package storagetest_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestPresignedPut(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		content := []byte("hello")
		header := func(name, value string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set(name, value) }
		}
		const bothAuthentications = "400 InvalidArgument"
		for name, c := range map[string]struct {
			edit            func(*http.Request)
			want, versitygw string
		}{
			"Content-Type as signed": {nil, "200", ""},
			"other Content-Type":     {header("Content-Type", "video/quicktime"), "403 SignatureDoesNotMatch", ""},
			"no Content-Type":        {func(r *http.Request) { r.Header.Del("Content-Type") }, "403 SignatureDoesNotMatch", ""},
			"extra headers": {func(r *http.Request) {
				r.Header.Set("X-Other", "1")
				r.Header.Set("Cookie", "a=b")
				r.Header.Set("User-Agent", "somebody")
			}, "200", ""},
			"x-amz header that was not signed": {header("X-Amz-Acl", "private"), "403 AccessDenied", ""},
			"metadata that was not signed":     {header("X-Amz-Meta-A", "b"), "403 AccessDenied", ""},
			// AWS: "Only one auth mechanism allowed". versitygw looks at the query alone.
			"token besides":             {header("Authorization", simulator.DefaultIDToken), bothAuthentications, "200"},
			"bearer token besides":      {header("Authorization", "Bearer x"), bothAuthentications, "200"},
			"basic credentials besides": {func(r *http.Request) { r.SetBasicAuth("a", "b") }, bothAuthentications, "200"},
			"no Content-Length":         {func(r *http.Request) { r.ContentLength = -1 }, "411 MissingContentLength", ""},
			"Content-MD5":               {header("Content-MD5", "XUFAKrxLKna5cZ2REBfFkg=="), "200", ""},
			"wrong Content-MD5":         {header("Content-MD5", base64.StdEncoding.EncodeToString(make([]byte, 16))), "400 BadDigest", ""},
			"no MD5":                    {header("Content-MD5", "x"), "400 InvalidDigest", ""},
		} {
			address, _ := w.presign("a b+ü%.mp4")
			got, etag := w.put(address, bytes.NewReader(content), 5, c.edit)
			w.want(name, got, c.want, c.versitygw)
			if got == "200" && etag != etagOf(content) {
				w.t.Errorf("%s: ETag %s", name, etag)
			}
		}
	})
}

func TestPresignedAddress(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		for name, c := range map[string]struct {
			edit            func(query url.Values)
			want, versitygw string
		}{
			"changed signature":      {func(q url.Values) { q.Set("X-Amz-Signature", strings.Repeat("0", 64)) }, "403 SignatureDoesNotMatch", ""},
			"longer lifetime":        {func(q url.Values) { q.Set("X-Amz-Expires", "901") }, "403 SignatureDoesNotMatch", ""},
			"parameter added":        {func(q url.Values) { q.Set("x", "y") }, "403 SignatureDoesNotMatch", ""},
			"lifetime missing":       {func(q url.Values) { q.Del("X-Amz-Expires") }, "400 AuthorizationQueryParametersError", ""},
			"lifetime over a week":   {func(q url.Values) { q.Set("X-Amz-Expires", "604801") }, "400 AuthorizationQueryParametersError", ""},
			"signature missing":      {func(q url.Values) { q.Del("X-Amz-Signature") }, "400 AuthorizationQueryParametersError", ""},
			"nothing but the path":   {func(q url.Values) { clear(q) }, "403 AccessDenied", ""},
			"changed, with the rest": {nil, "200", ""},
			// versitygw answers with an error of its own administration.
			"unknown access key": {
				func(q url.Values) { q.Set("X-Amz-Credential", "X"+q.Get("X-Amz-Credential")) }, "403 InvalidAccessKeyId", "404 XAdminUserNotFound",
			},
		} {
			address, _ := w.presign("a.mp4")
			u, err := url.Parse(address)
			must.Succeed(w.t, err)
			if query := u.Query(); c.edit != nil {
				c.edit(query)
				u.RawQuery = query.Encode()
			}
			got, _ := w.putBytes(u.String(), []byte("hello"))
			w.want(name, got, c.want, c.versitygw)
		}
		address, _ := w.presign("a.mp4")
		got, _ := w.putBytes(strings.Replace(address, "a.mp4", "b.mp4", 1), []byte("hello"))
		w.want("other key", got, "403 SignatureDoesNotMatch", "")
		for range 2 {
			got, _ = w.putBytes(address, []byte("hello"))
			w.want("the same address twice", got, "200", "")
		}
		if got := len(w.Objects()); got != 2 {
			w.t.Errorf("%d objects", got)
		}
	})
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		for ago, want := range map[time.Duration]string{5 * time.Minute: "200", 16 * time.Minute: "403 AccessDenied"} {
			w.offset.Store(-int64(ago))
			address, _ := w.presign("a.mp4")
			key, id := w.begin()
			part := w.partURL(key, id, 1)
			w.offset.Store(0)
			for _, address := range []string{address, part} {
				got, _ := w.putBytes(address, []byte("hello"))
				w.want(ago.String(), got, want, "")
			}
		}
	})
}

// A client that sends on while it is refused has the answer or a broken
// connection: a server that stops reading cannot promise more. One that waits for
// leave has the answer, and sends nothing; but versitygw gives leave before it
// looks at the signature. No object is made either way.
func TestEarlyRefusal(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		address, _ := w.presign("a.mp4")
		for _, expect := range []string{"", "100-continue"} {
			body := &counted{Reader: bytes.NewReader(make([]byte, 64*mib))}
			r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPut, address, body)
			must.Succeed(w.t, err)
			r.ContentLength = 64 * mib
			r.Header.Set("Content-Type", "text/plain")
			if expect != "" {
				r.Header.Set("Expect", expect)
			}
			promised := expect != "" && !w.real
			response, err := w.client.Do(r)
			switch {
			case err == nil:
				w.want("refusal", fmt.Sprint(response.StatusCode), "403", "")
				_ = response.Body.Close()
			case promised:
				w.t.Error(err)
			}
			if n := body.n.Load(); promised && n != 0 {
				w.t.Errorf("%d bytes were asked for before the refusal", n)
			}
		}
		if got := w.Objects(); len(got) != 0 {
			w.t.Errorf("%+v", got)
		}
	})
}

type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func TestParts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		key, id := w.begin()
		small := []byte("small")
		got, etag := w.putBytes(w.partURL(key, id, 2), small)
		w.want("a part below 5 MiB", got, "200", "")
		if etag != etagOf(small) {
			w.t.Errorf("ETag %s", etag)
		}
		got, _ = w.put(w.partURL(key, id, 2), bytes.NewReader(small), 5, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
		w.want("Content-Type of a part", got, "200", "")
		got, _ = w.put(w.partURL(key, id, 2), bytes.NewReader(small), -1, nil)
		w.want("no Content-Length", got, "411 MissingContentLength", "")
		got, _ = w.putBytes(strings.Replace(w.partURL(key, id, 1), "partNumber=1", "partNumber=2", 1), small)
		w.want("another part than was signed", got, "403 SignatureDoesNotMatch", "")
		got, _ = w.putBytes(w.partURL(key, "0123456789abcdef", 1), small)
		w.want("unknown upload", got, "404 NoSuchUpload", "")
		got, _ = w.putBytes(w.partURL(key+"x", id, 1), small)
		w.want("upload of another key", got, "404 NoSuchUpload", "")
		got, _ = w.putBytes(w.partURL(key, id, 10_000), small)
		w.want("the last part number", got, "200", "")
		_, _ = w.putBytes(w.partURL(key, id, 2), []byte("other"))
		got, _ = w.complete(key, id, simulator.CompletedPart{Number: 2, ETag: etagOf(small)})
		w.want("the first PUT of a part", got, "400 InvalidPart", "")
		got, _ = w.complete(key, id, simulator.CompletedPart{Number: 2, ETag: etagOf([]byte("other"))})
		w.want("the last PUT of a part", got, "200", "")
	})
}

func TestComplete(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		key, id := w.begin()
		contents := [][]byte{random(1, 5*mib), random(2, 5*mib-1), random(3, 5*mib), random(4, 10)}
		part := make([]simulator.CompletedPart, 5)
		for _, number := range []int{4, 2, 3, 1} {
			_, etag := w.putBytes(w.partURL(key, id, number), contents[number-1])
			part[number] = simulator.CompletedPart{Number: number, ETag: etag}
		}
		type parts []simulator.CompletedPart
		for name, c := range map[string]struct {
			key, id string
			parts   parts
			want    string
		}{
			"a part too small":       {key, id, parts{part[1], part[2], part[3]}, "400 EntityTooSmall"},
			"out of order":           {key, id, parts{part[3], part[1]}, "400 InvalidPartOrder"},
			"twice the same":         {key, id, parts{part[1], part[1]}, "400 InvalidPartOrder"},
			"a part that is not":     {key, id, parts{part[1], {Number: 7, ETag: part[1].ETag}}, "400 InvalidPart"},
			"wrong ETag":             {key, id, parts{part[1], {Number: 3, ETag: part[1].ETag}}, "400 InvalidPart"},
			"part zero":              {key, id, parts{{Number: 0, ETag: part[1].ETag}}, "400 InvalidArgument"},
			"no parts":               {key, id, nil, "400 MalformedXML"},
			"unknown upload":         {key, "0123456789abcdef", parts{part[1]}, "404 NoSuchUpload"},
			"upload of another key":  {key + "x", id, parts{part[1]}, "404 NoSuchUpload"},
			"upload of another name": {strings.Replace(key, "film", "clip", 1), id, parts{part[1]}, "404 NoSuchUpload"},
		} {
			got, _ := w.complete(c.key, c.id, c.parts...)
			w.want(name, got, c.want, "")
		}
		if got := w.Objects(); len(got) != 0 {
			w.t.Fatalf("%+v", got)
		}
		w.completeRightly(key, id, part[1], part[3], part[4], bytes.Join([][]byte{contents[0], contents[2], contents[3]}, nil))
	})
}

// completeRightly leaves part 2 out and gives one ETag without its quotes: both are allowed.
func (w *world) completeRightly(key, id string, first, second, last simulator.CompletedPart, content []byte) {
	w.t.Helper()
	second.ETag = strings.Trim(second.ETag, `"`)
	got, data := w.complete(key, id, first, second, last)
	w.want("complete", got, "200", "")
	sums := md5.New()
	for _, chunk := range [][]byte{content[:5*mib], content[5*mib : 10*mib], content[10*mib:]} {
		sum := md5.Sum(chunk)
		sums.Write(sum[:])
	}
	want := simulator.Object{
		KeyPath: key, FileName: "film.mov", Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256(content)),
		ETag: fmt.Sprintf(`"%x-3"`, sums.Sum(nil)), Parts: 3,
	}
	if w.real {
		want.ContentType = "binary/octet-stream"
	}
	if diff := cmp.Diff([]simulator.Object{want}, w.Objects()); diff != "" {
		w.t.Error(diff)
	}
	location, _ := data["Location"].(string)
	if data["ETag"] != want.ETag || !strings.HasSuffix(location, "/vodlive-input/"+url.QueryEscape(key)) {
		w.t.Errorf("%v", data)
	}
	for _, again := range []simulator.CompletedPart{second, {Number: 3, ETag: `"` + second.ETag + `"`}} {
		got, data = w.complete(key, id, first, again, last)
		w.want("complete repeated", got, "200", "")
		if data["ETag"] != want.ETag {
			w.t.Errorf("complete repeated: %v", data)
		}
	}
	// versitygw takes any part list for an upload that is complete; what AWS documents is
	// NoSuchUpload.
	got, _ = w.complete(key, id, first)
	w.want("complete repeated with other parts", got, "404 NoSuchUpload", "200")
	got, _ = w.putBytes(w.partURL(key, id, 1), content[:5])
	w.want("a part after complete", got, "404 NoSuchUpload", "")
}

func TestAbortedUpload(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		key, id := w.begin()
		_, etag := w.putBytes(w.partURL(key, id, 1), []byte("hello"))
		address := w.partURL(key, id, 2)
		w.DropUpload(id)
		got, _ := w.putBytes(address, []byte("hello"))
		w.want("a part of an aborted upload", got, "404 NoSuchUpload", "")
		got, _ = w.complete(key, id, simulator.CompletedPart{Number: 1, ETag: etag})
		w.want("complete of an aborted upload", got, "404 NoSuchUpload", "")
	})
}

func TestBatchOfBoth(t *testing.T) {
	t.Parallel()
	onBoth(t, func(_ *testing.T, w *world) {
		address, key := w.presign("a.mp4")
		submit := func() int {
			r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/v1/local/batch",
				strings.NewReader(`{"paths":["`+key+`"],"service_modes":["video_optimizer"]}`))
			if err != nil {
				w.t.Fatal(err)
			}
			r.Header.Set("Authorization", simulator.DefaultIDToken)
			r.Header.Set("Content-Type", "application/json")
			response, err := w.client.Do(r)
			must.Succeed(w.t, err)
			if err := response.Body.Close(); err != nil {
				w.t.Error(err)
			}
			return response.StatusCode
		}
		if got := submit(); got != 400 {
			w.t.Errorf("status %d before the file is there", got)
		}
		_, _ = w.putBytes(address, []byte("hello"))
		if got := submit(); got != 200 {
			w.t.Errorf("status %d", got)
		}
	})
}
