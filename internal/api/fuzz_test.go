package api_test

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// checkError asserts what holds for every error, whatever the service sent: it
// is an *api.Error of bounded length and valid UTF-8 on one line, and shows no
// secret.
func checkError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	e := asError(t, err)
	text := err.Error()
	switch {
	case !utf8.ValidString(text):
		t.Errorf("not UTF-8: %q", text)
	case strings.ContainsAny(text, "\n\r\x00"):
		t.Errorf("not one line: %q", text)
	case utf8.RuneCountInString(text) > 1200 || utf8.RuneCountInString(e.Message) > 500:
		t.Errorf("%d characters: %q", utf8.RuneCountInString(text), text)
	}
	for _, secret := range []string{testTokenID, testSecret, testToken} {
		if strings.Contains(text, secret) {
			t.Errorf("%q shows in %q", secret, text)
		}
	}
	if quoting, ok := errors.AsType[*url.Error](err); ok {
		t.Errorf("the chain holds %v", quoting)
	}
}

func valid(t *testing.T, v any) {
	t.Helper()
	walk := reflect.ValueOf(v)
	for i := range walk.NumField() {
		if f := walk.Field(i); f.Kind() == reflect.String && !utf8.ValidString(f.String()) {
			t.Errorf("%s is not UTF-8: %q", walk.Type().Field(i).Name, f.String())
		}
	}
}

func validSession(t *testing.T, s api.Session) {
	t.Helper()
	for name, text := range s {
		if text == "" || !utf8.ValidString(text) {
			t.Errorf("%s is empty or not UTF-8: %q", name, text)
		}
	}
}

func FuzzDecodeSession(f *testing.F) {
	addVectors(f, "get-session", "create-session")
	for _, wrapper := range wrappers(f, "object") {
		f.Add(wrap(wrapper, `{"id":"s","output_mode":{"a":{"b":"RTMP_PULL"}},"port":"1","is_scheduled":"0"}`))
	}
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"id":1e999}`, `{"id":"s","output_mode":[[["x"]]]}`, "{\"id\":\"\xff\"}", `{"data":{"data":{"data":{"data":{"data":{"data":{"id":"s"}}}}}}}`, `{"` + testToken + `":{"a":1}}`,
		`{"a":{"id":"s","mode":"HA"},"b":{"id":"t","mode":"HA"}}`, `{"statusCode":400,"message":"no"}`, `{"code":404,"id":"s","mode":"HA"}`, `{"statusCode":503,"data":{}}`, `{"statusCode":401}`, `{"statusCode":429}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		read, err := once(t, 200, body).GetSession(t.Context(), "s-1")
		checkError(t, err)
		created, createErr := once(t, 200, body).CreateSession(t.Context(), api.SessionSpec{"name": "n"})
		checkError(t, createErr)
		if (read == nil) != (err != nil) || (created == nil) != (createErr != nil) {
			t.Errorf("session %v with error %v; %v with %v", read, err, created, createErr)
		}
		if createErr != nil {
			// A body may tell another status; without one the answer is not understood.
			refused := asError(t, createErr).Status >= 400 && asError(t, createErr).Status < 500
			if api.MayHaveBeenProcessed(createErr) == refused {
				t.Errorf("may have been processed: %t: %v", !refused, createErr)
			}
		}
		if read != nil {
			validSession(t, read)
			if strings.TrimSpace(read.ID()) == "" || created == nil || created.ID() != read.ID() {
				t.Errorf("read %+v, created %+v", read, created)
			}
		}
	})
}

func FuzzDecodeSessionPage(f *testing.F) {
	addVectors(f, "list-sessions")
	for _, seed := range []string{
		`{"Sessions":[{"id":"s"}],"LastEvaluatedKey":{"id":"i","user_id":"u","created_at_user_id":"c"}}`,
		`{"data":{"sessions":[{"id":"s"},{"session":{"id":"t","mode":"HA"}}]},"LastEvaluatedKey":null}`,
		`{"data":[{"id":"s"}],"LastEvaluatedKey":{}}`, `[{"id":"s"}]`, `{"Items":[]}`, `{"Sessions":null}`, `{"Sessions":[1]}`,
		`{"Sessions":[],"LastEvaluatedKey":{"pk":"x"}}`, `{"Sessions":[],"LastEvaluatedKey":"x"}`, `{"Sessions":[],"LastEvaluatedKey":{"id":{"S":"i"}}}`, ``, `{"errors":[]}`,
		`{"data":{"page":{"Sessions":[{"id":"s"}]},"x":{"LastEvaluatedKey":{"id":"i","pk":"p"}}}}`, `{"result":{"Sessions":[]},"meta":{"id":"m"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		client := once(t, 200, body)
		page, err := client.ListSessions(t.Context(), nil)
		checkError(t, err)
		if (page == nil) != (err != nil) {
			t.Fatalf("page %v with error %v", page, err)
		}
		if page == nil {
			return
		}
		for _, s := range page.Sessions {
			validSession(t, s)
		}
		if page.Next != nil && len(page.Next) == 0 {
			t.Error("the cursor is empty")
		}
	})
}

func FuzzCursor(f *testing.F) {
	for _, v := range readVectors(f, "list-sessions") {
		if _, cursor, found := strings.Cut(string(v.Cursor), ":"); found {
			f.Add(strings.TrimSuffix(cursor, "}"))
		}
	}
	for _, seed := range []string{`{"id":"i","user_id":"u","created_at_user_id":"c"}`, `{"id":7}`, `{"Id":"a&b=c#d%zz"}`, `{"id":{"S":"\u0000\n"}}`, `{}`, `null`, `""`, `[]`, `"x"`, `{"id":{"S":{"S":"x"}}}`, `{"pk":"x"}`, `{"id":"i","pk":"x","":"y","a b":{"N":"1"}}`, `{"id":null,"pk":"x"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		service := wiretest.InTurn(wiretest.With(200, `{"Sessions":[],"LastEvaluatedKey":`+cursor+`}`), wiretest.With(200, `{"Sessions":[]}`))
		c := config(service)
		c.MaxRetries = 0
		client := newClient(t, c)
		page, err := client.ListSessions(t.Context(), nil)
		checkError(t, err)
		if err != nil || page.Next == nil {
			return
		}
		if _, err = client.ListSessions(t.Context(), page.Next); err != nil {
			t.Fatal(err)
		}
		// What goes back over the wire is what came.
		u, err := url.Parse(service.Requests()[1].URL)
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		if len(query) != len(page.Next) || u.Path != "/edge/live/v1/live-streams/session" {
			t.Errorf("asked %s after %v", u, page.Next)
		}
		for key, v := range page.Next {
			if query.Get(key) != v || v == "" {
				t.Errorf("asked %s after %v", u, page.Next)
			}
		}
	})
}

func FuzzDecodeRegions(f *testing.F) {
	addVectors(f, "regions")
	for _, seed := range []string{`["eu"]`, `{"data":["eu",{"name":"us"}]}`, `{"data":[{"region":{"name":"x"}}]}`, `{"data":[{"id":7}]}`, `{"data":null}`, `{"data":[{"x":1}]}`, `{"data":[{"region":{"name":"x"},"availability":{"status":"no"}}]}`, `{"data":[{"rgn":{"nm":"x"},"enabled":0}]}`, `{"data":[[]]}`, `[[["x"]]]`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		regions, err := once(t, 200, body).Regions(t.Context())
		checkError(t, err)
		for _, r := range regions {
			if strings.TrimSpace(r.Name) == "" || !utf8.ValidString(r.Name) || r.JSON == "" || strings.ContainsAny(r.JSON, "\n\r") {
				t.Errorf("got %+v", r)
			}
		}
	})
}

func FuzzDecodeUploads(f *testing.F) {
	addVectors(f, "presign-url", "multipart-create", "multipart-generate-url", "multipart-complete", "batch")
	for _, seed := range []string{
		`{"data":{"fileKeyPath":"vod/input/c/u/k","presigned_url":"https://st.example.com/k?s=1","upload_id":"u","key_path":"vod/input/c/u/k","url":"http://127.0.0.1:1/k","Key":"k"},"message":"ok"}`,
		`{"data":"https://st.example.com/k"}`, `{"fileKeyPath":"vod/input/c/u/k","presigned_url":"HTTP://h/"}`, `{"url":"https://[::1]:0/%zz"}`, `{"url":"https://a:b@h/"}`, `{"data":{"ETag":null,"VersionId":7}}`, ``, `"x"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		client := once(t, 200, body)
		target, err := client.PresignUpload(t.Context(), api.Upload{Name: "a"})
		checkError(t, err)
		addresses := []string{}
		if err == nil {
			addresses = append(addresses, target.URL)
			valid(t, *target)
		}
		address, err := client.PresignPart(t.Context(), "k", "u", 1)
		checkError(t, err)
		if err == nil {
			addresses = append(addresses, address)
		}
		for _, address := range addresses {
			u, err := url.Parse(address)
			if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
				t.Errorf("took the address %q: %v", address, err)
			}
		}
		upload, err := client.CreateMultipartUpload(t.Context(), api.Upload{Name: "a"})
		checkError(t, err)
		if err == nil && (upload.KeyPath == "" || upload.UploadID == "") {
			t.Errorf("got %+v", upload)
		}
		done, err := client.CompleteMultipartUpload(t.Context(), "k", "u", nil)
		checkError(t, err)
		if err == nil {
			valid(t, *done)
		}
		message, err := client.SubmitBatch(t.Context(), api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}})
		checkError(t, err)
		if utf8.RuneCountInString(message) > 500 || !utf8.ValidString(message) {
			t.Errorf("got %q", message)
		}
	})
}

func FuzzErrorMessage(f *testing.F) {
	for _, v := range readVectors(f) {
		if v.Refused == nil {
			continue
		}
		for _, body := range v.bodies(f) {
			f.Add("application/json", body)
			f.Add("text/html; charset=x", body)
		}
	}
	for _, seed := range []string{
		`{"message":"no"}`, `{"errors":[{"field":"a","message":"b"}]}`, `{"error":{"error":{"error":"x"}}}`, `<html><title>502</title>`, `<Error><Code>c</Code><Message>m</Message></Error>`,
		testSecret, `{"x":"` + testToken + `"}`, "id-\u200btoken-Zm9vYmFy/8271", "https://h/?X-Amz-Signature=1", "rtmp://h/app/key", "rtmp://h/", "urlrtmp://h/app/key", "<p>" + testTokenID, "\xff\xfe", `"\ud800"`, "&lt;&#x0;", "<title>400</title><div>a <b>b</b></div><script>c", "<Message><![CDATA[x", "<code>" + testSecret + "</code><message>", testTokenID + testSecret, ``,
	} {
		f.Add("application/json", seed)
		f.Add("text/html; charset=x", seed)
	}
	f.Fuzz(func(t *testing.T, contentType, body string) {
		c := config(wiretest.Always(400, body, "Content-Type", contentType, "X-Request-Id", body))
		c.MaxRetries = 0
		client := newClient(t, c)
		_, err := client.SubmitBatch(t.Context(), api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}})
		checkError(t, err)
		if err == nil {
			t.Fatal("no error")
		}
		// A masked text has no more to mask.
		message := asError(t, err).Message
		if strings.Contains(message, "***") {
			return
		}
		for _, scheme := range []string{"rtmp://", "rtmps://"} {
			_, after, _ := strings.Cut(strings.ToLower(message), scheme)
			if _, key, _ := strings.Cut(after, "/"); key != "" && !strings.ContainsAny(after, " \"<>") {
				t.Errorf("a stream key shows in %q", message)
			}
		}
	})
}
