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

// wrappers are the shapes in which one object may come (%s).
var wrappers = map[string]string{
	"bare":                    `%s`,
	"data":                    `{"data":%s,"message":"ok"}`,
	"Data":                    `{"Data":%s}`,
	"one other":               `{"session":%s,"message":"ok","status":200}`,
	"data, one other":         `{"data":{"session":%s},"message":"ok"}`,
	"data in data":            `{"data":{"data":%s}}`,
	"data, id beside":         `{"id":"request-7","status":"success","data":%s}`,
	"data, object beside":     `{"meta":{"id":"request-7"},"data":%s}`,
	"list of one":             `[%s]`,
	"data, list of one":       `{"data":[%s]}`,
	"white space":             " \r\n\t{ \"data\" :\n %s }\n ",
	"data is null beside one": `{"data":null,"liveStream":%s}`,
	"one other, more beside":  `{"liveStream":%s,"x":{"id":"x-1"},"y":["a"],"z":1}`,
	"in data, more beside":    `{"data":{"session":%s,"x":1,"y":{"id":"y-1"}},"message":"ok"}`,
	"session beside a like":   `{"session":%s,"previous":{"id":"s-0","region":"eu-0"}}`,
	"two levels, more beside": `{"result":{"liveStream":%s,"meta":{"id":"m"}},"meta":{"page":1}}`,
}

const fullSession = `{
	"id": "s-1", "user_id": "u-1", "region": "eu-1", "name": "main",
	"input": "RTMP_PULL", "mode": "HA", "output_mode": "RTMPS_PULL", "status": "READY",
	"input_preset": {"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"},
	"input_source_a": "rtmp://in-a/app/key", "input_source_b": "rtmp://in-b/app/key",
	"output_destination_a": "rtmp://out-a/app/key", "output_destination_b": "rtmp://out-b/app/key",
	"enable_input_record": true, "is_scheduled": false, "timezone": "Asia/Kolkata", "scheduled_at": "2026-01-02 03:04",
	"input_endpoint_a": "rtmp://ie-a/k", "input_endpoint_b": "rtmp://ie-b/k",
	"output_endpoint_a": "rtmp://oe-a/k", "output_endpoint_b": "rtmp://oe-b/k",
	"transcoder_id": "t-1", "sub_domain_a": "sa", "sub_domain_b": "sb",
	"elastic_ip_a": "192.0.2.1", "elastic_ip_b": "192.0.2.2", "port": 1935, "egress_port": 1936
}`

func wantFull() *api.Session {
	return &api.Session{
		ID: "s-1", UserID: "u-1", Region: "eu-1", Name: "main",
		Input: "RTMP_PULL", Mode: "HA", OutputMode: "RTMPS_PULL", Status: "READY",
		InputPreset:  api.InputPreset{Codec: "H264", Resolution: "HD", Bitrate: "MAX_10_MBPS"},
		InputSourceA: "rtmp://in-a/app/key", InputSourceB: "rtmp://in-b/app/key",
		OutputDestinationA: "rtmp://out-a/app/key", OutputDestinationB: "rtmp://out-b/app/key",
		EnableInputRecord: new(true), IsScheduled: new(false), Timezone: "Asia/Kolkata", ScheduledAt: "2026-01-02 03:04",
		InputEndpointA: "rtmp://ie-a/k", InputEndpointB: "rtmp://ie-b/k",
		OutputEndpointA: "rtmp://oe-a/k", OutputEndpointB: "rtmp://oe-b/k",
		TranscoderID: "t-1", SubDomainA: "sa", SubDomainB: "sb",
		ElasticIPA: "192.0.2.1", ElasticIPB: "192.0.2.2", Port: new(int64(1935)), EgressPort: new(int64(1936)),
	}
}

// spellings rewrite the keys of a session.
var spellings = map[string]func(string) string{
	"snake": func(k string) string { return k },
	"camel": func(k string) string {
		parts := strings.Split(k, "_")
		for i := 1; i < len(parts); i++ {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
		return strings.Join(parts, "")
	},
	"Pascal": func(k string) string {
		parts := strings.Split(k, "_")
		for i := range parts {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
		return strings.Join(parts, "")
	},
	"kebab": func(k string) string { return strings.ReplaceAll(k, "_", "-") },
	"upper": strings.ToUpper,
}

// typings rewrite the values of a session without changing what they say.
var typings = map[string]func(key string, v any) any{
	"as documented": func(_ string, v any) any { return v },
	"strings": func(_ string, v any) any {
		switch v.(type) {
		case float64, bool:
			return fmt.Sprint(v)
		}
		return v
	},
	"output_mode in an object": func(key string, v any) any {
		if key == "output_mode" {
			return map[string]any{"value": v}
		}
		return v
	},
	"output_mode under an odd key": func(key string, v any) any {
		if key == "output_mode" {
			return map[string]any{"om": v, "id": "77", "note": "x"}
		}
		return v
	},
	"output_mode nested": func(key string, v any) any {
		if key == "output_mode" {
			return map[string]any{"output": map[string]any{"type": v}, "secure": true}
		}
		return v
	},
}

// TestDecodeSession reads one session in every wrapper, spelling and type, with and without
// unknown fields.
func TestDecodeSession(t *testing.T) {
	t.Parallel()
	for wrapperName, wrapper := range wrappers {
		for spellingName, spell := range spellings {
			for typingName, typed := range typings {
				for _, extra := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%s/%t", wrapperName, spellingName, typingName, extra), func(t *testing.T) {
						t.Parallel()
						var fields map[string]any
						if err := json.Unmarshal([]byte(fullSession), &fields); err != nil {
							t.Fatal(err)
						}
						object := map[string]any{}
						for key, v := range fields {
							object[spell(key)] = typed(key, v)
						}
						if extra {
							object["added"] = map[string]any{"id": "other", "name": "other", "region": "other"}
							object["tags"] = []any{"a", 1, nil}
							object["links"] = map[string]any{}
						}
						body, err := json.Marshal(object)
						if err != nil {
							t.Fatal(err)
						}
						got, err := getSession(t, fmt.Sprintf(wrapper, body))
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(wantFull(), got); diff != "" {
							t.Error(diff)
						}
					})
				}
			}
		}
	}
}

func getSession(t testing.TB, body string) (*api.Session, error) {
	t.Helper()
	c := config(wiretest.Always(200, body))
	c.MaxRetries = 0
	return newClient(t, c).GetSession(t.Context(), "s-1")
}

func TestDecodeSessionFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fields string
		want   api.Session
	}{
		"absent":                   {``, api.Session{}},
		"null":                     {`"region":null,"output_mode":null,"input_preset":null,"enable_input_record":null,"port":null,"timezone":null`, api.Session{}},
		"empty":                    {`"region":"","output_mode":"","input_preset":"","enable_input_record":"","port":"","timezone":""`, api.Session{}},
		"empty containers":         {`"region":{},"output_mode":{},"input_preset":[],"enable_input_record":{},"port":[],"timezone":[]`, api.Session{}},
		"preset of nothing":        {`"input_preset":{"codec":null,"resolution":""}`, api.Session{}},
		"preset, other case":       {`"inputPreset":{"Codec":"H264","BITRATE":"b"}`, api.Session{InputPreset: api.InputPreset{Codec: "H264", Bitrate: "b"}}},
		"output_mode holds null":   {`"output_mode":{"value":null}`, api.Session{}},
		"output_mode holds empty":  {`"output_mode":{"value":"","type":{}}`, api.Session{}},
		"output_mode, deep null":   {`"output_mode":{"value":{"mode":null}}`, api.Session{}},
		"output_mode, new value":   {`"output_mode":{"protocol":"SRT_PULL"}`, api.Session{OutputMode: "SRT_PULL"}},
		"output_mode, two texts":   {`"output_mode":{"label":"Pull","value":"SRT_PULL"}`, api.Session{OutputMode: "SRT_PULL"}},
		"output_mode, list of one": {`"output_mode":["RTMP_PULL"]`, api.Session{OutputMode: "RTMP_PULL"}},
		"output_mode, twice":       {`"output_mode":{"a":"RTMP_PULL","b":"RTMP_PULL"}`, api.Session{OutputMode: "RTMP_PULL"}},
		"numbers for strings":      {`"user_id":12345678901234567890,"transcoder_id":7,"name":1.50`, api.Session{UserID: "12345678901234567890", TranscoderID: "7", Name: "1.50"}},
		"boolean for string":       {`"name":true`, api.Session{Name: "true"}},
		"booleans":                 {`"enable_input_record":"True","is_scheduled":0`, api.Session{EnableInputRecord: new(true), IsScheduled: new(false)}},
		"ports":                    {`"port":"1935","egress_port":1.936e3`, api.Session{Port: new(int64(1935)), EgressPort: new(int64(1936))}},
		"port as a float":          {`"port":1935.0`, api.Session{Port: new(int64(1935))}},
		"two letter cases":         {`"name":null,"Name":"n"`, api.Session{Name: "n"}},
		"two spellings":            {`"UserId":"other","user_id":"u"`, api.Session{UserID: "u"}},
		"escapes":                  {`"name":"\u00e9\ud83d\ude00\u0000"`, api.Session{Name: `é😀\u0000`}},
		"lone surrogate":           {`"name":"\ud800"`, api.Session{Name: "\uFFFD"}},
		"unknown status":           {`"status":"WARMING_UP"`, api.Session{Status: "WARMING_UP"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields := test.fields
			if fields != "" {
				fields = "," + fields
			}
			got, err := getSession(t, `{"data":{"id":"s-1"`+fields+`}}`)
			if err != nil {
				t.Fatal(err)
			}
			test.want.ID = "s-1"
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("an id beside objects with ids", func(t *testing.T) {
		t.Parallel()
		got, err := getSession(t, `{"id":"s-1","status":"READY","links":{"id":"l-1"}}`)
		if err != nil || got.ID != "s-1" || got.Status != "READY" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("an id in data beside that of the request", func(t *testing.T) {
		t.Parallel()
		if got, err := getSession(t, `{"id":"request-7","data":{"id":"s-1","status":"READY"}}`); err != nil || got.ID != "s-1" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("id is a number", func(t *testing.T) {
		t.Parallel()
		if got, err := getSession(t, `{"id":9007199254740993}`); err != nil || got.ID != "9007199254740993" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// TestUnreadableAnswers expects errors that say which types and keys were found.
func TestUnreadableAnswers(t *testing.T) {
	t.Parallel()
	const prefix = "read the live session s-1: GET https://live.example.com/edge/live/v1/live-streams/session/s-1: 200 OK: the response cannot be read: "
	for body, want := range map[string]string{
		`null`:                             `no session with an id was found in null`,
		`"hidden"`:                         `no session with an id was found in a string`,
		`12`:                               `no session with an id was found in a number`,
		`true`:                             `no session with an id was found in a boolean`,
		`[]`:                               `no session with an id was found in an empty list`,
		`{}`:                               `no session with an id was found in an empty object`,
		`[{"id":"a"},{"id":"b"}]`:          `no session with an id was found in a list of 2, the first an object`,
		`{"data":null,"message":"hidden"}`: `no session with an id was found in an object with "data", "message"`,
		`{"data":{"message":"hidden"}}`:    `no session with an id was found in an object with "data"; data is an object with "message"`,
		`{"data":[1]}`:                     `no session with an id was found in an object with "data"; data is a list of 1, the first a number`,
		`{"a":{"id":"hidden","mode":"HA"},"b":{"id":"hidden","mode":"HA"}}`:     `no session with an id was found in an object with "a", "b"`,
		`{"id":"hidden","a":{"id":"s","mode":"HA"},"b":{"id":"t","mode":"HA"}}`: `no session with an id was found in an object with "a", "b", "id"`,
		`{"id":""}`:      `the session's id is an empty string`,
		`{"id":{}}`:      `the session's id is an empty object`,
		`{"id":{"x":1}}`: `the session's id is an object with "x"`,
		`{"id":"s","name":{"hidden-key":"hidden"}}`:                   `name is an object with "hidden-key" where a string was expected`,
		`{"id":"s","port":"hidden"}`:                                  `port is a string where an integer was expected`,
		`{"id":"s","port":1.5}`:                                       `port is a number where an integer was expected`,
		`{"id":"s","port":1e400}`:                                     `port is a number where an integer was expected`,
		`{"id":"s","port":99999999999999999999}`:                      `port is a number where an integer was expected`,
		`{"id":"s","enable_input_record":"hidden"}`:                   `enable_input_record is a string where true or false was expected`,
		`{"id":"s","is_scheduled":[1]}`:                               `is_scheduled is a list of 1, the first a number where true or false was expected`,
		`{"id":"s","input_preset":"hidden"}`:                          `input_preset is a string where an object was expected`,
		`{"id":"s","input_preset":{"codec":["hidden"]}}`:              `codec is a list of 1, the first a string where a string was expected`,
		`{"id":"s","output_mode":5}`:                                  `output_mode is a number where a string, or an object holding one, was expected`,
		`{"id":"s","output_mode":{"a":"hidden","b":"hiddenb"}}`:       `output_mode is an object with "a", "b" where a string, or an object holding one, was expected`,
		`{"id":"s","output_mode":{"a":"RTMP_PULL","b":"RTMPS_PULL"}}`: `output_mode is an object with "a", "b" where a string, or an object holding one, was expected`,
		`{"id":"s","output_mode":["hidden","hidden"]}`:                `output_mode is a list of 2, the first a string where a string, or an object holding one, was expected`,
	} {
		got, err := getSession(t, body)
		if err == nil {
			t.Errorf("%s: read as %+v", body, got)
			continue
		}
		want = prefix + want
		if err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", body, err, want)
		}
		if strings.Contains(strings.ReplaceAll(err.Error(), "hidden-key", ""), "hidden") {
			t.Errorf("%s: a value is shown: %v", body, err)
		}
	}
	t.Run("not JSON", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{`{"id":"hidden`, `hidden`, `{"id":"s"}hidden`, `{'id':'hidden'}`, `{"id":"s",}`, "\xff\xfe{}", "\ufeff{}"} {
			_, err := getSession(t, body)
			if want := fmt.Sprintf("the response cannot be read: it is not JSON (application/json, %d bytes)", len(body)); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%q: got %v, want %s", body, err, want)
			}
		}
	})
	t.Run("many keys", func(t *testing.T) {
		t.Parallel()
		var keys []string
		for i := range 5000 {
			keys = append(keys, fmt.Sprintf("%q:1", strings.Repeat("k", 100)+fmt.Sprint(i)))
		}
		_, err := getSession(t, "{"+strings.Join(keys, ",")+"}")
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("got %v", err)
		}
	})
}

// TestCreateKeepsTheID expects a session even if another field of the response cannot be read.
func TestCreateKeepsTheID(t *testing.T) {
	t.Parallel()
	client := newClient(t, config(wiretest.Always(200, `{"data":{"id":"s-9","name":"n","port":"many","output_mode":5}}`)))
	got, err := client.CreateSession(t.Context(), api.SessionSpec{Name: "n"})
	if err != nil || got.ID != "s-9" || got.Name != "n" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = newClient(t, config(wiretest.Always(201, `{"data":{"name":"n"}}`))).CreateSession(t.Context(), api.SessionSpec{Name: "n"})
	if e := asError(t, err); !e.MayHaveBeenProcessed || e.Status != 201 || e.Attempts != 1 {
		t.Errorf("got %+v", e)
	}
}

// TestRefusalWithStatus200 expects a refusal with the error status that a body tells.
func TestRefusalWithStatus200(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		body      string
		status    int // 0: no refusal
		processed bool
	}{
		{`{"statusCode":400,"message":"no such region"}`, 400, false},
		{`{"status_code":422,"data":null,"message":"no such region"}`, 422, false},
		{`{"code":403,"data":{},"error":"no such region"}`, 403, false},
		{`{"StatusCode":400,"data":[],"errors":[{"message":"no such region"}],"id":"request-7"}`, 400, false},
		{`{"statusCode":"400","message":"no such region"}`, 400, false},
		{`{"statusCode":400,"data":{"path":"x"},"message":"no such region"}`, 400, false},
		{`{"statusCode":500,"message":"no such region"}`, 500, true},
		{`{"statusCode":200,"message":"no such region"}`, 0, true},
		{`{"statusCode":399,"message":"no such region"}`, 0, true},
		{`{"code":1400,"message":"no such region"}`, 0, true},
		{`{"statusCode":400.5,"message":"no such region"}`, 0, true},
		{`{"error":{"statusCode":400},"message":"no such region"}`, 0, true},
	} {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			service := wiretest.Always(200, test.body)
			_, err := newClient(t, config(service)).CreateSession(t.Context(), api.SessionSpec{Name: "n"})
			e := asError(t, err)
			want := 200
			if test.status != 0 {
				want = test.status
			}
			if e.Status != want || (e.Message == "no such region") != (test.status != 0) || e.MayHaveBeenProcessed != test.processed || len(service.Requests()) != 1 {
				t.Errorf("got %+v after %d requests", e, len(service.Requests()))
			}
		})
	}
	for _, body := range []string{
		`{"statusCode":400,"data":` + sessionJSON + `}`,
		`{"code":404,` + sessionJSON[1:],
		`{"status":"400",` + sessionJSON[1:],
		`{"statusCode":200,"session":` + sessionJSON + `}`,
	} {
		if got, err := once(t, 200, body).CreateSession(t.Context(), api.SessionSpec{Name: "n"}); err != nil || got.ID != "s-1" {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
	// A batch job has nothing to read back, so only the status tells a refusal from a success.
	for _, body := range []string{`{"statusCode":400,"message":"bad path","data":{"path":"x"}}`, `{"statusCode":"400","message":"bad path"}`} {
		if _, err := once(t, 200, body).SubmitBatch(t.Context(), []string{"k"}, []string{"m"}); err == nil || asError(t, err).Status != 400 {
			t.Errorf("%s: got %v, want a 400", body, err)
		}
	}
	if _, err := once(t, 200, `{"statusCode":404,"message":"none"}`).GetSession(t.Context(), "s-1"); !api.NotFound(err) {
		t.Errorf("got %v, want a 404", err)
	}
	if _, err := once(t, 200, `{"data":null,"statusCode":400,"message":"bad mode"}`).SubmitBatch(t.Context(), []string{"k"}, []string{"m"}); asError(t, err).Message != "bad mode" || api.MayHaveBeenProcessed(err) {
		t.Errorf("got %v, want a refusal", err)
	}
}

// TestHugeAnswers neither crash nor hang.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	const size = 3 << 20
	for name, body := range map[string]string{
		"lists in lists":     strings.Repeat("[", size) + strings.Repeat("]", size),
		"objects in objects": strings.Repeat(`{"data":`, size/8) + "1" + strings.Repeat("}", size/8),
		"deep but allowed":   strings.Repeat(`{"data":`, 9000) + `{"id":"s"}` + strings.Repeat("}", 9000),
		"nothings":           "[" + strings.Repeat("0,", size) + "0]",
		"deep output_mode":   `{"id":"s","output_mode":` + strings.Repeat(`{"a":`, 5000) + `"RTMP_PULL"` + strings.Repeat("}", 5001),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := getSession(t, body); err == nil || len(err.Error()) > 1000 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		head := `{"id":"s"}`
		got, err := getSession(t, head+strings.Repeat(" ", 16<<20-len(head)))
		if err != nil || got.ID != "s" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("beyond the limit is not repeated", func(t *testing.T) {
		t.Parallel()
		service := wiretest.Always(200, strings.Repeat(" ", 16<<20)+"{}")
		_, err := newClient(t, config(service)).Regions(t.Context())
		if n := len(service.Requests()); err == nil || !strings.Contains(err.Error(), "longer than 16 MiB") || n != 1 {
			t.Errorf("%d requests, %v", n, err)
		}
	})
}
