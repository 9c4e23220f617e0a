package resume

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// Kind is what a line of the ledger is about.
type Kind string

// The kinds. What an action makes is in no state, so its line ends only with Drop.
const (
	KindSession    Kind = "session"
	KindJob        Kind = "job"
	KindFile       Kind = "file"
	KindActionJob  Kind = "actionjob"
	KindActionFile Kind = "actionfile"
)

// stored reports whether lines of a kind are about files, whose objects are known from the start.
func (k Kind) stored() bool { return k == KindFile || k == KindActionFile }

// Request is what an object is asked for with. Two requests with equal values, apart from Name,
// would make the same object twice.
type Request struct {
	Kind    Kind
	Service string // address of the API, and what tells the accounts of the service apart
	Body    any    // all arguments, as values that JSON can hold
	Name    string // of the object, for people who read the line
}

// Made is what the service returned for an object, "" for what it left out.
type Made struct {
	ID      string `json:"id"`                // of a session or a job; key path of a file
	At      string `json:"at,omitempty"`      // RFC 3339
	Message string `json:"message,omitempty"` // of a job

	// Of a file.
	ETag       string `json:"etag,omitempty"`
	Bucket     string `json:"bucket,omitempty"`
	Encryption string `json:"encryption,omitempty"`
	VersionID  string `json:"version_id,omitempty"`
	Parts      int64  `json:"parts,omitempty"`
	Doubt      string `json:"doubt,omitempty"` // why it may not be stored as it was sent
}

// Line is one object in the ledger. A nil *Line is not recorded: its methods do nothing.
type Line struct {
	ledger  *Ledger
	page    *page
	own     bool // this process has made it
	removed bool
	content lineContent
}

// lineContent is a line as JSON, in words that tell a person what it is about. It holds no secret
// and no URL.
type lineContent struct {
	Kind      Kind      `json:"kind"`
	Request   string    `json:"request"` // digest under the key of the page
	Name      string    `json:"name"`
	Folder    string    `json:"folder"`
	Workspace string    `json:"workspace"`
	Began     time.Time `json:"began"` // just before the request was sent
	Made      *Made     `json:"made"`  // null: the response is not known
	Group     string    `json:"group,omitempty"`
	Imported  string    `json:"imported,omitempty"` // id of an object that a plan imports; see Ledger.Import
	Run       string    `json:"run,omitempty"`
}

const linePattern = `(session|job|file|actionjob|actionfile)(-[0-9a-f]{16}){4}\.jsonl?`

var errExpired = errors.New("it has ended")

var lineName = regexp.MustCompile(`^` + linePattern + `$`)

// Began returns the time just before the request was sent, by the clock of then.
func (n *Line) Began() time.Time { return n.content.Began }

// ID identifies the line of a session or a job, in every process.
func (n *Line) ID() string { return n.page.id }

// Made returns what the service returned, nil if that is not known.
func (n *Line) Made() *Made { return n.content.Made }

// Imported returns the id of the object that was imported last for the line, "" for none.
func (n *Line) Imported() string { return n.content.Imported }

// object is the id of what the line is about, or may be; "": it is not known.
func (n *Line) object() string {
	if made := n.content.Made; made != nil {
		return made.ID
	}
	return n.content.Imported
}

// Name returns the name of the object.
func (n *Line) Name() string { return n.content.Name }

// Left reports whether a Delete of this process has left the object.
func (n *Line) Left() bool { return n.own }

// Taken reports whether this process has taken the line.
func (n *Line) Taken() bool {
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	return n.page.process == n.ledger.process
}

// Unmade reports whether this process has found that the request made nothing that runs.
func (n *Line) Unmade() bool {
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	return n.removed && n.content.Made == nil
}

// Kind returns what the line is about.
func (n *Line) Kind() Kind { return n.page.kind }

// Path returns the file of the line, whose removal makes the provider forget it; "" in memory.
func (n *Line) Path() string {
	if !n.page.onDisk {
		return ""
	}
	return n.ledger.store.private.Path(n.ledger.fileName(n.page))
}

// Written reports whether the line outlives this process.
func (n *Line) Written() bool { return n != nil && n.page.onDisk }

// digest is what equal requests have in common. It has a key, because arguments may be secrets.
func (r Request) digest(key string) string {
	body, _ := json.Marshal(r.Body) // values of the caller's own types
	mac := hmac.New(sha256.New, []byte(key))
	for _, text := range []string{string(r.Kind), r.Service, string(body)} {
		mac.Write([]byte(text + "\n"))
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// encode indents a line for people, unless others follow it.
func (n *Line) encode() (text []byte, err error) {
	if n.page.kind.stored() {
		text, err = json.Marshal(n.content)
	} else {
		text, err = json.MarshalIndent(n.content, "", "  ")
	}
	return append(text, '\n'), err
}

// clean reports whether a recorded object may go to a state, and clears the values that may not.
func (m *Made) clean(kind Kind) bool {
	for _, text := range []string{m.ID, m.Message, m.Bucket, m.Encryption, m.VersionID} {
		if !parse.Safe(text) {
			return false
		}
	}
	if !parse.ValidETag(m.ETag) {
		m.ETag = ""
	}
	if _, err := time.Parse(time.RFC3339, m.At); err != nil {
		m.At = ""
	}
	if _, err := parse.SplitKeyPath(m.ID); err != nil && kind.stored() {
		return false
	}
	return m.ID != "" && len(m.ID) <= textLimit
}
