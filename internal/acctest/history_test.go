package acctest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// History is what happens, in order, to resources, their files, the machines and the service. It is
// played in virtual time, and invariants are checked after every step: see player.check. A history
// is a Go value, so that one that found a defect is kept as a test.
type History struct {
	Seed    int // of what else is random: waits, ids, the order of goroutines; see internal/tools/seeded
	Service Service
	Steps   []Step
}

// Service says how the service differs from the ordinary one.
type Service struct {
	GetLate, ListLate int  // seconds until a new session appears
	PageSize          int  // sessions per page; 0: 100
	Lifetime          int  // of presigned addresses, in seconds; 0: 15 minutes
	Shifting          bool // each call of the listing follows a new session of somebody else
	Others            int  // sessions in the account that no resource manages
	Repeat            bool
	Oldest            bool
	Respelled         bool
	KMS               bool
	CheckUpload       bool   // the address of a part of an unknown upload is refused
	Checksum          string // that storage returns for parts
	TokenFile         bool   // the identity token is in a file
	Backends          bool   // workspaces are backends: each has the workspace "default" and a backend of its own
	Logged            bool   // every level is logged, and searched for secrets
	NoIdentities      bool   // the CLI keeps no identities
}

// Step is something that the user, a machine or the service does. Every step is possible at any
// time: one that has no object does nothing.
type Step struct {
	Do string // one of the Do constants
	In int    // workspace: 0 and 1 are on one machine, 2 is on another
	On string // address of a resource, name of a file, or place in the service
	N  int    // variant

	// Of a run of Terraform: what fails in it, and what happens during it.
	Faults []Trouble
	During []Step
	At     int // of a step in During: before the request with this number; 0: between plan and apply; or afterDeletes
}

// afterDeletes is when everything is deleted that a plan deletes or replaces, and nothing is
// created yet.
const afterDeletes = -1

// What a Step does.
const (
	// Runs of Terraform.
	DoApply   = "apply"
	DoPlan    = "plan"
	DoSave    = "save plan"
	DoSaved   = "apply saved plan"
	DoRefresh = "refresh"
	DoDestroy = "destroy"
	DoReplace = "apply -replace"
	DoTarget  = "apply -target"
	DoStored  = "apply -refresh=false" // On: with -replace; "" without
	DoBoth    = "apply twice at once"  // in workspaces In and N
	DoTaint   = "taint"
	DoUntaint = "untaint"
	DoRemove  = "state rm"
	DoPulumi  = "delete without a plan" // On, as Pulumi does
	DoAdvice  = "follow the advice"
	DoLook    = "look at the account"
	DoImport  = "import"   // to On; N: which id: see player.importNothing and importOwn
	DoMove    = "reimport" // On
	DoInvoke  = "invoke action"
	DoTest    = "terraform test" // a run that applies and destroys, with a state in memory
	DoSettle  = "settle"         // no more faults: see player.settle

	// Changes of the user.
	DoConfig  = "configure"              // On gets variant N; 0: none
	DoVia     = "route through data.via" // arguments of On that become unknown when data.via changes; 0: none, 1: all
	DoSalt    = "change data.via"        // without a change of what comes through it
	DoCBD     = "create_before_destroy"  // toggled for On, as the next two
	DoPrevent = "prevent_destroy"
	DoProtect = "deletion_protection"
	DoTrigger = "replace_triggered_by" // data.via
	DoIgnore  = "ignore_changes"       // of arguments of On; 0: none, 1: all
	DoEdit    = "edit state"           // 0: other parts; else an attribute of unfinished uploads is null, as in the state of an earlier build
	DoAccount = "change account"
	DoWrong   = "wrong credentials" // 0: right again
	DoWrite   = "write file"
	DoTouch   = "touch file"
	DoRename  = "rename file" // away and back
	DoSwap    = "swap file"   // another file is renamed over it
	DoDelete  = "delete file"
	DoRecords = "change resume_dir"

	// What happens to a run.
	DoKill      = "kill"
	DoKillEarly = "kill before processing"
	DoKillCLI   = "kill the CLI"       // alone
	DoUnsaved   = "kill before saving" // the CLI, before it saves result At
	DoLose      = "lose the state"     // as a remote backend does that refuses it, or that has not got it when the CLI is killed: the provider has ended
	DoTwice     = "interrupt twice"    // N: how far apart
	DoInterrupt = "interrupt"
	DoPower     = "cut the power" // N: what the disk loses

	// What happens at the service.
	DoDrop   = "drop uploads"
	DoStatus = "change status"
	DoReady  = "make ready"
	DoGone   = "remove session"
	DoRegion = "change regions" // 1: the one that is used is gone
	DoLater  = "wait"           // for more than a year
)

// Trouble is a fault of one call.
type Trouble struct {
	Call  string // one of the simulator's
	What  string // a key of troubles
	After int    // requests before it
	Times int    // requests that it hits; 0: all
}

// String is the history as a Go expression.
func (h History) String() string {
	var b strings.Builder
	b.WriteString("History{\n")
	if h.Seed != 0 {
		fmt.Fprintf(&b, "\tSeed: %d,\n", h.Seed)
	}
	if h.Service != (Service{}) {
		fmt.Fprintf(&b, "\tService: Service%s,\n", literal(reflect.ValueOf(h.Service)))
	}
	b.WriteString("\tSteps: []Step{\n")
	for _, s := range h.Steps {
		fmt.Fprintf(&b, "\t\t%s,\n", literal(reflect.ValueOf(s)))
	}
	b.WriteString("\t},\n}")
	return b.String()
}

// literal is a composite literal of a struct without its type: zero fields are left out.
func literal(v reflect.Value) string {
	var fields []string
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case field.IsZero(), field.Kind() == reflect.Slice && field.Len() == 0:
		case field.Kind() == reflect.Slice:
			var items []string
			for j := range field.Len() {
				items = append(items, literal(field.Index(j)))
			}
			fields = append(fields, fmt.Sprintf("%s: []%s{%s}", name, field.Type().Elem().Name(), strings.Join(items, ", ")))
		default:
			fields = append(fields, fmt.Sprintf("%s: %#v", name, field.Interface()))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// Replay plays a history and fails the test if an invariant does not hold.
func Replay(t *testing.T, h History) {
	t.Helper()
	stage.InProcess(t)
	if failure := play(t, h, nil); failure != "" {
		t.Errorf("%s\n\nThe history:\n\n%s", failure, h)
	}
}

// play plays a history in a bubble of its own and returns what was wrong. met may be nil.
func play(t *testing.T, h History, met *reached) (failure string) {
	t.Helper()
	return inBubble(t, h, func(t *testing.T) (failure string) {
		t.Helper()
		r := &recorder{TB: t}
		p := newPlayer(r, h)
		p.reached = met
		over := make(chan struct{})
		go func() { // a failure ends this goroutine
			defer close(over)
			defer r.caught()
			for i, s := range h.Steps {
				p.step(i, s)
			}
			p.step(len(h.Steps), Step{Do: DoSettle})
			for in, pl := range p.places { // without faults, a destroy leaves nothing
				p.step(len(h.Steps)+1+in, Step{Do: DoDestroy, In: in})
				for address, o := range pl.state {
					if o.Exists() || len(o.Deposed) > 0 {
						p.rec.Errorf("%s: %s is left after destroy: %v", pl.name, address, o.Attrs())
					}
				}
			}
		}()
		<-over
		if failure = r.text(); failure != "" {
			failure += "\n\n" + p.story.String()
		}
		return failure
	})
}

// inBubble calls f in a bubble. Goroutines that are left are a failure, too. A history that takes
// too long is printed, because the bubble of a timer that is left never ends.
func inBubble(t *testing.T, h History, f func(*testing.T) string) (failure string) {
	t.Helper()
	watch := time.AfterFunc(2*time.Minute, func() { fmt.Fprintf(os.Stderr, "this history does not end:\n%s\n", h) })
	defer watch.Stop()
	defer func() {
		if cause := recover(); cause != nil {
			failure += fmt.Sprintf("goroutines are left: %v\n%s", cause, bubbles())
		}
	}()
	if alone() {
		runtime.GC() // not while it is played
	}
	synctest.Test(t, func(t *testing.T) {
		for range h.Seed {
			_ = rand.Uint64()
		}
		// From midnight, so that a history is the same all day.
		const day = 24 * time.Hour
		time.Sleep(time.Until(time.Now().Add(Settling(t)).Truncate(day).Add(day)))
		failure = f(t)
	})
	return failure
}

// bubbles are the stacks of goroutines in bubbles: of this history, and of those that play now.
func bubbles() string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	stacks := strings.Split(string(all), "\n\n")
	stacks = slices.DeleteFunc(stacks, func(stack string) bool {
		head, _, _ := strings.Cut(stack, "\n")
		return !strings.Contains(head, "synctest bubble") || !strings.Contains(head, "durable")
	})
	return strings.Join(stacks, "\n\n")
}

// recorder is a test whose failures can be looked at.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprintln(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprintln(args...)) }

// caught is deferred in every goroutine that calls the provider.
func (r *recorder) caught() {
	if cause := recover(); cause != nil {
		r.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.failures, "\n")
}

// troubles are the faults by their names in a Trouble.
var troubles = map[string]simulator.Fault{
	"break before":   {BreakBefore: true},
	"break after":    {BreakAfter: true},
	"cut":            {Truncate: true},
	"silent":         {Delay: 100 * time.Hour},
	"silent after":   {Rewrite: func(body []byte) []byte { <-time.After(100 * time.Hour); return body }},
	"slow":           {Delay: 20 * time.Second},
	"very slow":      {Delay: 50 * time.Second},
	"400":            {Status: http.StatusBadRequest, Body: `{"message":"this will not do"}`},
	"401":            {Status: http.StatusUnauthorized},
	"403":            {Status: http.StatusForbidden, Body: `{"message":"forbidden"}`},
	"404":            {Status: http.StatusNotFound, Body: `{"message":"there is no such thing"}`},
	"429":            {Status: http.StatusTooManyRequests},
	"429 wait":       {Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"7"}}},
	"500":            {Status: http.StatusInternalServerError},
	"502":            {Status: http.StatusBadGateway, Body: "<html><head><title>bad gateway</title></head></html>"},
	"503":            {Status: http.StatusServiceUnavailable},
	"503 wait":       {Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"7"}}},
	"503 after":      {Status: http.StatusServiceUnavailable, Processed: true},
	"504 after":      {Status: http.StatusGatewayTimeout, Processed: true},
	"524 after":      {Status: 524, Processed: true}, // of a content delivery network
	"200 wait":       {Status: http.StatusOK, Body: `{"success":false,"message":"Service Unavailable"}`},
	"200 never":      {Status: http.StatusOK, Body: `{"success":false,"message":"The quota is used up"}`},
	"stranger":       {Status: http.StatusOK, Body: `{"data":{"id":"stranger","name":"match","region":"eu-central-1","status":"STOPPED"}}`},
	"page":           {Body: "<html><head><title>Sign in to the network</title></head></html>"},
	"control":        {Status: http.StatusBadRequest, Body: `{"message":"no\u001b[31m \u202e${file(\"x\")} %{ if }"}`},
	"echo":           {Status: http.StatusBadRequest, Body: `{"message":"refused for ` + firstToken + ` and ` + simulator.DefaultSecretKey + `"}`},
	"InvalidPart":    {Status: http.StatusBadRequest, Body: `{"message":"InvalidPart: One or more of the specified parts could not be found.","code":"InvalidPart"}`},
	"NoSuchUpload":   {Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload: The specified upload does not exist.","code":"NoSuchUpload"}`},
	"expired":        {Status: http.StatusForbidden, Body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>`},
	"slow down":      {Status: http.StatusServiceUnavailable, Body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`},
	"wrong ETag":     {Header: http.Header{"Etag": {`"` + wrongETag + `"`}}},
	"KMS ETag":       {Header: http.Header{"Etag": {`"` + kmsETag + `"`}, "X-Amz-Server-Side-Encryption": {"aws:kms"}}},
	"damaged":        {Damage: true},
	"no ETag":        {Header: http.Header{"Etag": nil}},
	"wrong checksum": {Header: http.Header{"X-Amz-Checksum-Crc64nvme": {"AAAAAAAAAAA="}}},
	"other values":   {Rewrite: func(body []byte) []byte { return bytes.Replace(body, []byte(`"match"`), []byte(`"no match"`), 1) }},
	"values missing": {Rewrite: func(body []byte) []byte { return sessionValues.ReplaceAll(body, []byte(`"$1":null`)) }},
	"other key path": {Rewrite: func(body []byte) []byte { return completedKey.ReplaceAll(body, []byte(`"Key":"${1}another/`)) }},
	"other ETag":     {Rewrite: func(body []byte) []byte { return completedETag.ReplaceAll(body, []byte(`"ETag":"\"`+kmsETag)) }},
	"stall":          {Stall: true, StallAfter: 100},
	"refused":        {}, // of the connection: see player.arm
}

var (
	sessionValues = regexp.MustCompile(`"(region|input)": *"[^"]*"`)
	completedKey  = regexp.MustCompile(`"Key": *"([^"]*/)`)
	completedETag = regexp.MustCompile(`"ETag": *"\\"[0-9a-f]{32}`)
)

// accounts is the service with two accounts. Each account is a simulated service, told apart by the
// credential, or by the bucket in the address of a PUT.
type accounts [2]*simulator.Service

const (
	// The customer's id, which every key path has, is in the user name.
	firstTokenID = simulator.DefaultCustomerID + "-token"
	otherTokenID = "other-access-token-id"
	otherSecret  = "other-secret-key-0c94"
	// JWTs, whose subjects tell the accounts apart.
	firstToken = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJ1c2VyLTAwMDEifQ.c2lnbmF0dXJlLW9mLQ0001"
	otherToken = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJ1c2VyLTAwMDIifQ.c2lnbmF0dXJlLW9mLQ0002"

	otherBucket = "vodlive-input-other"
)

func (a accounts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, _, _ := r.BasicAuth()
	if id == otherTokenID || r.Header.Get("Authorization") == otherToken || strings.HasPrefix(r.URL.Path, "/storage/"+otherBucket+"/") {
		a[1].ServeHTTP(w, r)
		return
	}
	a[0].ServeHTTP(w, r)
}

func (a accounts) sessions() []simulator.SessionRecord {
	return append(a[0].Sessions(), a[1].Sessions()...)
}

func (a accounts) objects() []simulator.Object { return append(a[0].Objects(), a[1].Objects()...) }

func (a accounts) uploads() []simulator.Upload { return append(a[0].Uploads(), a[1].Uploads()...) }

func (a accounts) batches() []simulator.Batch { return append(a[0].Batches(), a[1].Batches()...) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}
