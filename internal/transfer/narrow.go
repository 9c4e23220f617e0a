package transfer

import (
	"cmp"
	"slices"
	"time"
)

// clearly is how much of the time in one slot a part may take in another one that is clearly better.
const clearly = 0.8

// narrow is called when a part has been stored after some time, while its slot is still held. It takes
// the slot away if each of the parts that wait would end earlier in another slot; rs.mu is held.
func (rs *races) narrow(took time.Duration) {
	if !rs.engine.schedule.adaption.alone() {
		rs.granted = 0
		return
	}
	_, most, _ := rs.engine.schedule.sending.usage()
	others, waiting := len(rs.racing), rs.unsent-rs.granted
	if waiting < 1 || others+rs.granted >= most {
		return
	}
	rs.granted++
	if waiting > others {
		return
	}
	each := took.Seconds() // that a part takes a new PUT
	slots := slices.Repeat([]slot{{each, each}}, others+rs.granted-1)
	for i, r := range rs.racing {
		f := r.flights[0]
		if arrived := float64(f.arrived()); arrived > float64(rs.size)/8 { // else it tells too little
			pace := time.Since(f.begun).Seconds() / arrived
			slots[i] = slot{pace * (float64(f.put.size) - arrived), pace * float64(rs.size)}
		}
	}
	// Other connections would take over what this one carries only slowly, so they must be clearly faster.
	ours := slot{0, clearly * each}
	for range waiting {
		first := slices.MinFunc(slots, func(a, b slot) int { return cmp.Compare(a.end(), b.end()) })
		if ours.end() <= first.end() {
			return
		}
		slots[slices.Index(slots, first)].free += first.each
	}
	rs.granted--
	rs.engine.schedule.resize(others + rs.granted)
}

// slot is when a slot is free, and how long it then takes for a part, in seconds.
type slot struct{ free, each float64 }

// end is when the next part would have been sent.
func (s slot) end() float64 { return s.free + s.each }
