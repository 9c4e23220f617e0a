package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

func TestDecodeUploads(t *testing.T) {
	t.Parallel()
	const address = "https://st.example.com/b/vod/input/1/2/a%20b.mp4?X-Amz-Signature=a%2Fb&x=1"
	for name, wrapper := range wrappers {
		for _, keys := range []string{`"fileKeyPath":"vod/input/c/u/k","presigned_url":%q`, `"file_key_path":"vod/input/c/u/k","presignedUrl":%q`, `"FileKeyPath":"vod/input/c/u/k","PresignedURL":%q,"expires":{"in":1}`} {
			got, err := once(t, 200, fmt.Sprintf(wrapper, "{"+fmt.Sprintf(keys, address)+"}")).PresignUpload(t.Context(), "a b.mp4", "video/mp4")
			if err != nil || *got != (api.UploadTarget{KeyPath: "vod/input/c/u/k", URL: address}) {
				t.Errorf("%s, %s: got %+v, %v", name, keys, got, err)
			}
		}
		for _, keys := range []string{`"upload_id":"u","key_path":"vod/input/c/u/k"`, `"uploadId":"u","keyPath":"vod/input/c/u/k","parts":[]`, `"UploadId":"u","KeyPath":"vod/input/c/u/k"`} {
			got, err := once(t, 200, fmt.Sprintf(wrapper, "{"+keys+"}")).CreateMultipartUpload(t.Context(), "a b.mp4", 0)
			if err != nil || *got != (api.MultipartUpload{UploadID: "u", KeyPath: "vod/input/c/u/k"}) {
				t.Errorf("%s, %s: got %+v, %v", name, keys, got, err)
			}
		}
		got, err := once(t, 200, fmt.Sprintf(wrapper, fmt.Sprintf(`{"url":%q}`, address))).PresignPart(t.Context(), "k", "u", 1)
		if err != nil || got != address {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		done, err := once(t, 200, fmt.Sprintf(wrapper, `{"Bucket":"b","BucketKeyEnabled":null,"ETag":"\"e-2\"","Expiration":null,"Key":"k","Location":"https://l/k","ServerSideEncryption":"AES256","VersionId":null}`)).CompleteMultipartUpload(t.Context(), "k", "u", nil)
		if diff := cmp.Diff(&api.CompletedUpload{Bucket: "b", Key: "k", Location: "https://l/k", ETag: `"e-2"`, ServerSideEncryption: "AES256"}, done); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	if got, err := once(t, 200, fmt.Sprintf(`{"data":%q}`, address)).PresignPart(t.Context(), "k", "u", 1); err != nil || got != address {
		t.Errorf("got %s, %v", got, err)
	}
	for _, body := range []string{
		`{"data":{"url":{"url":%q,"method":"PUT"}}}`, `{"data":{"url":{"presigned_url":%q}},"headers":{"x":"y"}}`, `{"part":{"url":%q},"x":{"y":1}}`,
	} {
		if got, err := once(t, 200, fmt.Sprintf(body, address)).PresignPart(t.Context(), "k", "u", 1); err != nil || got != address {
			t.Errorf("%s: got %s, %v", body, got, err)
		}
	}
	done, err := once(t, 200, `{"data":{"key":"k","etag":"e","bucket":null,"versionId":7}}`).CompleteMultipartUpload(t.Context(), "k", "u", nil)
	if err != nil || *done != (api.CompletedUpload{Key: "k", ETag: "e", VersionID: "7"}) {
		t.Errorf("got %+v, %v", done, err)
	}
}

func TestUnreadableUploads(t *testing.T) {
	t.Parallel()
	presign := func(c *api.Client) error { _, err := c.PresignUpload(t.Context(), "a", ""); return err }
	part := func(c *api.Client) error { _, err := c.PresignPart(t.Context(), "k", "u", 3); return err }
	begin := func(c *api.Client) error { _, err := c.CreateMultipartUpload(t.Context(), "a", 0); return err }
	complete := func(c *api.Client) error { _, err := c.CompleteMultipartUpload(t.Context(), "k", "u", nil); return err }
	for _, test := range []struct {
		call       func(*api.Client) error
		body, want string
	}{
		{presign, `{"data":null,"message":"hidden"}`, `no fileKeyPath was found in an object with "data", "message"`},
		{presign, `{"data":{"presigned_url":"https://st.example.com/?hidden"}}`, `fileKeyPath is missing: the response holds "presigned_url"`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k"}}`, `presigned_url is missing: the response holds "fileKeyPath"`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":""}}`, `presigned_url is missing: the response holds "fileKeyPath", "presigned_url"`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":"/relative?hidden"}}`, `presigned_url is a string that is no URL with a host`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":"https://h/%zzhidden"}}`, `presigned_url is a string that is no URL with a host`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":"http://st.example.com/hidden"}}`, `presigned_url cannot be used: the address is plain http, which is allowed to loopback addresses only: write https://`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":"file:///hidden"}}`, `presigned_url is a string that is no URL with a host`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":"https://joe:hidden@st.example.com/"}}`, `presigned_url is a URL with user info`},
		{presign, `{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":{"href":"hidden"}}}`, `presigned_url is an object with "href" where a string was expected`},
		{presign, `{"data":{"fileKeyPath":"/vod/input/c/hidden/k","presigned_url":"https://h/"}}`, `fileKeyPath does not have the form of a key path, vod/input/<customer id>/<upload id>/<file name>`},
		{begin, `{"data":{"key_path":"hidden","upload_id":"u"}}`, `key_path does not have the form of a key path, vod/input/<customer id>/<upload id>/<file name>`},
		{part, `{"data":{"href":"hidden"}}`, `no url was found in an object with "data"; data is an object with "href"`},
		{part, `{"a":{"url":"https://h/hidden"},"b":{"url":"https://h/hidden"}}`, `no url was found in an object with "a", "b"`},
		{part, `{"data":"hidden"}`, `data is a string that is no URL with a host`},
		{begin, `{"data":{"upload_id":"u"}}`, `key_path is missing: the response holds "upload_id"`},
		{begin, `{"data":{"key_path":"vod/input/c/u/k"}}`, `upload_id is missing: the response holds "key_path"`},
		{complete, `{"data":null,"message":"hidden"}`, `no Key was found in an object with "data", "message"`},
		{complete, `{"data":{"Key":["hidden"]}}`, `Key is a list of 1, the first a string where a string was expected`},
	} {
		err := test.call(once(t, 200, test.body))
		if err == nil || !strings.HasSuffix(err.Error(), "the response cannot be read: "+test.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s:\n got %v\nwant %s", test.body, err, test.want)
		}
	}
}

func TestDecodeBatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{200, `{"data":null,"message":"submitted"}`, "submitted"},
		{202, `{"data":{"message":"submitted"}}`, "submitted"},
		{200, `{"Message":"submitted"}`, "submitted"},
		{200, `"submitted"`, "submitted"},
		{200, `{"message":"two\n lines"}`, "two lines"},
		{200, `{"data":null}`, ""},
		{200, `{}`, ""},
		{200, `null`, ""},
		{200, `{"message":{"a":1}}`, ""},
		{204, ``, ""},
	} {
		got, err := once(t, test.status, test.body).SubmitBatch(t.Context(), []string{"k"}, []string{"m"})
		if err != nil || got != test.want {
			t.Errorf("%d %s: got %q, %v", test.status, test.body, got, err)
		}
	}
}
