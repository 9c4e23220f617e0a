package api

import (
	"context"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// Cursor says where the next page of a listing begins: the values of LastEvaluatedKey by name (id,
// user_id, created_at_user_id, and any others that came with them). They are sent back in the query
// under the same names.
type Cursor map[string]string

// SessionPage is one page of the listing, at most 100 sessions.
type SessionPage struct {
	Sessions []Session
	Next     Cursor // nil on the last page
	Size     int64  // bytes, about what is kept of it in memory
}

const (
	// pageLimit is how many entries of a list are read. The service sends at most 100 sessions.
	pageLimit = 1000
	// cursorLimit is how many values a cursor may have.
	cursorLimit = 16
)

// decodePage reads the response to call 11 of SERVICE.md: Sessions and LastEvaluatedKey, wrapped or
// bare, or only a list. It stops when ctx ends.
func decodePage(ctx context.Context, v value) (*SessionPage, error) {
	list, ok := findList(v, "Sessions", "LastEvaluatedKey")
	if !ok {
		return nil, misshapen("no list of sessions was found in %s%s", v.describe(), describeData(v))
	}
	page := &SessionPage{}
	for i, item := range list.items() {
		if i == pageLimit {
			return nil, misshapen("it has more than %d sessions", pageLimit)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !item.IsObject() {
			return nil, misshapen("entry %d of the sessions is %s where an object was expected", i+1, item.brief())
		}
		s, _, err := decodeSession(item)
		if err != nil {
			return nil, misshapen("entry %d of the sessions: %s", i+1, strings.TrimPrefix(err.Error(), shapePrefix))
		}
		page.Sessions = append(page.Sessions, s)
		page.Size += keptWith + s.size()
	}
	page.Sessions = slices.Clip(slices.Clone(page.Sessions)) // kept without the room to grow
	o, found := aCursor.count(v)
	if found > 1 {
		return nil, misshapen("it has %d cursors (LastEvaluatedKey)", found) // one of them may lead to further sessions
	}
	if found == 1 {
		next, err := decodeCursor(o.get("LastEvaluatedKey"))
		if err != nil {
			return nil, err
		}
		page.Next = next
	}
	return page, nil
}

func hasSessions(v value) bool {
	_, ok := findList(v, "Sessions", "LastEvaluatedKey")
	return ok
}

// keptWith, in bytes, is about what is kept besides the values of a session: the map and where it
// was seen.
const keptWith = 2 << 10

// size returns about how many bytes the values take.
func (s Session) size() (n int64) {
	const class = 16 // allocations are multiples of this
	for _, text := range s {
		n += (int64(len(text)) + class - 1) / class * class
	}
	return n
}

// aCursor is the object with the cursor, beside the list or around it.
var aCursor = wanted{
	sure: func(o object) bool { return !o.get("LastEvaluatedKey").empty() },
	own:  []string{"Sessions"},
}

// cursorKeys are the documented fields of a cursor.
var cursorKeys = []string{"id", "user_id", "created_at_user_id"}

// decodeCursor reads LastEvaluatedKey; nil on the last page, where the documented fields are empty.
// If one is set, all other strings are sent back, too, under the names that they came with.
func decodeCursor(v value) (Cursor, error) {
	if !v.IsObject() {
		return nil, misshapen("LastEvaluatedKey is %s where an object was expected", v.describe())
	}
	o := v.object()
	if len(o.members) > cursorLimit {
		return nil, misshapen("LastEvaluatedKey has more than %d values", cursorLimit)
	}
	next := Cursor{}
	for _, key := range cursorKeys {
		text, ok := cursorValue(o.get(key))
		if !ok {
			return nil, misshapen("%s of LastEvaluatedKey is %s where a string was expected", key, o.get(key).describe())
		}
		if strings.TrimSpace(text) != "" {
			next[key] = text
		}
	}
	if len(next) == 0 {
		if v.hollow(0) || slices.ContainsFunc(cursorKeys, o.has) {
			return nil, nil
		}
		// Taking this page for the last one would hide sessions.
		return nil, misshapen("LastEvaluatedKey is %s, of which none is %s", v.describe(), strings.Join(cursorKeys, ", "))
	}
	for _, m := range o.distinct() {
		text, ok := cursorValue(m.value)
		if ok && strings.TrimSpace(text) != "" && !among(cursorKeys, m.key) {
			next[m.key] = text
		}
	}
	return next, nil
}

// cursorValue reads a scalar, or one with its type as in a DynamoDB item, {"S": "…"}.
func cursorValue(v value) (string, bool) {
	if v.IsObject() {
		if o := v.object(); len(o.members) == 1 {
			if inner := o.members[0]; !inner.IsObject() {
				v = inner.value
			}
		}
	}
	text, ok := v.scalar()
	return text, ok && len(text) <= TextLimit && parse.Safe(text)
}
