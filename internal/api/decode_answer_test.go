package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// once is a client that gets one answer and repeats nothing.
func once(t testing.TB, status int, body string) *api.Client {
	t.Helper()
	c := config(wiretest.Always(status, body))
	c.MaxRetries = 0
	return newClient(t, c)
}

func TestDecodeRegions(t *testing.T) {
	t.Parallel()
	lists := []string{`%s`, `{"data":%s,"message":"ok"}`, `{"regions":%s}`, `{"data":{"regions":%s}}`, `{"Data":{"Regions":%s}}`, `{"result":%s,"message":"ok"}`}
	for name, test := range map[string]struct {
		entries string
		want    []api.Region
	}{
		"strings":             {`["eu-1", "us\u002d1"]`, []api.Region{{Name: "eu-1", JSON: `"eu-1"`}, {Name: "us-1", JSON: `"us\u002d1"`}}},
		"name":                {`[{ "name": "eu-1", "id": "0b5e" }]`, []api.Region{{Name: "eu-1", JSON: `{"name":"eu-1","id":"0b5e"}`}}},
		"region":              {`[{"id":7,"region":"eu-1","name":"Europe"}]`, []api.Region{{Name: "eu-1", JSON: `{"id":7,"region":"eu-1","name":"Europe"}`}}},
		"a name for people":   {`[{"id":"eu-1","name":"Europe (Paris)"}]`, []api.Region{{Name: "eu-1", JSON: `{"id":"eu-1","name":"Europe (Paris)"}`}}},
		"only one for people": {`[{"name":"Europe (Paris)"}]`, []api.Region{{Name: "Europe (Paris)", JSON: `{"name":"Europe (Paris)"}`}}},
		"code":                {`[{"code":"eu-1","active":true}]`, []api.Region{{Name: "eu-1", JSON: `{"code":"eu-1","active":true}`}}},
		"value":               {`[{"label":"Europe","value":"eu-1"}]`, []api.Region{{Name: "eu-1", JSON: `{"label":"Europe","value":"eu-1"}`}}},
		"region_name":         {`[{"regionName":"eu-1","flag":"x"}]`, []api.Region{{Name: "eu-1", JSON: `{"regionName":"eu-1","flag":"x"}`}}},
		"odd key":             {`[{"rgn":"eu-1","rank":1}]`, []api.Region{{Name: "eu-1", JSON: `{"rgn":"eu-1","rank":1}`}}},
		"nested":              {`[{"region":{"name":"eu-1"}}]`, []api.Region{{Name: "eu-1", JSON: `{"region":{"name":"eu-1"}}`}}},
		"nested, and more":    {`[{"region":{"name":"eu-1","id":7},"availability":"available"}]`, []api.Region{{Name: "eu-1", JSON: `{"region":{"name":"eu-1","id":7},"availability":"available"}`}}},
		"nested, odd keys":    {`[{"rgn":{"nm":"eu-1"},"state":"ACTIVE"}]`, []api.Region{{Name: "eu-1", JSON: `{"rgn":{"nm":"eu-1"},"state":"ACTIVE"}`}}},
		"number":              {`[{"id":12}]`, []api.Region{{Name: "12", JSON: `{"id":12}`}}},
		"mixed":               {`["eu-1",{"name":"us-1"}]`, []api.Region{{Name: "eu-1", JSON: `"eu-1"`}, {Name: "us-1", JSON: `{"name":"us-1"}`}}},
		"order of the keys":   {`[{"b":1,"name":"eu-1","a":{ "c" : [ ] }}]`, []api.Region{{Name: "eu-1", JSON: `{"b":1,"name":"eu-1","a":{"c":[]}}`}}},
	} {
		for _, list := range lists {
			got, err := once(t, 200, fmt.Sprintf(list, test.entries)).Regions(t.Context())
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%s in %s: %v %s", name, list, err, diff)
			}
		}
	}
	for _, body := range []string{`[]`, `{"data":[]}`, `{"data":null,"message":"ok"}`, `{"data":{"regions":null}}`, `{"regions":[]}`} {
		if got, err := once(t, 200, body).Regions(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("%s: got %v, %v", body, got, err)
		}
	}
	for body, want := range map[string]string{
		`{}`:                            `no list of regions was found in an empty object`,
		`{"message":"hidden"}`:          `no list of regions was found in an object with "message"`,
		`{"data":"hidden"}`:             `no list of regions was found in an object with "data"; data is a string`,
		`{"data":[1]}`:                  `entry 1 of the regions carries no name: it is a number`,
		`{"data":["a",null]}`:           `entry 2 of the regions carries no name: it is null`,
		`{"data":[" "]}`:                `entry 1 of the regions carries no name: it is a string`,
		`{"data":[{}]}`:                 `entry 1 of the regions carries no name: it is an empty object`,
		`{"data":[{"x":"hi","y":"z"}]}`: `entry 1 of the regions carries no name: it is an object with "x", "y"`,
	} {
		_, err := once(t, 200, body).Regions(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), "the answer cannot be read: "+want) {
			t.Errorf("%s:\n got %v\nwant %s", body, err, want)
		}
	}
}

// TestUnavailableRegions: entries that say that they cannot be used now.
func TestUnavailableRegions(t *testing.T) {
	t.Parallel()
	for entry, unavailable := range map[string]bool{
		`"eu-1"`:                                                               false,
		`{"name":"eu-1"}`:                                                      false,
		`{"name":"eu-1","available":true}`:                                     false,
		`{"name":"eu-1","available":null}`:                                     false,
		`{"name":"eu-1","available":"yes"}`:                                    false,
		`{"name":"eu-1","status":"ACTIVE"}`:                                    false,
		`{"name":"eu-1","status":0}`:                                           false,
		`{"name":"eu-1","state":"Bavaria"}`:                                    false,
		`{"name":"eu-1","capacity":{"available":0}}`:                           false,
		`{"name":"eu-1","features":{"recording":{"enabled":false}}}`:           false,
		`{"region":{"name":"eu-1"},"availability":{"status":"available"}}`:     false,
		`{"name":"eu-1","available":false}`:                                    true,
		`{"name":"eu-1","isAvailable":"False"}`:                                true,
		`{"name":"eu-1","active":0}`:                                           true,
		`{"name":"eu-1","enabled":false,"status":"OK"}`:                        true,
		`{"name":"eu-1","status":"DISABLED"}`:                                  true,
		`{"name":"eu-1","State":"not_available"}`:                              true,
		`{"region":{"name":"eu-1"},"availability":"unavailable"}`:              true,
		`{"region":{"name":"eu-1"},"availability":{"status":"NOT AVAILABLE"}}`: true,
		`{"region":{"name":"eu-1","enabled":false}}`:                           true,
	} {
		got, err := once(t, 200, `{"data":[`+entry+`]}`).Regions(t.Context())
		if want := []api.Region{{Name: "eu-1", JSON: entry, Unavailable: unavailable}}; err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %+v, %v", entry, got, err)
		}
	}
}

func TestDecodeUploads(t *testing.T) {
	t.Parallel()
	const address = "https://st.example.com/b/vod/input/1/2/a%20b.mp4?X-Amz-Signature=a%2Fb&x=1"
	for name, wrapper := range wrappers {
		for _, keys := range []string{`"fileKeyPath":"k","presigned_url":%q`, `"file_key_path":"k","presignedUrl":%q`, `"FileKeyPath":"k","PresignedURL":%q,"expires":{"in":1}`} {
			got, err := once(t, 200, fmt.Sprintf(wrapper, "{"+fmt.Sprintf(keys, address)+"}")).PresignUpload(t.Context(), "a b.mp4", "video/mp4")
			if err != nil || *got != (api.UploadTarget{KeyPath: "k", URL: address}) {
				t.Errorf("%s, %s: got %+v, %v", name, keys, got, err)
			}
		}
		for _, keys := range []string{`"upload_id":"u","key_path":"k"`, `"uploadId":"u","keyPath":"k","parts":[]`, `"UploadId":"u","KeyPath":"k"`} {
			got, err := once(t, 200, fmt.Sprintf(wrapper, "{"+keys+"}")).CreateMultipartUpload(t.Context(), "a b.mp4")
			if err != nil || *got != (api.MultipartUpload{UploadID: "u", KeyPath: "k"}) {
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
	begin := func(c *api.Client) error { _, err := c.CreateMultipartUpload(t.Context(), "a"); return err }
	complete := func(c *api.Client) error { _, err := c.CompleteMultipartUpload(t.Context(), "k", "u", nil); return err }
	for _, test := range []struct {
		call       func(*api.Client) error
		body, want string
	}{
		{presign, `{"data":null,"message":"hidden"}`, `no fileKeyPath was found in an object with "data", "message"`},
		{presign, `{"data":{"presigned_url":"https://st.example.com/?hidden"}}`, `fileKeyPath is missing: the answer holds "presigned_url"`},
		{presign, `{"data":{"fileKeyPath":"k"}}`, `presigned_url is missing: the answer holds "fileKeyPath"`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":""}}`, `presigned_url is missing: the answer holds "fileKeyPath", "presigned_url"`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":"/relative?hidden"}}`, `presigned_url is a string that is no URL with a host`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":"https://h/%zzhidden"}}`, `presigned_url is a string that is no URL with a host`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":"http://st.example.com/hidden"}}`, `presigned_url cannot be used: the address is plain http, which is allowed to loopback addresses only: write https://`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":"file:///hidden"}}`, `presigned_url is a string that is no URL with a host`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":"https://joe:hidden@st.example.com/"}}`, `presigned_url is a URL with user info`},
		{presign, `{"data":{"fileKeyPath":"k","presigned_url":{"href":"hidden"}}}`, `presigned_url is an object with "href" where a string was expected`},
		{part, `{"data":{"href":"hidden"}}`, `no url was found in an object with "data"; data is an object with "href"`},
		{part, `{"a":{"url":"https://h/hidden"},"b":{"url":"https://h/hidden"}}`, `no url was found in an object with "a", "b"`},
		{part, `{"data":"hidden"}`, `data is a string that is no URL with a host`},
		{begin, `{"data":{"upload_id":"u"}}`, `key_path is missing: the answer holds "upload_id"`},
		{begin, `{"data":{"key_path":"k"}}`, `upload_id is missing: the answer holds "key_path"`},
		{complete, `{"data":null,"message":"hidden"}`, `no Key was found in an object with "data", "message"`},
		{complete, `{"data":{"Key":["hidden"]}}`, `Key is a list of 1, the first a string where a string was expected`},
	} {
		err := test.call(once(t, 200, test.body))
		if err == nil || !strings.HasSuffix(err.Error(), "the answer cannot be read: "+test.want) || strings.Contains(err.Error(), "hidden") {
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

// TestBodies: what is sent, to the byte; nothing that does not apply.
func TestBodies(t *testing.T) {
	t.Parallel()
	service := wiretest.Always(200, sessionJSON)
	client := newClient(t, config(service))
	for _, spec := range []api.SessionSpec{
		{},
		{Name: "n", Region: "eu", Input: "RTMP_PUSH", Mode: "NORM", OutputMode: "RTMP_PULL", InputPreset: api.InputPreset{Codec: "H264"}},
		{
			Name: "n", Region: "eu", Input: "RTMP_PULL", Mode: "HA", OutputMode: "RTMP_PUSH",
			InputPreset:  api.InputPreset{Codec: "H264", Resolution: "HD", Bitrate: "MAX_10_MBPS"},
			InputSourceA: "rtmp://a/k", InputSourceB: "rtmp://b/k", OutputDestinationA: "rtmp://c/k", OutputDestinationB: "rtmp://d/k",
			EnableInputRecord: true, IsScheduled: true, Timezone: "UTC", ScheduledAt: "2026-01-01 00:00",
		},
	} {
		if _, err := client.CreateSession(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = client.PresignUpload(t.Context(), "a.mp4", "video/mp4")
	_, _ = client.PresignUpload(t.Context(), "a.mp4", "")
	_, _ = client.CreateMultipartUpload(t.Context(), "a.mp4")
	_, _ = client.PresignPart(t.Context(), "k", "u", 7)
	_, _ = client.CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: `"a"`}, {Number: 2, ETag: "b"}})
	_, _ = client.SubmitBatch(t.Context(), []string{"k", "l"}, []string{"video_optimizer"})
	_, _ = client.SubmitBatch(t.Context(), nil, nil)
	want := []string{
		`POST /edge/live/v1/live-streams/session {"enable_input_record":false,"is_scheduled":false}`,
		`POST /edge/live/v1/live-streams/session {"name":"n","region":"eu","input":"RTMP_PUSH","mode":"NORM","output_mode":"RTMP_PULL","input_preset":{"codec":"H264"},"enable_input_record":false,"is_scheduled":false}`,
		`POST /edge/live/v1/live-streams/session {"name":"n","region":"eu","input":"RTMP_PULL","mode":"HA","output_mode":"RTMP_PUSH","input_preset":{"codec":"H264","resolution":"HD","bitrate":"MAX_10_MBPS"},` +
			`"input_source_a":"rtmp://a/k","input_source_b":"rtmp://b/k","output_destination_a":"rtmp://c/k","output_destination_b":"rtmp://d/k","enable_input_record":true,"is_scheduled":true,"timezone":"UTC","scheduled_at":"2026-01-01 00:00"}`,
		`POST /vod/v1/customer/presign-url {"file_name":"a.mp4","content_type":"video/mp4"}`,
		`POST /vod/v1/customer/presign-url {"file_name":"a.mp4"}`,
		`POST /vod/v1/customer/multipart/create {"filename":"a.mp4"}`,
		`POST /vod/v1/customer/multipart/generate-url {"key_path":"k","upload_id":"u","part_number":7}`,
		`POST /vod/v1/customer/multipart/complete {"key_path":"k","upload_id":"u","parts":[{"etag":"\"a\"","part_number":1},{"etag":"b","part_number":2}]}`,
		`POST /v1/local/batch {"paths":["k","l"],"service_modes":["video_optimizer"]}`,
		`POST /v1/local/batch {"paths":[],"service_modes":[]}`,
	}
	for i, r := range service.Requests() {
		method, path, body := splitRequest(t, want[i])
		if diff := cmp.Diff(body, decode(t, r.Body)); r.Method != method || r.Path != path || diff != "" {
			t.Errorf("request %d is %s %s: %s", i+1, r.Method, r.Path, diff)
		}
	}
	if n := len(service.Requests()); n != len(want) {
		t.Errorf("made %d requests, want %d", n, len(want))
	}
}

func splitRequest(t *testing.T, s string) (method, path string, body any) {
	t.Helper()
	parts := strings.SplitN(s, " ", 3)
	return parts[0], parts[1], decode(t, parts[2])
}

func decode(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
