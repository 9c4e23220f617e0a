package transfer

import (
	"sync"
	"time"
)

const progressEvery = 100 * time.Millisecond

// Progress is the state of one upload.
type Progress struct {
	Name                string
	Sent, Reused, Total int64 // bytes: handed to storage, already stored before, whole file
}

// meter reports the progress of one upload: what is stored, and what the PUTs in flight have handed
// over.
type meter struct {
	name   string
	total  int64
	report func(Progress)
	start  time.Time

	reporting sync.Mutex    // held while reporting: reports are never concurrent
	next      time.Duration // when the next report is due, since start

	mu           sync.Mutex
	sent, reused int64                      // bytes of parts that are stored
	inFlight     map[*func() int64]struct{} // how many bytes each part in flight has handed over
}

// newMeter returns a meter; report may be nil.
func newMeter(name string, total int64, report func(Progress)) *meter {
	if report == nil {
		report = func(Progress) {}
	}
	return &meter{name: name, total: total, report: report, start: time.Now(), inFlight: map[*func() int64]struct{}{}}
}

// follow counts the bytes of a part in flight until end is called with how many bytes of it are
// stored.
func (m *meter) follow(handed func() int64) (end func(stored int64)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight[&handed] = struct{}{}
	return func(stored int64) {
		m.mu.Lock()
		delete(m.inFlight, &handed)
		m.sent += stored
		m.mu.Unlock()
		m.tick()
	}
}

// reuse counts a part that was stored before.
func (m *meter) reuse(n int64) {
	m.mu.Lock()
	m.reused += n
	m.mu.Unlock()
	m.tick()
}

// tick reports if it is time for it, and nobody else does.
func (m *meter) tick() {
	if !m.reporting.TryLock() {
		return
	}
	defer m.reporting.Unlock()
	if now := time.Since(m.start); now >= m.next {
		m.next = now + progressEvery
		m.tell()
	}
}

// finish makes the last report.
func (m *meter) finish() {
	m.reporting.Lock()
	defer m.reporting.Unlock()
	m.tell()
}

func (m *meter) tell() {
	m.mu.Lock()
	p := Progress{Name: m.name, Sent: m.sent, Reused: m.reused, Total: m.total}
	for handed := range m.inFlight {
		p.Sent += (*handed)()
	}
	m.mu.Unlock()
	m.report(p)
}
