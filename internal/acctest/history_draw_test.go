package acctest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// weighted draws a value by weight.
func weighted[T any](t *rapid.T, label string, choices ...choice[T]) T {
	var all []T
	for _, c := range choices {
		for range c.weight {
			all = append(all, c.value)
		}
	}
	return rapid.SampledFrom(all).Draw(t, label)
}

type choice[T any] struct {
	weight int
	value  T
}

func mostly[T any](value T, others ...T) []choice[T] {
	all := []choice[T]{{3 * len(others), value}}
	for _, other := range others {
		all = append(all, choice[T]{1, other})
	}
	return all
}

// only are the addresses that a history is about and for which is holds.
func only(about []string, is func(address string) bool) []string {
	return slices.DeleteFunc(slices.Clone(about), func(address string) bool { return !is(address) })
}

func isOf(typ string) func(address string) bool {
	return func(address string) bool { return kinds[address].typ == typ }
}

func hasFiles(address string) bool { return len(filesOf(address)) > 0 }

func hasLargeFile(address string) bool { return slices.ContainsFunc(filesOf(address), isLarge) }

// drawHistory draws a history of 10 to 30 steps, or more if it has many beginnings.
func drawHistory(t *rapid.T) History {
	h := History{Seed: rapid.IntRange(0, 9999).Draw(t, "seed"), Service: Service{
		GetLate:      weighted(t, "get late", mostly(0, 3, 10, 25)...),
		ListLate:     weighted(t, "list late", mostly(0, 3, 12, 25, 60)...),
		PageSize:     weighted(t, "page size", mostly(0, 1, 2, 3)...),
		NoIdentities: rapid.Bool().Draw(t, "no identities"),
		Logged:       weighted(t, "logged", mostly(false, true)...),
		Lifetime:     weighted(t, "lifetime", mostly(0, 5, 40)...),
		Shifting:     weighted(t, "shifting", mostly(false, true)...),
		Others:       weighted(t, "others", mostly(0, 1, 4)...),
		Repeat:       weighted(t, "repeat", mostly(false, true)...),
		Oldest:       weighted(t, "oldest", mostly(false, true)...),
		Respelled:    weighted(t, "respelled", mostly(false, true)...),
		KMS:          weighted(t, "KMS", mostly(false, true)...),
		CheckUpload:  weighted(t, "check upload", mostly(false, true)...),
		TokenFile:    weighted(t, "token file", mostly(false, true)...),
		Checksum:     weighted(t, "checksum", mostly("", "crc64nvme", "sha256")...),
		Backends:     rapid.Bool().Draw(t, "backends"),
	}}
	about := rapid.SampledFrom(focuses).Draw(t, "about")
	places := weighted(t, "places", mostly(1, 2)...)
	alike := places > 1 && rapid.Bool().Draw(t, "alike") // what the one has made, the other one could use
	routed := weighted(t, "routed", mostly(false, true)...)
	for _, address := range about {
		variant := drawVariant(t, address, 1)
		for in := range places {
			if in > 0 && !alike {
				variant = drawVariant(t, address, 1)
			}
			h.Steps = append(h.Steps, Step{Do: DoConfig, In: in, On: address, N: variant})
		}
		if routed {
			h.Steps = append(h.Steps, Step{Do: DoVia, On: address, N: drawArgument(t)})
		}
	}
	if folders := only(about, isOf(folderType)); len(folders) > 0 && rapid.Bool().Draw(t, "tainted") {
		// Tainted folders are replaced, and a complete one is, where a file may be another one than
		// in the plan.
		failing := Trouble{Call: simulator.CallPutObject, What: "500", After: rapid.IntRange(1, 4).Draw(t, "after")}
		change := func(n int) []Step {
			return []Step{{Do: DoWrite, On: rapid.SampledFrom(filesOf(folders[0])).Draw(t, "file"), N: n, At: rapid.IntRange(afterDeletes, 1).Draw(t, "at")}}
		}
		h.Steps = append(h.Steps, Step{Do: DoApply, Faults: []Trouble{failing}})
		if rapid.Bool().Draw(t, "fails early") { // elsewhere, so that only the state knows what is stored
			early := rapid.SampledFrom([]Trouble{{Call: simulator.CallPresignURL, What: "401"}, {Call: simulator.CallPresignURL, What: "500", Times: 3}}).Draw(t, "early")
			h.Steps = append(h.Steps, Step{Do: DoRecords}, Step{Do: DoApply, Faults: []Trouble{early}}, Step{Do: DoRecords})
		}
		h.Steps = append(h.Steps, Step{Do: DoApply, During: change(2)}, Step{Do: DoApply}, Step{Do: DoReplace, On: folders[0], During: change(1)})
	}
	if large := only(about, hasLargeFile); len(large) > 0 && rapid.Bool().Draw(t, "unfinished") {
		// Its file, or what is configured, changes while an upload of a create or of an update is
		// unfinished.
		on := rapid.SampledFrom(large).Draw(t, "unfinished upload")
		file := filesOf(on)[slices.IndexFunc(filesOf(on), isLarge)]
		if rapid.Bool().Draw(t, "of an update") {
			h.Steps = append(h.Steps, Step{Do: DoApply}, Step{Do: DoWrite, On: file, N: 2})
		}
		change := Step{Do: DoWrite, On: file, N: rapid.IntRange(1, 3).Draw(t, "version")}
		if rapid.Bool().Draw(t, "by configuration") {
			change = Step{Do: DoConfig, On: on, N: drawVariant(t, on, 1)}
		}
		failing := Trouble{Call: simulator.CallPutPart, What: "500", After: 1, Times: 20} // not for ever: see followed
		h.Steps = append(h.Steps, Step{Do: DoApply, Faults: []Trouble{failing}}, change, Step{Do: DoApply})
	}
	if alike {
		h.Steps = append(h.Steps, Step{Do: DoApply, During: []Step{{Do: DoKillCLI, At: rapid.IntRange(2, 9).Draw(t, "killed at")}}}, Step{Do: DoApply, In: 1})
	}
	if stored := only(about, hasFiles); len(stored) > 0 && rapid.Bool().Draw(t, "swapped") {
		// Another file of the same time takes the place of one that is being sent. Parts of the
		// first may be stored.
		var unfinished []Trouble
		latest := 6
		if rapid.Bool().Draw(t, "unfinished") { // not for ever: no step of followed comes between
			unfinished = []Trouble{{Call: simulator.CallPutPart, What: "500", After: 1, Times: 20}}
			latest = 9
		}
		files := filesOf(rapid.SampledFrom(stored).Draw(t, "swapped upload"))
		h.Steps = append(h.Steps, Step{Do: DoApply, Faults: unfinished, During: []Step{{Do: DoSwap, On: rapid.SampledFrom(files).Draw(t, "swapped file"), N: 2, At: rapid.IntRange(1, latest).Draw(t, "swapped at")}}}, Step{Do: DoApply})
	}
	if len(only(about, hasFiles)) > 0 && weighted(t, "unsaved", mostly(false, true)...) { // files are stored that no state has
		death := Step{Do: rapid.SampledFrom([]string{DoKillCLI, DoLose, DoUnsaved}).Draw(t, "death"), N: 3, At: rapid.IntRange(2, 8).Draw(t, "died at")}
		h.Steps = append(h.Steps, Step{Do: DoApply, During: []Step{death}}, Step{Do: DoApply})
	}
	if about[0] == "upload.big" && rapid.Bool().Draw(t, "killed") { // while its parts are sent
		h.Steps = append(h.Steps, Step{Do: DoApply, During: []Step{{Do: DoKill, N: 3, At: rapid.IntRange(3, 16).Draw(t, "killed at")}}})
		if rapid.Bool().Draw(t, "elsewhere") {
			h.Steps = append(h.Steps, Step{Do: DoAccount, N: 1})
		}
		h.Steps = append(h.Steps, Step{Do: DoApply})
	}
	if sessions := only(about, isOf(sessionType)); len(sessions) > 0 && rapid.Bool().Draw(t, "overtaken") {
		// A session is replaced while the one that its update has made is on its way.
		on := rapid.SampledFrom(sessions).Draw(t, "overtaken session")
		h.Steps = append(h.Steps, Step{Do: DoApply}, Step{Do: DoConfig, On: on, N: drawVariant(t, on, 1)},
			Step{Do: DoApply, During: []Step{{Do: DoInterrupt, At: rapid.IntRange(2, 9).Draw(t, "interrupted at")}}},
			Step{Do: rapid.SampledFrom([]string{DoReplace, DoTaint}).Draw(t, "by"), On: on}, Step{Do: DoApply})
	}
	if sessions := only(about, isOf(sessionType)); len(sessions) > 0 && weighted(t, "doubted", mostly(false, true)...) {
		// One 404 of a gateway costs no session, and a taint none that is protected.
		on := rapid.SampledFrom(sessions).Draw(t, "doubted session")
		h.Steps = append(h.Steps, Step{Do: DoApply}, Step{Do: DoApply, Faults: []Trouble{{Call: simulator.CallGetSession, What: "404", Times: 1}}},
			Step{Do: DoProtect, On: on}, Step{Do: DoApply}, Step{Do: DoTaint, On: on}, Step{Do: DoApply})
	}
	if len(only(about, isOf(sessionType))) > 0 && weighted(t, "unanswered", mostly(false, true)...) {
		// The run of a create that gets no response is killed.
		h.Steps = append(h.Steps, Step{
			Do: DoApply, Faults: []Trouble{{Call: simulator.CallCreateSession, What: "silent after", Times: 1}},
			During: []Step{{Do: DoKill, N: 3, At: rapid.IntRange(1, 9).Draw(t, "killed at")}},
		}, Step{Do: DoApply})
	}
	step := rapid.Custom(func(t *rapid.T) Step { return drawStep(t, about, places) })
	h.Steps = append(h.Steps, rapid.SliceOfN(step, max(5, 10-len(h.Steps)), max(5, 30-len(h.Steps))).Draw(t, "steps")...)
	for i, s := range slices.Backward(h.Steps) { // often, an apply follows a kill
		if kills := len(s.During) > 0 && (strings.HasPrefix(s.During[0].Do, DoKill) || s.During[0].Do == DoLose || s.During[0].Do == DoPower || s.During[0].Do == DoTwice); kills && s.During[0].At%3 > 0 {
			h.Steps = slices.Insert(h.Steps, i+1, Step{Do: DoApply, In: s.In})
		} else if kills && places > 1 && s.In < 2 { // in the other workspace of the folder
			h.Steps = slices.Insert(h.Steps, i+1, Step{Do: DoApply, In: 1 - s.In})
		}
		h.Steps = slices.Insert(h.Steps, i+1, followed(s, about)...)
	}
	return h
}

// followed are steps that make others reach what they are for: a saved plan is applied where its
// file is not, and an unfinished upload in a state is edited.
func followed(s Step, about []string) (steps []Step) {
	uploads := only(about, hasFiles)
	unsent := func(t Trouble) bool { return t.Call == simulator.CallPutPart && t.Times == 0 && t.After == 1 }
	const renamed, detects, replacing, argument = 4, 5, 7, 8 // variants with file_name, change_detection and replace_on_status, and which argument that is
	switch {
	case s.Do == DoAccount && s.N == 1 && s.In == 0 && slices.Contains(about, "session.a"): // in the account that does not have the session
		steps = []Step{{Do: DoStored}, {Do: DoStored, On: "session.a"}, {Do: DoConfig, On: "session.a", N: renamed}, {Do: DoStored}}
	case s.Do == DoStatus && slices.Contains(about, "session.a"): // some sessions of a name may have ended
		steps = []Step{{Do: DoLook, In: s.In}}
	case s.Do == DoProtect && kinds[s.On].typ == sessionType:
		steps = []Step{{Do: DoApply, In: s.In}, {Do: DoVia, In: s.In, On: s.On, N: 1}, {Do: DoApply, In: s.In}, {Do: DoSalt, In: s.In}, {Do: DoPlan, In: s.In}}
	case s.Do == DoConfig && kinds[s.On].typ == sessionType && s.N == replacing:
		steps = []Step{
			{Do: DoVia, In: s.In, On: s.On, N: argument},
			{Do: DoApply, In: s.In},
			{Do: DoSalt, In: s.In},
			{Do: DoPlan, In: s.In},
			{Do: DoVia, In: s.In, On: s.On},
		}
	case len(uploads) == 0:
	case s.Do == DoSave && s.N == 1:
		file := filesOf(uploads[0])[0]
		steps = []Step{
			{Do: DoWrite, In: s.In, On: file, N: 3},
			{Do: DoSave, In: s.In},
			{Do: DoRename, In: s.In, On: file},
			{Do: DoSaved, In: s.In},
			{Do: DoRename, In: s.In, On: file},
		}
	case s.Do == DoRename && s.N == 1:
		last := uploads[len(uploads)-1]
		steps = []Step{s, {Do: DoConfig, In: s.In, On: last, N: detects}, {Do: DoApply, In: s.In}, s, {Do: DoPulumi, In: s.In, On: last}, s}
	case s.Do == DoRename && s.On == mediaDir:
		steps = []Step{{Do: DoPlan, In: s.In}, {Do: DoRename, In: s.In, On: mediaDir}}
	case s.Do == DoMove && kinds[s.On].typ == uploadType && len(filesOf(s.On)) == 1 && s.In == 0:
		steps = []Step{{Do: DoConfig, On: s.On, N: renamed}, {Do: DoPlan}, {Do: DoConfig, On: s.On, N: 1}}
	case s.Do == DoSave && s.N == 2:
		steps = []Step{{Do: DoSaved, In: s.In}}
	case s.Do == DoApply && slices.ContainsFunc(s.Faults, unsent) && len(s.Faults) == 1 && len(s.During) == 0:
		steps = []Step{{Do: DoUntaint, In: s.In, On: uploads[0]}, {Do: DoApply, In: s.In}}
	case s.Do == DoApply && slices.ContainsFunc(s.Faults, unsent):
		steps = []Step{{Do: DoEdit, In: s.In, On: uploads[0], N: len(s.Faults)}}
		if len(s.Faults)%2 == 0 { // other parts, in the state and in the record
			steps = []Step{{Do: DoEdit, In: s.In, On: uploads[0]}, {Do: DoRecords, In: s.In, N: 2}, {Do: DoApply, In: s.In}}
		}
	}
	return steps
}

// drawVariant draws the number of a variant, at least the given one.
func drawVariant(t *rapid.T, address string, least int) int {
	k := kinds[address]
	if len(k.refused) > 0 && weighted(t, "refused", choice[bool]{11, false}, choice[bool]{1, true}) {
		return firstRefused + rapid.IntRange(0, len(k.refused)-1).Draw(t, "variant")
	}
	if k.drawn != nil && rapid.Bool().Draw(t, "drawn") {
		return firstDrawn + rapid.IntRange(0, k.most-1).Draw(t, "variant")
	}
	return rapid.IntRange(least, len(k.variants)).Draw(t, "variant")
}

// drawArgument draws which of the arguments of a resource: see choose.
func drawArgument(t *rapid.T) int {
	return weighted(t, "argument", mostly(1, 0, 2, 3, 4, 5, 6, 7, 8)...)
}

func drawStep(t *rapid.T, about []string, places int) Step {
	s := Step{Do: weighted(t, "do",
		choice[string]{16, DoApply}, choice[string]{1, DoPlan}, choice[string]{1, DoSave}, choice[string]{2, DoSaved},
		choice[string]{1, DoRefresh}, choice[string]{1, DoDestroy}, choice[string]{5, DoReplace}, choice[string]{3, DoBoth},
		choice[string]{1, DoTaint}, choice[string]{2, DoUntaint}, choice[string]{1, DoRemove}, choice[string]{2, DoAdvice},
		choice[string]{6, DoConfig}, choice[string]{2, DoCBD}, choice[string]{2, DoEdit}, choice[string]{3, DoAccount},
		choice[string]{3, DoVia}, choice[string]{5, DoSalt}, choice[string]{1, DoPrevent}, choice[string]{1, DoProtect}, choice[string]{1, DoTrigger}, choice[string]{2, DoIgnore},
		choice[string]{1, DoTarget}, choice[string]{1, DoStored}, choice[string]{1, DoWrong}, choice[string]{1, DoRegion}, choice[string]{1, DoLater},
		choice[string]{3, DoWrite}, choice[string]{1, DoTouch}, choice[string]{1, DoSwap}, choice[string]{1, DoRename}, choice[string]{1, DoDelete},
		choice[string]{2, DoRecords}, choice[string]{1, DoDrop}, choice[string]{1, DoStatus}, choice[string]{1, DoGone},
		choice[string]{1, DoLook}, choice[string]{1, DoImport}, choice[string]{1, DoMove}, choice[string]{1, DoInvoke}, choice[string]{1, DoTest}, choice[string]{1, DoPulumi}, choice[string]{1, DoSettle},
	)}
	s.In = weighted(t, "in", choice[int]{12, 0}, choice[int]{1 + 10*(places-1), 1}, choice[int]{1, 2})
	drawObject(t, &s, about)
	switch s.Do {
	case DoApply, DoPlan, DoSave, DoSaved, DoRefresh, DoDestroy, DoReplace, DoTarget, DoStored, DoBoth, DoLook, DoImport, DoInvoke:
		s.Faults = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Trouble { return drawTrouble(t, about) }), 0, 3).Draw(t, "faults")
		if weighted(t, "lost completion", choice[bool]{19, false}, choice[bool]{1, true}) {
			s.Faults = append(s.Faults, Trouble{Call: simulator.CallMultipartComplete, What: "503 after", Times: 1}, Trouble{Call: simulator.CallMultipartComplete, What: "NoSuchUpload", Times: 1})
		}
		if weighted(t, "unfinished", choice[bool]{19, false}, choice[bool]{1, true}) {
			s.Faults = append(s.Faults, Trouble{Call: simulator.CallPutPart, What: "500", After: 1})
		}
		if weighted(t, "token gone", choice[bool]{19, false}, choice[bool]{1, true}) {
			s.Faults = append(s.Faults, Trouble{Call: simulator.CallPresignURL, What: "401", Times: 1}, Trouble{Call: simulator.CallMultipartCreate, What: "401", Times: 1},
				Trouble{Call: tokenFiles, What: "EIO", After: 1, Times: 1})
		}
		if s.Do == DoImport && s.N == 3 {
			s.Faults = append(s.Faults, Trouble{Call: simulator.CallGetSession, What: "values missing"})
		}
	}
	switch s.Do {
	case DoLook, DoImport, DoInvoke:
	case DoApply, DoPlan, DoSave, DoSaved, DoRefresh, DoDestroy, DoReplace, DoTarget, DoStored, DoBoth:
		if weighted(t, "eventful", mostly(false, true)...) {
			s.During = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Step { return drawEvent(t, about) }), 1, 2).Draw(t, "during")
		}
		if kinds[s.On].typ == folderType && weighted(t, "changed", mostly(false, true)...) { // a replacement sees other files than its plan
			change := Step{Do: DoWrite, At: rapid.IntRange(afterDeletes, 0).Draw(t, "at")}
			drawObject(t, &change, about)
			s.During = append(s.During, change)
		}
	}
	return s
}

// drawObject draws what a step is done to.
func drawObject(t *rapid.T, s *Step, about []string) {
	switch s.Do {
	case DoStored:
		if rapid.Bool().Draw(t, "replaces") {
			s.On = rapid.SampledFrom(about).Draw(t, "on")
		}
	case DoReplace, DoTarget, DoTaint, DoUntaint, DoRemove, DoPulumi, DoMove, DoCBD, DoPrevent, DoProtect, DoTrigger:
		s.On = rapid.SampledFrom(about).Draw(t, "on")
	case DoVia, DoIgnore:
		s.On, s.N = rapid.SampledFrom(about).Draw(t, "on"), drawArgument(t)
	case DoEdit:
		s.On, s.N = rapid.SampledFrom(about).Draw(t, "on"), rapid.IntRange(0, 8).Draw(t, "n")
	case DoImport:
		s.On, s.N = rapid.SampledFrom(about).Draw(t, "on"), rapid.IntRange(0, 4).Draw(t, "which")
	case DoWrong:
		s.N = rapid.IntRange(0, 5).Draw(t, "which")
	case DoSave, DoInvoke:
		s.N = rapid.IntRange(0, 2).Draw(t, "n")
	case DoRegion:
		s.N = rapid.IntRange(0, 1).Draw(t, "n")
	case DoConfig:
		s.On = rapid.SampledFrom(about).Draw(t, "on")
		s.N = drawVariant(t, s.On, 0)
		if kinds[s.On].typ == fileType {
			s.N = max(s.N, 1) // no plan can know that the apply deletes a file
		}
	case DoWrite, DoTouch, DoSwap, DoRename, DoDelete:
		files := []string{"small.mp4"} // of no use for sessions
		for _, address := range about {
			if used := filesOf(address); used != nil {
				files = used
			}
		}
		if s.Do == DoRename && slices.Equal(files, folderFiles) {
			files = append(slices.Clone(files), mediaDir, mediaDir, mediaDir)
		}
		s.On = rapid.SampledFrom(files).Draw(t, "file")
		s.N = rapid.IntRange(1, 3).Draw(t, "version")
	case DoTwice:
		s.N = rapid.SampledFrom([]int{0, 1, 5, 100}).Draw(t, "distance")
	case DoKill, DoKillEarly, DoKillCLI:
		s.N = rapid.SampledFrom([]int{0, 3}).Draw(t, "seconds")
	case DoBoth:
		s.N = rapid.IntRange(1, 2).Draw(t, "other workspace")
	case DoAccount:
		s.N = rapid.SampledFrom([]int{1, 1, 5, 0}).Draw(t, "account") // 1: of the first one nothing is left in the state
	case DoRecords, DoStatus, DoGone, DoPower:
		s.N = rapid.IntRange(0, 5).Draw(t, "n")
	}
}

func drawTrouble(t *rapid.T, about []string) Trouble {
	about = only(about, func(address string) bool { return faults[kinds[address].typ] != nil })
	calls := faults[kinds[rapid.SampledFrom(about).Draw(t, "of")].typ]
	call := rapid.SampledFrom(slices.Sorted(maps.Keys(calls))).Draw(t, "call")
	trouble := Trouble{
		Call: call, What: rapid.SampledFrom(calls[call]).Draw(t, "what"),
		After: weighted(t, "after", mostly(0, 1, 2)...), Times: weighted(t, "times", mostly(1, 2, 3, 0)...),
	}
	if slices.Contains([]string{"very slow", "other values", "values missing"}, trouble.What) {
		trouble.Times = 0 // every attempt takes that long, every response says so
	}
	return trouble
}

func drawEvent(t *rapid.T, about []string) Step {
	s := Step{Do: weighted(t, "event",
		choice[string]{2, DoKill}, choice[string]{2, DoKillEarly}, choice[string]{3, DoKillCLI}, choice[string]{2, DoUnsaved}, choice[string]{3, DoLose}, choice[string]{2, DoTwice},
		choice[string]{2, DoPower}, choice[string]{3, DoInterrupt}, choice[string]{2, DoWrite},
		choice[string]{1, DoTouch}, choice[string]{1, DoSwap}, choice[string]{1, DoDelete}, choice[string]{1, DoRecords}, choice[string]{1, DoDrop}, choice[string]{1, DoGone}, choice[string]{2, DoStatus},
	), At: rapid.IntRange(0, 12).Draw(t, "at")}
	drawObject(t, &s, about)
	return s
}

// searched is what all shards of a search have played.
type searched struct {
	played  atomic.Int64
	reached reached
	found   func() // is called for the first failure of a shard
}

// search plays drawn histories, other ones in each shard. For a failure it prints the shortest
// history that fails.
func search(t *testing.T, shard int, s *searched) {
	t.Helper()
	shortest, failure := History{}, ""
	defer func() { // rapid ends the goroutine after a failure
		if failure != "" {
			shortest, failure = shrink(t, shortest, failure)
			fmt.Fprintf(os.Stdout, "%d of %d replays of it fail\n", failing(t, shortest, failure, 0), replays)
			t.Errorf("%s\n\nFor the table of TestFound:\n\n%s", failure, shortest)
		}
	}()
	rapid.Check(t, func(r *rapid.T) {
		for range shard { // so that shards with one seed draw other histories
			rapid.Bool().Draw(r, "shard")
		}
		h := drawHistory(r)
		s.played.Add(1)
		if got := play(t, h, &s.reached); got != "" {
			if failure == "" {
				s.found()
			}
			if failure == "" || len(h.String()) < len(shortest.String()) {
				shortest, failure = h, got
			}
			r.Fatalf("an invariant does not hold")
		}
	})
}

// shrink leaves out what a history needs not in order to fail in this way. rapid leaves at least
// five steps.
func shrink(t *testing.T, h History, failure string) (History, string) {
	t.Helper()
	tries := 1
	if failing(t, h, failure, 1) < replays { // it depends on more than the steps
		tries = 3
	}
	try := func(smaller History) bool {
		for i := range tries {
			smaller.Seed = h.Seed + i
			if got := play(t, smaller, nil); got != "" && sort(got) == sort(failure) {
				h, failure = smaller, got
				return true
			}
		}
		return false
	}
	for shorter := true; shorter; {
		shorter = false
		for i := range slices.Backward(h.Steps) {
			shorter = try(History{Service: h.Service, Steps: slices.Delete(slices.Clone(h.Steps), i, i+1)}) || shorter
		}
	}
	for i := range h.Steps {
		for j := range slices.Backward(h.Steps[i].Faults) {
			steps := slices.Clone(h.Steps)
			steps[i].Faults = slices.Delete(slices.Clone(steps[i].Faults), j, j+1)
			try(History{Service: h.Service, Steps: steps})
		}
		for j := range slices.Backward(h.Steps[i].During) {
			steps := slices.Clone(h.Steps)
			steps[i].During = slices.Delete(slices.Clone(steps[i].During), j, j+1)
			try(History{Service: h.Service, Steps: steps})
		}
	}
	try(History{Steps: h.Steps})
	return h, failure
}

// sort is what a failure says first, without ids, times and names of temporary files.
func sort(failure string) string {
	line, _, _ := strings.Cut(failure, "\n")
	return various.ReplaceAllString(line[:min(len(line), 120)], "")
}

var various = regexp.MustCompile(`/tmp/\S+|[0-9A-Z]{20,}|[0-9a-f-]{16,}|\d+`)

// TestHistories plays 300 histories, fewer with the race detector or -short. The same are drawn
// each time, so that a test that fails tells of the change at hand. Soaks find what nobody has seen
// yet.
func TestHistories(t *testing.T) {
	t.Parallel()
	var s searched
	s.found = func() { fmt.Fprintf(os.Stdout, "a failure after %d histories: shrinking it\n", s.played.Load()) }
	for i := range 4 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			search(t, i, &s)
		})
	}
}

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", checks) // unless given
	_ = flag.Set("rapid.nofailfile", "true")
	if os.Getenv("HISTORY_SOAK") == "" {
		_ = flag.Set("rapid.seed", "1")
	}
	flag.Parse()
	if !alone() {
		debug.SetGCPercent(400) // histories leave much garbage
	}
	code := m.Run()
	mergeCoverage()
	os.Exit(code)
}
