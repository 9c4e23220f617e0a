package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// place is a workspace: a state and a configuration, on a machine.
type place struct {
	configuration

	name     string
	machine  *machine
	account  int
	wrong    int // credentials: 1: those of the live API, 2 to 4: those of the upload API, 5: of a customer that is not allowed
	state    map[string]Instance
	serial   int
	saved    *changes
	outdated bool                // a file may have changed since saved was made
	advice   map[string]string   // what was last said about an address
	held     map[string]Instance // sessions and jobs that the state had, unless the user wanted another one
}

// configuration is what the user has written. It is part of a plan.
type configuration struct {
	variants map[string]int
	via      map[string]int // which arguments of an address come through data.via: see routed
	salt     int            // of the input of data.via
	blocks   map[string]lifecycle
	adopted  map[string]Attrs // files of folders that the user has found to be stored
	year     int              // of schedules
}

// lifecycle is a lifecycle block.
type lifecycle struct {
	cbd, prevent bool
	protect      bool // deletion_protection
	triggered    bool // replace_triggered_by data.via
	ignore       string
}

func (c configuration) clone() configuration {
	c.variants, c.via, c.blocks, c.adopted = maps.Clone(c.variants), maps.Clone(c.via), maps.Clone(c.blocks), maps.Clone(c.adopted)
	return c
}

func newPlace(name string, m *machine) *place {
	return &place{
		name: name, machine: m, state: map[string]Instance{}, advice: map[string]string{}, held: map[string]Instance{},
		configuration: configuration{variants: map[string]int{}, via: map[string]int{}, blocks: map[string]lifecycle{}, year: 2001},
	}
}

// configure gives an address a variant, and its files a first version.
func (pl *place) configure(address string, n int) {
	pl.variants[address] = n
	for _, name := range filesOf(address) {
		if slices.Contains(kinds[address].needs, "file.one") {
			break // the apply makes them
		}
		if _, written := pl.machine.versions[name]; !written {
			pl.machine.write(name, 1)
		}
	}
}

// change changes a block or what comes through data.via.
func (pl *place) change(s Step) {
	if s.Do == DoVia || s.Do == DoSalt || s.Do == DoTrigger {
		pl.configure(viaAddress, 1)
	}
	block := pl.blocks[s.On]
	switch s.Do {
	case DoVia:
		pl.via[s.On] = s.N
	case DoSalt:
		pl.salt++
	case DoCBD:
		block.cbd = !block.cbd
	case DoPrevent:
		block.prevent = !block.prevent
	case DoProtect:
		block.protect = !block.protect
	case DoTrigger:
		block.triggered = !block.triggered
	case DoIgnore:
		block.ignore = ""
		if names := choose(pl.literals(s.On), s.N); s.N == 1 {
			block.ignore = "all"
		} else if len(names) > 0 {
			block.ignore = names[0]
		}
	}
	pl.blocks[s.On] = block
}

// configured are the addresses in the configuration.
func (pl *place) configured() map[string]bool {
	all := map[string]bool{}
	for address := range pl.variants {
		if pl.variant(address) > 0 {
			all[address] = true
		}
	}
	return all
}

// variant is that of an address. Without one of what it must have, it is not configured; a wait
// needs one of its sessions.
func (pl *place) variant(address string) int {
	k := kinds[address]
	if len(k.must) > 0 && !slices.ContainsFunc(k.must, func(other string) bool { return pl.variant(other) > 0 }) {
		return 0
	}
	return pl.variants[address]
}

// reference is an attribute of another resource, in HCL.
type reference string

// arguments are those of an address, as if none came through data.via. value is an attribute of
// another resource: Unknown while that is planned, nil if it is not configured.
func (pl *place) arguments(address string, value func(address, attribute string) any) Attrs {
	n := pl.variant(address)
	switch {
	case n == 0:
		return nil
	case address == viaAddress:
		return Attrs{"input": pl.viaInput()}
	}
	config := kinds[address].variant(n)(pl, func(other, attribute string) any {
		if pl.variant(other) == 0 {
			return nil
		}
		return value(other, attribute)
	})
	if protects(kinds[address].typ) && pl.blocks[address].protect {
		config["deletion_protection"] = true
	}
	if len(pl.adopted[address]) > 0 {
		config["adopt"] = pl.adopted[address]
	}
	return config
}

// protects tells whether a type has deletion_protection.
func protects(typ string) bool {
	return slices.Contains([]string{sessionType, uploadType, folderType}, typ)
}

// configOf is the configuration of an address; nil if it has none.
func (pl *place) configOf(address string, value func(address, attribute string) any) Attrs {
	config := pl.arguments(address, value)
	for name := range pl.routed(address) {
		switch output := value(viaAddress, "output").(type) {
		case reference:
			config[name] = reference(fmt.Sprintf("jsondecode(%s)[%q].%s", output, address, name))
		case string: // the output is what configOf has put in
		default:
			config[name] = Unknown
		}
	}
	return config
}

// routed are the arguments of an address that come through data.via, so that they are unknown while
// data.via is planned to change.
func (pl *place) routed(address string) Attrs {
	all := Attrs{}
	for _, name := range choose(pl.literals(address), pl.via[address]) {
		all[name] = pl.arguments(address, referenceTo)[name]
	}
	return all
}

// choose chooses none of the names (0), all of them (1), or one.
func choose(names []string, n int) []string {
	switch {
	case n == 0 || len(names) == 0:
		return nil
	case n == 1:
		return names
	}
	i := (n - 2) % len(names)
	return names[i : i+1]
}

// literals are the arguments of an address that are made of no other resource.
func (pl *place) literals(address string) (names []string) {
	config := pl.arguments(address, referenceTo)
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if !refers(config[name]) {
			names = append(names, name)
		}
	}
	return names
}

func referenceTo(string, string) any { return reference("other") }

func refers(v any) bool {
	switch v := v.(type) {
	case reference:
		return true
	case []any:
		return slices.ContainsFunc(v, refers)
	case Attrs:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), refers)
	}
	return false
}

// viaAddress is a terraform_data. What changes in its input makes its output unknown.
const viaAddress = "data.via"

// viaInput is the input of data.via.
func (pl *place) viaInput() string {
	input := map[string]any{"salt": pl.salt}
	for address := range pl.via {
		if values := pl.routed(address); len(values) > 0 {
			input[address] = values
		}
	}
	text, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// createBeforeDestroy holds for an address if it is set for it, or for what needs it.
func (pl *place) createBeforeDestroy(address string) bool {
	for other := range kinds {
		if slices.Contains(needs(other), address) && pl.createBeforeDestroy(other) {
			return true
		}
	}
	return pl.blocks[address].cbd
}

// uses tells whether the configuration of an address depends on another one.
func (pl *place) uses(address, other string) bool {
	if pl.variant(address) == 0 {
		return false
	}
	if other == viaAddress && (pl.via[address] > 0 || pl.blocks[address].triggered) {
		return true
	}
	return slices.ContainsFunc(kinds[address].needs, func(need string) bool { return need == other || pl.uses(need, other) })
}

// closure are addresses and all that they need.
func closure(address string) map[string]bool {
	all := map[string]bool{address: true}
	for _, need := range needs(address) {
		maps.Copy(all, closure(need))
	}
	return all
}
