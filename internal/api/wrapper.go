package api

import "slices"

const (
	// wrapperDepth is how deep the wanted object may be wrapped.
	wrapperDepth = 5
	// membersSearched is how many members of one object are searched.
	membersSearched = 50
)

// wanted says how the object that an answer is asked for is recognised.
type wanted struct {
	// name is what the service may call a wrapper of the object, besides "data".
	name string
	// full reports whether an object is the wanted one, whatever other members it has.
	full func(object) bool
	// bare reports whether an object can be the wanted one if none is full; nil: none can.
	bare func(object) bool
	// own are keys under which the wanted object has objects itself: these are no wrappers.
	own []string
	// inLists allows a list of one element as a wrapper.
	inLists bool
}

// find returns the wanted object. The rule for wrappers is:
//
//   - An object that is full is it. The outermost one counts.
//   - Otherwise it is searched for in the member "data", then in the member called w.name, and then
//     in all others. Only one of these others may hold it: of two, none is more likely meant.
//   - If no object is full, one that is bare will do. The innermost in "data" or w.name counts,
//     because a wrapper may have an id of its own.
func (w wanted) find(v value) (object, bool) {
	o, found := w.search(v, w.full, false, 0)
	if found == 0 && w.bare != nil {
		o, found = w.search(v, w.bare, true, 0)
	}
	return o, found == 1
}

// search returns how many objects that fit it found, and the object if it is one. innermost decides
// between an object and one inside its named members when both fit.
func (w wanted) search(v value, fits func(object) bool, innermost bool, depth int) (object, int) {
	v, ok := w.enter(v, depth)
	if !ok {
		return object{}, 0
	}
	o := v.object()
	if !innermost && fits(o) {
		return o, 1
	}
	named, others := w.members(o)
	for _, inner := range named {
		if o, found := w.search(inner, fits, innermost, depth+1); found > 0 {
			return o, found
		}
	}
	if innermost && fits(o) {
		return o, 1
	}
	var one object
	all := 0
	for _, inner := range others {
		if o, found := w.search(inner, fits, innermost, depth+1); found > 0 {
			one, all = o, all+found
		}
	}
	return one, all
}

// enter returns the object that v is, or that it holds as a list of one element.
func (w wanted) enter(v value, depth int) (value, bool) {
	if v.isArray() && w.inLists {
		if n, only := v.count(2); n == 1 {
			v = only
		}
	}
	return v, v.isObject() && depth <= wrapperDepth
}

// members lists the members of o in which the wanted object may be.
func (w wanted) members(o object) (named, others []value) {
	isNamed := func(key string) bool { return fold(key) == "data" || fold(key) == fold(w.name) }
	isOwn := func(key string) bool {
		return slices.ContainsFunc(w.own, func(own string) bool { return fold(own) == fold(key) })
	}
	for _, key := range []string{"data", w.name} {
		if v := o.get(key); !v.isNull() {
			named = append(named, v)
		}
	}
	for _, key := range o.keys() {
		if v := o.members[key]; (v.isObject() || v.isArray()) && !isNamed(key) && !isOwn(key) && len(others) < membersSearched {
			others = append(others, v)
		}
	}
	return named, others
}

// plainLists are names that say no more of a list than that it is one.
var plainLists = []string{"data", "items", "results", "result", "records", "list"}

// findList returns the list under a key, wrapped by the rule of wanted; null counts as an empty
// list. Without that key it is a list under a name that says nothing, or the only list that is not
// empty: "errors": [] is not it. The members called own are not searched.
func findList(v value, key string, own ...string) (value, bool) {
	if v.isArray() {
		return v, true
	}
	under := func(o object) bool {
		list := o.get(key)
		return o.has(key) && (list.isArray() || list.isNull())
	}
	w := wanted{full: under, bare: func(o object) bool { return onlyList(o) != nil }, own: own}
	o, ok := w.find(v)
	if !ok {
		return nil, false
	}
	if under(o) {
		return o.get(key), true
	}
	return onlyList(o), true
}

func onlyList(o object) value {
	for _, key := range plainLists {
		if list := o.get(key); list.isArray() {
			return list
		}
	}
	var lists []value
	for _, key := range o.keys() {
		if list := o.members[key]; list.isArray() && !list.empty() {
			lists = append(lists, list)
		}
	}
	if len(lists) != 1 {
		return nil
	}
	return lists[0]
}
