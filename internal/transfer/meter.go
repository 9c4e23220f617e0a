package transfer

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	progressEvery = 100 * time.Millisecond
	rateWindow    = 5 * time.Second
)

// meter counts the bytes of one upload and reports them.
type meter struct {
	name   string
	total  int64
	report func(Progress) // may be nil
	adapts *adaption

	sent, reused atomic.Int64
	puts         atomic.Int64 // that are not stored yet
	next         atomic.Int64 // when the next report is due, nanoseconds since start
	start        time.Time

	mu      sync.Mutex // held while reporting: reports are never concurrent
	samples []sample   // oldest first, within rateWindow
}

type sample struct {
	at   time.Duration
	sent int64
}

func newMeter(f File, puts int, adapts *adaption) *meter {
	m := &meter{name: f.Name, total: f.Size, report: f.Progress, adapts: adapts, start: time.Now()}
	m.puts.Store(int64(puts))
	adapts.expect(1, puts, f.Size)
	m.samples = []sample{{}}
	return m
}

// add counts bytes sent to storage. A negative number takes back those of a failed PUT.
func (m *meter) add(n int64) {
	m.sent.Add(n)
	m.adapts.add(n)
	m.tick()
}

// hedged counts a part that a hedged PUT has sent. The goodput has its bytes already.
func (m *meter) hedged(n int64) {
	m.sent.Add(n)
	m.adapts.expect(0, 0, -n)
	m.tick()
}

// stored notes that a part is stored.
func (m *meter) stored() {
	m.puts.Add(-1)
	m.adapts.expect(0, -1, 0)
}

// reuse notes that a part of n bytes need not be sent.
func (m *meter) reuse(n int64) {
	m.reused.Add(n)
	m.puts.Add(-1)
	m.adapts.expect(0, -1, -n)
	m.tick()
}

func (m *meter) tick() {
	if m.report == nil {
		return
	}
	now := time.Since(m.start)
	if int64(now) < m.next.Load() || !m.mu.TryLock() {
		return
	}
	defer m.mu.Unlock()
	if int64(now) >= m.next.Load() {
		m.next.Store(int64(now + progressEvery))
		m.tell(now)
	}
}

// finish makes the last report.
func (m *meter) finish() {
	m.adapts.expect(-1, -int(m.puts.Load()), m.sent.Load()+m.reused.Load()-m.total)
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell(time.Since(m.start))
}

func (m *meter) tell(now time.Duration) {
	p := Progress{Name: m.name, Sent: m.sent.Load(), Reused: m.reused.Load(), Total: m.total}
	for len(m.samples) > 1 && m.samples[1].at <= now-rateWindow {
		m.samples = m.samples[1:]
	}
	if oldest := m.samples[0]; now > oldest.at && p.Sent > oldest.sent {
		p.Rate = float64(p.Sent-oldest.sent) / (now - oldest.at).Seconds()
		left := max(p.Total-p.Sent-p.Reused, 0)
		p.Remaining = time.Duration(float64(left) / p.Rate * float64(time.Second))
	}
	m.samples = append(m.samples, sample{at: now, sent: p.Sent})
	m.report(p)
}
