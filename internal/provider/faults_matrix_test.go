package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// The fault matrix: every call of the interface x everything that may go wrong with it x (once, for
// ever), through the real provider. testdata/faults.txt has the cells and says how to read them.

// columns are the calls by what may be done after a failure. "ask" are those that may always be
// repeated: a lost answer leaves nothing behind that is paid for or seen.
var columns = map[string][]string{
	"ask":      {simulator.CallRegions, simulator.CallGetSession, simulator.CallListSessions, simulator.CallPresignURL, simulator.CallMultipartCreate},
	"url":      {simulator.CallMultipartURL},
	"complete": {simulator.CallMultipartComplete},
	"submit":   {simulator.CallCreateSession, simulator.CallBatch},
	"object":   {simulator.CallPutObject},
	"part":     {simulator.CallPutPart},
}

// faultKind is a row of the matrix: the fault, and what an error must say of it.
type faultKind struct {
	fault       simulator.Fault
	notMade     bool   // no connection: not a fault of the service
	held        bool   // processed, but never answered
	said, aside string // by a call of an API; by a PUT to storage
}

const passwordElsewhere = "0f1e2d3c4b5a6978"

func faultKinds() map[string]faultKind {
	status := func(code int, fault simulator.Fault) faultKind {
		fault.Status = code
		said := strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
		return faultKind{fault: fault, said: said, aside: "storage answered " + said}
	}
	body := func(text, said, aside string) faultKind {
		return faultKind{fault: simulator.Fault{Status: http.StatusOK, Body: text}, said: said, aside: aside}
	}
	coded := func(code int, s3 string) faultKind {
		return status(code, simulator.Fault{Body: "<Error><Code>" + s3 + "</Code></Error>"})
	}
	elsewhere := status(http.StatusTemporaryRedirect, simulator.Fault{Header: http.Header{"Location": {"https://user:" + passwordElsewhere + "@else.example.com/?X-Amz-Signature=" + passwordElsewhere}}})
	elsewhere.said = "the service redirects to https://***@else.example.com/?***"
	wait := simulator.Fault{Header: http.Header{"Retry-After": {"1"}}}
	page := simulator.Fault{Body: "<html><head><title>Sign in to the network</title></head></html>"}
	return map[string]faultKind{
		"not connected":        {notMade: true, said: "connection refused", aside: "connection refused"},
		"broken before":        {fault: simulator.Fault{BreakBefore: true}, said: "no response was received: ", aside: `Uploading the file failed: File "clip.mp4": send `},
		"broken after":         {fault: simulator.Fault{BreakAfter: true}, said: "no response was received: ", aside: `Uploading the file failed: File "clip.mp4": send `},
		"time-out before":      {fault: simulator.Fault{Delay: time.Hour}, said: "time-out after 5s", aside: "no progress for 5s"},
		"time-out after":       {held: true, said: "time-out after 5s", aside: "no progress for 5s"},
		"429":                  status(http.StatusTooManyRequests, simulator.Fault{}),
		"429 with Retry-After": status(http.StatusTooManyRequests, wait),
		"503":                  status(http.StatusServiceUnavailable, page),
		"503 with Retry-After": status(http.StatusServiceUnavailable, wait),
		"503 after processing": status(http.StatusServiceUnavailable, simulator.Fault{Processed: true}),
		"500":                  status(http.StatusInternalServerError, page),
		"200 of a function":    body(`{"errorType":"Error","errorMessage":"The quota is used up","trace":["at handler (index.mjs:3:9)"]}`, "The quota is used up", ""),
		"truncated answer":     {fault: simulator.Fault{Truncate: true}, said: "the response "},
		"not JSON":             {fault: page, said: "the response is not JSON (63 bytes)"},
		"400":                  status(http.StatusBadRequest, simulator.Fault{Body: `{"message":"this will not do"}`}),
		"401":                  status(http.StatusUnauthorized, simulator.Fault{}),
		"403":                  status(http.StatusForbidden, simulator.Fault{}),
		"404":                  status(http.StatusNotFound, simulator.Fault{Body: "no such thing"}),
		"400 RequestTimeout":   coded(http.StatusBadRequest, "RequestTimeout"),
		"403 AccessDenied":     coded(http.StatusForbidden, "AccessDenied"),
		"413 EntityTooLarge":   coded(http.StatusRequestEntityTooLarge, "EntityTooLarge"),
		"408":                  status(http.StatusRequestTimeout, simulator.Fault{}),
		"501":                  status(http.StatusNotImplemented, simulator.Fault{}),
		"307 to another host":  elsewhere,
		"200 refused":          body(`{"data":null,"message":"The quota is used up"}`, "The quota is used up", ""),
		"200 InternalError":    body("<?xml version=\"1.0\"?><Error><Code>InternalError</Code><Message>We failed</Message></Error>", "InternalError: We failed", "storage answered 200 OK (InternalError)"),
		"200 NoSuchUpload":     body("<Error><Code>NoSuchUpload</Code></Error>", "200 OK: NoSuchUpload", "storage answered 200 OK (NoSuchUpload)"),
		"202 without a body":   status(http.StatusAccepted, simulator.Fault{}),
		"200 without an ETag":  {fault: simulator.Fault{Header: http.Header{"ETag": nil}}, aside: "storage answered without an ETag"},
		"404 NoSuchUpload":     coded(http.StatusNotFound, "NoSuchUpload"),
	}
}

// cell is one cell of the matrix.
type cell struct {
	call, kind, times string
	outcome           string // ok, warn, err, unsure
	requests, made    int
}

func readMatrix(t *testing.T) (cells []cell) {
	t.Helper()
	text, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = lines[slices.Index(lines, "")+1:]
	head := strings.Split(lines[0], "|")
	for _, line := range lines[1:] {
		row := strings.Split(line, "|")
		if call, kind, one := strings.Cut(row[0], ": "); one {
			for i, times := range []string{"once", "ever"} {
				at := slices.IndexFunc(cells, func(c cell) bool { return c.call == call && c.kind == strings.TrimSpace(kind) && c.times == times })
				if n, err := fmt.Sscan(row[i+1], &cells[at].outcome, &cells[at].requests, &cells[at].made); n != 3 || err != nil {
					t.Fatalf("cell %q of %s", row[i+1], call)
				}
			}
			continue
		}
		if len(row) != len(head)+1 && len(row) != len(head) {
			t.Fatalf("a row of %d cells under a head of %d: %s", len(row), len(head), line)
		}
		titles := head[len(head)-len(row)+1:]
		for i, title := range titles {
			column, times, _ := strings.Cut(strings.TrimSpace(title), " ")
			fields := strings.Fields(row[i+1])
			if slices.Equal(fields, []string{"-"}) {
				continue
			}
			if len(fields) != 3 || len(columns[column]) == 0 {
				t.Fatalf("cell %q under %q", row[i+1], title)
			}
			requests, err1 := strconv.Atoi(fields[1])
			made, err2 := strconv.Atoi(fields[2])
			if err1 != nil || err2 != nil {
				t.Fatalf("cell %q under %q", row[i+1], title)
			}
			for _, call := range columns[column] {
				cells = append(cells, cell{call, strings.TrimSpace(row[0]), times, fields[0], requests, made})
			}
		}
	}
	return cells
}

// TestFaultMatrix runs its cells in virtual time: they wait for retries and time-outs.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	cells := readMatrix(t)
	calls, used, kinds := map[string]bool{}, map[string]bool{}, faultKinds()
	for _, c := range cells {
		calls[c.call], used[c.kind] = true, true
		if _, known := kinds[c.kind]; !known {
			t.Fatalf("the matrix has an unknown row %q", c.kind)
		}
	}
	if len(calls) != 11 || len(used) != len(kinds) {
		t.Fatalf("the matrix has %d calls, %d cells for %d faults", len(calls), len(cells), len(kinds))
	}
	for _, c := range cells {
		t.Run(strings.ReplaceAll(c.call+"/"+c.kind+"/"+c.times, " ", "_"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { c.run(t, kinds[c.kind]) })
		})
	}
}

func (c cell) run(t *testing.T, kind faultKind) {
	t.Helper()
	config := attrs{
		"max_retries": 1, "skip_region_validation": true, "upload_concurrency": 1, "request_timeout": "5s", "stall_timeout": "5s",
	}
	w := acctest.NewWorld(t, simulator.Options{})
	secrets := knownTo(w, simulator.DefaultSecretKey, simulator.DefaultIDToken, passwordElsewhere, "src-key-5f21c0", "dst-key-77ab19")
	p := w.Provider(config)
	var path, id string
	switch c.call {
	case simulator.CallBatch:
		path = w.AddObject()
	case simulator.CallGetSession, simulator.CallListSessions:
		id = w.AddSession(simulator.SessionRecord{})
	}
	c.arm(t, w, kind)
	diags := c.carry(t, w, p, path, id)

	text := diags.String()
	c.checkText(t, kind, path, diags.Failed(), text)
	w.AssertCalls(t, c.call, c.requests)
	made, counted := map[string]int{
		simulator.CallCreateSession: len(w.Sessions()), simulator.CallBatch: len(w.Batches()), simulator.CallMultipartURL: len(w.Objects()),
		simulator.CallMultipartComplete: len(w.Objects()), simulator.CallPutObject: len(w.Objects()), simulator.CallPutPart: len(w.Objects()),
	}[c.call]
	if counted && made != c.made {
		t.Errorf("%d exist in the end, want %d", made, c.made)
	}
	if kind.fault.Header.Get("Retry-After") != "" {
		checkGap(t, w.Journal(), c.call)
	}
	secrets.absentFrom(t, "a diagnostic", text)
	secrets.absentFrom(t, "the log", w.Log.String())
}

// carry has the provider do what needs the call, on the file or the session that this needs. path
// is that of the file.
func (c cell) carry(t *testing.T, w *acctest.World, p *acctest.Provider, path, id string) acctest.Diagnostics {
	t.Helper()
	switch c.call {
	case simulator.CallRegions:
		return read(p, "vodlive_regions", nil)
	case simulator.CallGetSession:
		return read(p, "vodlive_live_session", attrs{"id": id})
	case simulator.CallListSessions:
		return read(p, "vodlive_live_sessions", nil)
	case simulator.CallCreateSession:
		return session(w, p)
	case simulator.CallBatch:
		return batch(p, path)
	case simulator.CallPresignURL, simulator.CallPutObject:
		return upload(t, p, "single")
	}
	return upload(t, p, "multipart")
}

// arm puts the fault in the way of the call.
func (c cell) arm(t *testing.T, w *acctest.World, kind faultKind) {
	t.Helper()
	if kind.notMade {
		c.refuse(w)
		return
	}
	fault := kind.fault
	fault.Call = c.call
	if c.times == "once" {
		fault.Times = 1
	}
	if kind.held {
		over := make(chan struct{})
		t.Cleanup(func() { close(over) })
		fault.Rewrite = func(body []byte) []byte { <-over; return body }
	}
	if c.times != "once" && (fault.Status == http.StatusTooManyRequests || fault.Status == http.StatusServiceUnavailable) {
		// Such a request is repeated as long as there is time, so the second response leaves none.
		fault.Times = 1
		w.Fail(fault)
		fault.Times, fault.Header = 0, http.Header{"Retry-After": {"172800"}}
	}
	w.Fail(fault)
}

// refuse has connections for the call refused: the next one, or all from then on. Those of an
// address that another call uses before are refused after that.
func (c cell) refuse(w *acctest.World) {
	at, n := w.VOD, -1
	switch c.call {
	case simulator.CallRegions, simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions:
		at = w.Live
	case simulator.CallPutObject, simulator.CallPutPart:
		at = w.Storage
	}
	if c.times == "once" {
		n = 1
	}
	before := map[string]string{
		simulator.CallMultipartURL:      simulator.CallMultipartCreate,
		simulator.CallMultipartComplete: simulator.CallMultipartURL, // of the one part, which goes to another address
	}[c.call]
	if before == "" {
		at.Refuse(n)
		return
	}
	var first sync.Once
	w.Hook(before, func(*http.Request) { first.Do(func() { at.Refuse(n) }) })
}

func (c cell) checkText(t *testing.T, kind faultKind, path string, failed bool, text string) {
	t.Helper()
	has := func(wanted ...string) {
		t.Helper()
		for _, s := range wanted {
			if !strings.Contains(text, s) {
				t.Errorf("the diagnostics lack %q: %s", s, text)
			}
		}
	}
	if failed != (c.outcome != "ok" && c.outcome != "warn") || !failed && (c.outcome == "warn") != (text != "") {
		t.Fatalf("want %s, got%s", c.outcome, text)
	}
	if !failed {
		return
	}
	switch missing := kind.fault.Status == http.StatusNotFound; {
	case c.call == simulator.CallPutObject || c.call == simulator.CallPutPart:
		has(kind.aside)
	case missing && c.call == simulator.CallGetSession:
		has("No live session has this id")
	default:
		has(kind.said)
	}
	if c.requests > 1 && c.call != simulator.CallMultipartComplete {
		has(fmt.Sprintf("(%d attempts", c.requests))
	}
	switch {
	case c.outcome != "unsure":
		if strings.Contains(text, "may have been") {
			t.Errorf("the diagnostics are unsure: %s", text)
		}
	case c.call == simulator.CallBatch:
		has("The batch job may have been submitted", path)
	default:
		has("The live session may have been created", "The next apply looks for it first")
	}
}

// checkGap: what was asked to wait a second has.
func checkGap(t *testing.T, journal []simulator.Request, call string) {
	t.Helper()
	var before time.Time
	for _, r := range journal {
		if r.Call != call {
			continue
		}
		if gap := r.At.Sub(before); !before.IsZero() && (gap < time.Second || gap > 2*time.Second) {
			t.Errorf("%s was repeated after %s, the service asked for a second", call, gap)
		}
		before = r.At
	}
}
