package storagetest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
)

func TestExplore(t *testing.T) {
	for _, name := range []string{"own", "vgw"} {
		var offset atomic.Int64
		o := simulator.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }}
		if name == "vgw" {
			s3, err := simulator.NewS3(t.Context(), storagetest.Versitygw(t))
			if err != nil {
				t.Fatal(err)
			}
			o.Storage = s3
		}
		svc := simulator.New(o)
		srv := httptest.NewServer(svc)
		vod := func(path string, body any) (int, map[string]any) {
			raw, _ := json.Marshal(body)
			r, _ := http.NewRequest("POST", srv.URL+path, bytes.NewReader(raw))
			r.Header.Set("Authorization", simulator.DefaultIDToken)
			r.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var v map[string]any
			b, _ := io.ReadAll(resp.Body)
			json.Unmarshal(b, &v)
			return resp.StatusCode, v
		}
		presign := func() string {
			_, v := vod("/vod/v1/customer/presign-url", map[string]any{"file_name": "a b+ü.mp4", "content_type": "video/mp4"})
			return v["data"].(map[string]any)["presigned_url"].(string)
		}
		show := func(what, url string, edit func(*http.Request)) string {
			r, err := http.NewRequest("PUT", url, strings.NewReader("hello"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "video/mp4")
			if edit != nil {
				edit(r)
			}
			c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: 5*time.Second}}
			resp, err := c.Do(r)
			if err != nil {
				fmt.Println(name, what, "ERR", err)
				return ""
			}
			b, _ := io.ReadAll(resp.Body)
			fmt.Println(name, what, resp.StatusCode, resp.Header.Get("ETag"), strings.ReplaceAll(string(b), "\n", ""))
			return resp.Header.Get("ETag")
		}
		show("right", presign(), nil)
		show("other type", presign(), func(r *http.Request) { r.Header.Set("Content-Type", "x/y") })
		show("no type", presign(), func(r *http.Request) { r.Header.Del("Content-Type") })
		show("extra", presign(), func(r *http.Request) { r.Header.Set("X-Foo", "x/y"); r.Header.Set("Cookie", "a=b") })
		show("x-amz", presign(), func(r *http.Request) { r.Header.Set("X-Amz-Acl", "public-read") })
		show("x-amz-meta", presign(), func(r *http.Request) { r.Header.Set("X-Amz-Meta-A", "b") })
		show("bearer", presign(), func(r *http.Request) { r.Header.Set("Authorization", "Bearer abc") })
		show("opaque", presign(), func(r *http.Request) { r.Header.Set("Authorization", "abc") })
		show("basic", presign(), func(r *http.Request) { r.SetBasicAuth("a", "b") })
		show("aws auth", presign(), func(r *http.Request) {
			r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=storagetest-access/20300101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=abc")
		})
		show("wrong sig", strings.Replace(presign(), "X-Amz-Signature=", "X-Amz-Signature=00", 1), nil)
		u := presign()
		show("wrong sig same length", u[:len(u)-2]+"zz", nil)
		show("wrong key", strings.Replace(presign(), "Credential=", "Credential=X", 1), nil)
		show("no query", strings.Split(presign(), "?")[0], nil)
		show("longer life", strings.Replace(presign(), "X-Amz-Expires=900", "X-Amz-Expires=901", 1), nil)
		show("no expires", strings.Replace(presign(), "X-Amz-Expires=900&", "", 1), nil)
		show("chunked", presign(), func(r *http.Request) { r.ContentLength = -1; r.Body = io.NopCloser(strings.NewReader("x")) })
		show("empty", presign(), func(r *http.Request) { r.ContentLength = 0; r.Body = http.NoBody })
		show("bad md5", presign(), func(r *http.Request) { r.Header.Set("Content-MD5", base64.StdEncoding.EncodeToString(make([]byte, 16))) })
		show("invalid md5", presign(), func(r *http.Request) { r.Header.Set("Content-MD5", "x") })
		offset.Store(int64(-time.Hour))
		u = presign()
		offset.Store(0)
		show("expired", u, nil)
		show("expired wrong sig", u+"0", nil)
		offset.Store(int64(time.Hour))
		u = presign()
		offset.Store(0)
		show("from the future", u, nil)
		show("expect", presign(), func(r *http.Request) { r.Header.Set("Expect", "100-continue"); r.Header.Set("Content-Type", "x/y") })

		_, v := vod("/vod/v1/customer/multipart/create", map[string]any{"filename": "m.mov"})
		d := v["data"].(map[string]any)
		key, id := d["key_path"].(string), d["upload_id"].(string)
		part := func(id string, n int) string {
			_, v := vod("/vod/v1/customer/multipart/generate-url", map[string]any{"key_path": key, "upload_id": id, "part_number": n})
			return v["data"].(map[string]any)["url"].(string)
		}
		big := bytes.Repeat([]byte("x"), 5<<20)
		body := func(b []byte) func(*http.Request) {
			return func(r *http.Request) { r.Body = io.NopCloser(bytes.NewReader(b)); r.ContentLength = int64(len(b)) }
		}
		show("part empty", part(id, 9), body(nil))
		e3 := show("part 3", part(id, 3), body([]byte("end")))
		e1 := show("part 1", part(id, 1), body(big))
		e2 := show("part 2 small", part(id, 2), body([]byte("small")))
		show("part chunked", part(id, 5), func(r *http.Request) { r.ContentLength = -1; r.Body = io.NopCloser(strings.NewReader("x")) })
		show("unknown upload", part("nonono", 1), body(big[:10]))
		u = part(id, 1)
		show("part 2 with url of 1", strings.Replace(u, "partNumber=1", "partNumber=2", 1), body(big[:10]))
		complete := func(what, key, id string, parts ...any) {
			list := []any{}
			for i := 0; i < len(parts); i += 2 {
				list = append(list, map[string]any{"part_number": parts[i], "etag": parts[i+1]})
			}
			st, v := vod("/vod/v1/customer/multipart/complete", map[string]any{"key_path": key, "upload_id": id, "parts": list})
			b, _ := json.Marshal(v)
			fmt.Println(name, "complete", what, st, string(b))
		}
		complete("none", key, id)
		complete("small", key, id, 1, e1, 2, e2, 3, e3)
		complete("order", key, id, 3, e3, 1, e1)
		complete("twice", key, id, 1, e1, 1, e1)
		complete("missing", key, id, 1, e1, 7, e3)
		complete("wrong etag", key, id, 1, e1, 3, e1)
		complete("unknown", key, "nonono", 1, e1)
		complete("other key", key+"x", id, 1, e1)
		fmt.Println(name, len(svc.Uploads()), svc.Uploads())
		complete("zero", key, id, 0, e1)
		complete("unquoted", key, id, 1, strings.Trim(e1, `"`), 3, e3)
		complete("again", key, id, 1, strings.Trim(e1, `"`), 3, e3)
		complete("again quoted", key, id, 1, e1, 3, e3)
		complete("again other", key, id, 1, e1)
		show("part after", part(id, 1), body(big[:10]))
		for _, o := range svc.Objects() {
			fmt.Printf("%s %+v\n", name, o)
		}
		// early
		show("big refusal", presign(), func(r *http.Request) {
			r.Header.Set("Content-Type", "x/y")
			b := make([]byte, 64<<20)
			r.Body = io.NopCloser(bytes.NewReader(b)); r.ContentLength = int64(len(b))
		})
		show("big expect", presign(), func(r *http.Request) {
			r.Header.Set("Content-Type", "x/y")
			r.Header.Set("Expect", "100-continue")
			b := make([]byte, 64<<20)
			r.Body = io.NopCloser(bytes.NewReader(b)); r.ContentLength = int64(len(b))
		})
		svc.Close()
		srv.Close()
	}
}
