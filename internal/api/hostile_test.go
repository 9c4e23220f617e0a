package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// TestStringsOfTheService: characters that change how a text is shown never leave the decoder.
func TestStringsOfTheService(t *testing.T) {
	t.Parallel()
	for _, unsafe := range []string{"\x1b[2J", "\n\nError: forged", "\r", "\x00", "\u009b2J", "\u202e", "\u2066", "\u200b", "\u2028", "\u061c", "\U000e0041"} {
		quoted := strings.Trim(inJSON(t, "a"+unsafe+"b"), `"`)
		session := fmt.Sprintf(`{"id":"s-1","name":"%[1]s","region":"%[1]s","status":"%[1]s","user_id":"%[1]s","output_mode":{"mode":"%[1]s"},"input_preset":{"codec":"%[1]s"},"input_endpoint_a":"rtmp://h/%[1]s"}`, quoted)
		s, err := once(t, 200, session).GetSession(t.Context(), "s-1")
		if err != nil {
			t.Fatalf("%q: %v", unsafe, err)
		}
		for _, text := range []string{s["name"], s["region"], s["status"], s["user_id"], s["output_mode"], s["input_preset.codec"], s["input_endpoint_a"]} {
			if !parse.Safe(text) || !strings.Contains(text, `a\u`) {
				t.Errorf("%q is read as %q", unsafe, text)
			}
		}
		regions, err := once(t, 200, fmt.Sprintf(`{"data":[{"name":"%s"},"eu"]}`, quoted)).Regions(t.Context())
		if err != nil || !parse.Safe(regions[0].Name+regions[0].JSON) || !json.Valid([]byte(regions[0].JSON)) {
			t.Errorf("%q: regions %+v, %v", unsafe, regions, err)
		}
		message, err := once(t, 200, fmt.Sprintf(`{"message":"%s"}`, quoted)).SubmitBatch(t.Context(), api.Batch{Paths: []string{"p"}, ServiceModes: []string{"m"}})
		if err != nil || !parse.Safe(message) {
			t.Errorf("%q: message %q, %v", unsafe, message, err)
		}
		done, err := once(t, 200, fmt.Sprintf(`{"Key":"k","ETag":"e","Location":"https://h/%[1]s","Bucket":"%[1]s","VersionId":"%[1]s"}`, quoted)).CompleteMultipartUpload(t.Context(), "k", "u", nil)
		if err != nil || !parse.Safe(done.Location+done.Bucket+done.VersionID) {
			t.Errorf("%q: completed %+v, %v", unsafe, done, err)
		}
		// What is sent back, or pasted, cannot be escaped.
		for name, err := range map[string]error{
			"id": func() error {
				_, err := once(t, 200, `{"id":"`+quoted+`","name":"n"}`).GetSession(t.Context(), "s-1")
				return err
			}(),
			"key path": func() error {
				_, err := once(t, 200, `{"fileKeyPath":"`+quoted+`","presigned_url":"https://h/"}`).PresignUpload(t.Context(), api.Upload{Name: "f"})
				return err
			}(),
			"upload id": func() error {
				_, err := once(t, 200, `{"key_path":"vod/input/c/u/k","upload_id":"`+quoted+`"}`).CreateMultipartUpload(t.Context(), api.Upload{Name: "f"})
				return err
			}(),
			"ETag": func() error {
				_, err := once(t, 200, `{"Key":"k","ETag":"`+quoted+`"}`).CompleteMultipartUpload(t.Context(), "k", "u", nil)
				return err
			}(),
			"address": func() error {
				_, err := once(t, 200, `{"url":"https://h/`+quoted+`"}`).PresignPart(t.Context(), "k", "u", 1)
				return err
			}(),
			"cursor": func() error {
				_, err := listSessions(t, `{"Sessions":[],"LastEvaluatedKey":{"id":"`+quoted+`"}}`)
				return err
			}(),
		} {
			if err == nil || !parse.Safe(err.Error()) {
				t.Errorf("%s with %q: %v", name, unsafe, err)
			}
		}
	}
	// Joiners are part of words and emoji.
	if s, err := once(t, 200, `{"id":"s-1","name":"👩\u200d💻 می\u200cخواهم"}`).GetSession(t.Context(), "s-1"); err != nil || s.Name() != "👩\u200d💻 می\u200cخواهم" {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestLongStreamURLs: the URL of a stream may carry a token.
func TestLongStreamURLs(t *testing.T) {
	t.Parallel()
	long := "rtmp://in.example.com/live/key?token=" + strings.Repeat("x", 4096)
	for _, key := range []string{
		"input_source_a", "input_source_b", "output_destination_a", "output_destination_b",
		"input_endpoint_a", "input_endpoint_b", "output_endpoint_a", "output_endpoint_b",
	} {
		session := fmt.Sprintf(`{"id":"s-1","name":"n",%q:%q}`, key, long)
		s, err := once(t, 200, session).GetSession(t.Context(), "s-1")
		if err != nil || s["input_source_a"]+s["input_source_b"]+s["output_destination_a"]+s["output_destination_b"]+s["input_endpoint_a"]+s["input_endpoint_b"]+s["output_endpoint_a"]+s["output_endpoint_b"] != long {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := listSessions(t, `{"Sessions":[`+session+`]}`); err != nil {
			t.Errorf("%s in a page: %v", key, err)
		}
		session = fmt.Sprintf(`{"id":"s-1","name":"n",%q:%q}`, key, strings.Repeat(long, 4))
		if _, err := once(t, 200, session).GetSession(t.Context(), "s-1"); err == nil || !strings.Contains(err.Error(), key+" has 16532 bytes") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestLongStringsOfTheService: no string of the service but a URL is longer than 1 KiB.
func TestLongStringsOfTheService(t *testing.T) {
	t.Parallel()
	exact, long := strings.Repeat("x", 1024), strings.Repeat("x", 1025)
	if s, err := once(t, 200, `{"id":"s-1","name":"`+exact+`"}`).GetSession(t.Context(), "s-1"); err != nil || s.Name() != exact {
		t.Errorf("1 KiB: %v", err)
	}
	if address, err := once(t, 200, `{"url":"https://h/`+long+`"}`).PresignPart(t.Context(), "k", "u", 1); err != nil || len(address) < 1024 {
		t.Errorf("an address: %v", err)
	}
	for name, run := range map[string]func() error{
		"name": func() error {
			_, err := once(t, 200, `{"id":"s-1","name":"`+long+`"}`).GetSession(t.Context(), "s-1")
			return err
		},
		"output mode": func() error {
			_, err := once(t, 200, `{"id":"s-1","region":"r","output_mode":{"mode":"`+long+`"}}`).GetSession(t.Context(), "s-1")
			return err
		},
		"id":        func() error { _, err := once(t, 200, `{"id":"`+long+`"}`).GetSession(t.Context(), "s-1"); return err },
		"in a page": func() error { _, err := listSessions(t, `{"Sessions":[{"id":"s-1","name":"`+long+`"}]}`); return err },
		"cursor": func() error {
			_, err := listSessions(t, `{"Sessions":[],"LastEvaluatedKey":{"id":"`+long+`"}}`)
			return err
		},
		"region": func() error { _, err := once(t, 200, `{"data":["`+long+`"]}`).Regions(t.Context()); return err },
		"entry": func() error {
			_, err := once(t, 200, `{"data":[{"name":"eu","note":"`+strings.Repeat(long, 17)+`"}]}`).Regions(t.Context())
			return err
		},
		"key path": func() error {
			_, err := once(t, 200, `{"fileKeyPath":"`+long+`","presigned_url":"https://h/"}`).PresignUpload(t.Context(), api.Upload{Name: "f"})
			return err
		},
		"address": func() error {
			_, err := once(t, 200, `{"url":"https://h/`+strings.Repeat(long, 17)+`"}`).PresignPart(t.Context(), "k", "u", 1)
			return err
		},
	} {
		err := run()
		if _, ok := errors.AsType[*api.Error](err); !ok || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLargeAnswers: what an answer costs is bounded, whatever is in it. It runs alone, because it
// counts what is allocated.
func TestLargeAnswers(t *testing.T) { //nolint:paralleltest // see above
	const size = 4 << 20
	fill := func(format string) string {
		return strings.TrimSuffix(strings.Repeat(format+",", size/(len(format)+1)), ",")
	}
	for name, test := range map[string]struct {
		run  func(context.Context, *api.Client) error
		body string
		text string
	}{
		"sessions":        {list, `{"Sessions":[` + fill(`{"id":"s"}`) + `]}`, "more than 1000 sessions"},
		"regions":         {regions, `{"data":[` + fill(`"eu"`) + `]}`, "more than 1000 regions"},
		"a region's name": {regions, `{"data":["` + strings.Repeat("x", size) + `"]}`, "entry 1 of the regions has"},
		"members":         {list, `{"Sessions":[{` + fill(`"\u0061":1`) + `}]}`, "entry 1 of the sessions"},
		"many members":    {list, `{` + manyMembers(size) + `}`, "no list of sessions"},
		"a refusal":       {list, `{"statusCode":400,"message":"` + strings.Repeat("x ", size/2) + `"}`, "400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			client := once(t, 200, test.body)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := test.run(t.Context(), client)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), test.text) || len(err.Error()) > 1000 {
				t.Errorf("got %.300v", err)
			}
			// Only reading the body of 4 MiB allocates 23 MiB.
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 60 {
				t.Errorf("%d MiB were allocated", used)
			}
		})
	}
}

func list(ctx context.Context, c *api.Client) error    { _, err := c.ListSessions(ctx, nil); return err }
func regions(ctx context.Context, c *api.Client) error { _, err := c.Regions(ctx); return err }

func manyMembers(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `"k%d":{"a":1},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// TestInterruptEndsDecoding: decoding a page ends with the context.
func TestInterruptEndsDecoding(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	page := `{"Sessions":[` + strings.TrimSuffix(strings.Repeat(`{"id":"s"},`, 1000), ",") + `]}`
	_, err := newClient(t, config(wiretest.InTurn(func(*http.Request) (*http.Response, error) {
		res := wiretest.Response(200, page)
		res.Body = io.NopCloser(io.MultiReader(strings.NewReader(page), readerFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF })))
		return res, nil
	}))).ListSessions(ctx, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestStreamKeysAreRemembered: a key that was sent or received is masked in all later texts.
func TestStreamKeysAreRemembered(t *testing.T) {
	t.Parallel()
	client := newClient(t, config(wiretest.InTurn(
		wiretest.With(200, `{"id":"s-1","name":"studio","input_endpoint_a":"rtmp://h/live/k3y-received"}`),
		wiretest.With(400, `{"message":"k3y-sent and K3Y%2Dreceived of studio s-1"}`),
	)))
	if _, err := client.CreateSession(t.Context(), api.SessionSpec{"name": "studio", "input_source_a": "rtmp://h/live/k3y-sent"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Regions(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "*** and *** of studio s-1") {
		t.Errorf("got %v", err)
	}
}

// TestShapesAreMasked: an error of the decoder lists the keys of the response.
func TestShapesAreMasked(t *testing.T) {
	t.Parallel()
	_, err := once(t, 200, `{"`+inJSON(t, testSecret)+`":{}}`).PresignUpload(t.Context(), api.Upload{Name: "a.mp4"})
	if err == nil || !strings.Contains(err.Error(), "***") || strings.Contains(err.Error(), testSecret[:5]) {
		t.Errorf("got %v", err)
	}
}

// inJSON is a text as it is inside a JSON string.
func inJSON(t *testing.T, s string) string {
	t.Helper()
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(quoted), `"`)
}
