package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

func listSessions(t testing.TB, body string) (*api.SessionPage, error) {
	t.Helper()
	c := config(wiretest.Always(200, body))
	c.MaxRetries = 0
	return newClient(t, c).ListSessions(t.Context(), nil)
}

// TestDecodePage reads pages in every place for the list and every place and
// shape of the cursor.
func TestDecodePage(t *testing.T) {
	t.Parallel()
	const sessions = `[{"id":"s-1","region":"eu"},{"id":"s-2","output_mode":{"value":"RTMP_PULL"}}]`
	// %[1]s is the list, %[2]s the cursor, a member with its comma.
	pages := map[string]string{
		"bare":                `{"Sessions":%[1]s%[2]s}`,
		"lower case":          `{"sessions":%[1]s%[2]s}`,
		"data":                `{"data":{"Sessions":%[1]s%[2]s},"message":"ok"}`,
		"data, lower case":    `{"data":{"sessions":%[1]s%[2]s},"message":"ok"}`,
		"data in data":        `{"data":{"data":{"Sessions":%[1]s%[2]s}}}`,
		"one other":           `{"result":{"Sessions":%[1]s%[2]s}}`,
		"cursor outside":      `{"data":{"Sessions":%[1]s}%[2]s}`,
		"data is the list":    `{"data":%[1]s%[2]s}`,
		"items":               `{"data":{"Items":%[1]s,"Count":2%[2]s}}`,
		"beside others":       `{"Sessions":%[1]s,"tags":["a"],"meta":{"id":"m"}%[2]s}`,
		"wrapper beside":      `{"result":{"Sessions":%[1]s%[2]s},"meta":{"id":"m"}}`,
		"data, beside others": `{"data":{"page":{"Sessions":%[1]s},"x":{"y":1},"z":1%[2]s},"meta":{}}`,
		"cursor in another":   `{"data":{"Sessions":%[1]s},"paging":{"n":1%[2]s}}`,
		"items beside others": `{"data":{"items":%[1]s,"tags":["a"],"x":{}%[2]s}}`,
		"entries are wrapped": `{"Sessions":[{"session":{"id":"s-1","region":"eu"}},{"data":{"id":"s-2","output_mode":"RTMP_PULL"}}]%[2]s}`,
	}
	cursors := map[string]struct {
		text string
		want api.Cursor
	}{
		"absent":           {``, nil},
		"null":             {`,"LastEvaluatedKey":null`, nil},
		"empty":            {`,"LastEvaluatedKey":{}`, nil},
		"empty string":     {`,"LastEvaluatedKey":""`, nil},
		"empty list":       {`,"LastEvaluatedKey":[]`, nil},
		"empty values":     {`,"LastEvaluatedKey":{"id":"","user_id":null,"created_at_user_id":{}}`, nil},
		"other, all empty": {`,"LastEvaluatedKey":{"pk":"","sk":null}`, nil},
		"full":             {`,"LastEvaluatedKey":{"id":"i","user_id":"u","created_at_user_id":"c"}`, api.Cursor{"id": "i", "user_id": "u", "created_at_user_id": "c"}},
		"other case":       {`,"lastEvaluatedKey":{"Id":"i","userId":"u","createdAtUserId":"c"}`, api.Cursor{"id": "i", "user_id": "u", "created_at_user_id": "c"}},
		"snake":            {`,"last_evaluated_key":{"id":"i"}`, api.Cursor{"id": "i"}},
		"partly empty":     {`,"LastEvaluatedKey":{"id":"i","user_id":"","created_at_user_id":null}`, api.Cursor{"id": "i"}},
		"numbers":          {`,"LastEvaluatedKey":{"id":12345678901234567890,"user_id":7}`, api.Cursor{"id": "12345678901234567890", "user_id": "7"}},
		"as in the store":  {`,"LastEvaluatedKey":{"id":{"S":"i"},"user_id":{"N":"7"}}`, api.Cursor{"id": "i", "user_id": "7"}},
		"with others": {
			`,"LastEvaluatedKey":{"id":"i","user_id":"u","pk":"p","GSI1 sk":{"N":"7"},"x":"","y":null,"z":{}}`,
			api.Cursor{"id": "i", "user_id": "u", "pk": "p", "GSI1 sk": "7"},
		},
		"last, with others": {`,"LastEvaluatedKey":{"id":null,"user_id":"","created_at_user_id":null,"pk":"p","n":7}`, nil},
		"with an object":    {`,"LastEvaluatedKey":{"id":"i","added":{"x":[1]}}`, api.Cursor{"id": "i"}},
	}
	want := []api.Session{{ID: "s-1", Region: "eu"}, {ID: "s-2", OutputMode: "RTMP_PULL"}}
	for pageName, page := range pages {
		for cursorName, cursor := range cursors {
			for _, empty := range []bool{false, true} {
				// An empty list of wrapped entries is that of another case.
				if empty && !strings.Contains(page, "%[1]s") {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%t", pageName, cursorName, empty), func(t *testing.T) {
					t.Parallel()
					list, want := sessions, want
					if empty {
						list, want = "[]", nil
					}
					body := strings.ReplaceAll(strings.ReplaceAll(page, "%[1]s", list), "%[2]s", cursor.text)
					got, err := listSessions(t, body)
					if err != nil {
						t.Fatalf("%s: %v", body, err)
					}
					if diff := cmp.Diff(&api.SessionPage{Sessions: want, Next: cursor.want}, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(api.SessionPage{}, "Size")); diff != "" {
						t.Errorf("%s: %s", body, diff)
					}
					if (got.Next == nil) != (cursor.want == nil) {
						t.Errorf("next is %#v", got.Next)
					}
				})
			}
		}
	}
	for _, body := range []string{`{"Sessions":null}`, `{"data":{"sessions":null}}`, `[]`, `{"data":[]}`} {
		if got, err := listSessions(t, body); err != nil || len(got.Sessions) != 0 || got.Next != nil {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
}

func TestUnreadablePages(t *testing.T) {
	t.Parallel()
	many := ""
	for i := range 16 {
		many += fmt.Sprintf(`"k%d":"hidden",`, i)
	}
	for body, want := range map[string]string{
		`{}`:                             `no list of sessions was found in an empty object`,
		`{"message":"hidden"}`:           `no list of sessions was found in an object with "message"`,
		`{"data":null}`:                  `no list of sessions was found in an object with "data"`,
		`{"data":{"Sessions":"hidden"}}`: `no list of sessions was found in an object with "data"; data is an object with "Sessions"`,
		`{"errors":[]}`:                  `no list of sessions was found in an object with "errors"`,
		`null`:                           `no list of sessions was found in null`,
		`{"Sessions":[],"x":{"LastEvaluatedKey":{"id":"a"}},"y":{"LastEvaluatedKey":{"id":"b"}}}`: `it has 2 cursors (LastEvaluatedKey)`,
		`{"Sessions":["hidden"]}`:                                   `entry 1 of the sessions is a string where an object was expected`,
		`{"Sessions":[{"id":"a"},null]}`:                            `entry 2 of the sessions is null where an object was expected`,
		`{"Sessions":[{"name":"hidden"}]}`:                          `entry 1 of the sessions: no session with an id was found in an object with "name"`,
		`{"Sessions":[],"LastEvaluatedKey":"hidden"}`:               `LastEvaluatedKey is a string where an object was expected`,
		`{"Sessions":[],"LastEvaluatedKey":{"pk":"hidden"}}`:        `LastEvaluatedKey is an object with "pk", of which none is id, user_id, created_at_user_id`,
		`{"Sessions":[],"LastEvaluatedKey":{` + many + `"id":"a"}}`: `LastEvaluatedKey has more than 16 values`,
		`{"Sessions":[],"LastEvaluatedKey":{"id":["hidden","x"]}}`:  `id of LastEvaluatedKey is a list of 2, the first a string where a string was expected`,
	} {
		_, err := listSessions(t, body)
		if err == nil || !strings.HasSuffix(err.Error(), "the response cannot be read: "+want) {
			t.Errorf("%s:\n got %v\nwant %s", body, err, want)
		}
	}
}

// TestCursorGoesBack expects a cursor in the query under the names that it came with.
func TestCursorGoesBack(t *testing.T) {
	t.Parallel()
	service := wiretest.Always(200, `{"Sessions":[]}`)
	client := newClient(t, config(service))
	for _, test := range []struct {
		cursor api.Cursor
		want   string
	}{
		{nil, ""},
		{api.Cursor{}, ""},
		{api.Cursor{"id": "i"}, "?id=i"},
		{api.Cursor{"id": "a&b=c#d", "user_id": "ü/ü", "created_at_user_id": "2026-01-01 00:00+1"}, "?created_at_user_id=2026-01-01+00%3A00%2B1&id=a%26b%3Dc%23d&user_id=%C3%BC%2F%C3%BC"},
		{api.Cursor{"id": "i", "user_id": "", "pk": "p"}, "?id=i&pk=p"},
	} {
		if _, err := client.ListSessions(t.Context(), test.cursor); err != nil {
			t.Fatal(err)
		}
		requests := service.Requests()
		if got := requests[len(requests)-1].URL; got != liveBase+"/live/v1/live-streams/session"+test.want {
			t.Errorf("%v: asked %s", test.cursor, got)
		}
	}
}
