package api

import "github.com/tidwall/gjson"

// wrapperDepth is how deep the wanted object may be wrapped.
const wrapperDepth = 5

// namedWrappers are the likely keys of wrappers, the most likely first.
var namedWrappers = []string{"data", "session"}

// wanted says how to recognise the object that a response was asked for.
type wanted struct {
	// sure: accept this object now.
	sure func(object) bool
	// maybe: accept this object only if no object is sure; nil: never.
	maybe func(object) bool
	// own are keys under which the wanted object has objects itself. These are not searched.
	own []string
	// inLists allows a list of one element as a wrapper.
	inLists bool
}

// find returns the wanted object. The rule for wrappers is:
//
//   - In an object, its member "data" is searched first, then "session", then comes the object
//     itself, because a wrapper may have an id, a name or a URL of its own. Then all its other
//     members are searched. Only one of them may contain the wanted object: if two do, it is not
//     known which is meant.
//   - An object that is maybe is accepted if none is sure.
func (w wanted) find(v value) (object, bool) {
	o, found := w.count(v)
	return o, found == 1
}

// count returns how many objects fit, and the object if only one does.
func (w wanted) count(v value) (object, int) {
	o, found := w.search(v, w.sure, 0)
	if found == 0 && w.maybe != nil {
		o, found = w.search(v, w.maybe, 0)
	}
	return o, found
}

// search returns how many objects that fit it found, and the object if there is one.
func (w wanted) search(v value, fits func(object) bool, depth int) (object, int) {
	if n, only := v.count(); n == 1 && w.inLists {
		v = only
	}
	if !v.IsObject() || depth > wrapperDepth {
		return object{}, 0
	}
	o := v.object()
	for _, key := range namedWrappers {
		if o, found := w.search(o.get(key), fits, depth+1); found > 0 {
			return o, found
		}
	}
	if fits(o) {
		return o, 1
	}
	var one object
	all := 0
	for _, m := range o.distinct() {
		if m.Type != gjson.JSON || among(namedWrappers, m.key) || among(w.own, m.key) {
			continue
		}
		if o, found := w.search(m.value, fits, depth+1); found > 0 {
			one, all = o, all+found
		}
	}
	return one, all
}

// plainLists are keys that do not say what a list contains.
var plainLists = []string{"data", "items", "results", "result", "records", "list"}

// findList returns the list under a key, wrapped by the rule of wanted. null counts as an empty
// list. If the key is missing, it returns the list under one of plainLists, or the only list that
// is not empty: "errors": [] is not meant. The members called own are not searched.
func findList(v value, key string, own ...string) (value, bool) {
	if v.IsArray() {
		return v, true
	}
	under := func(o object) bool {
		list := o.get(key)
		return o.has(key) && (list.IsArray() || list.isNull())
	}
	w := wanted{sure: under, maybe: func(o object) bool { return onlyList(o).Exists() }, own: own}
	o, ok := w.find(v)
	if !ok {
		return value{}, false
	}
	if under(o) {
		return o.get(key), true
	}
	return onlyList(o), true
}

// traceKeys are keys of the lists that say where a program failed.
var traceKeys = []string{"trace", "stackTrace"}

func onlyList(o object) value {
	for _, key := range plainLists {
		if list := o.get(key); list.IsArray() {
			return list
		}
	}
	var lists []value
	for _, m := range o.distinct() {
		if m.IsArray() && !m.empty() && !among(whyKeys, m.key) && !among(traceKeys, m.key) {
			lists = append(lists, m.value)
		}
	}
	if len(lists) != 1 {
		return value{}
	}
	return lists[0]
}
