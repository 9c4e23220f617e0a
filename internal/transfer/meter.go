package transfer

import (
	"sync"
	"sync/atomic"
	"time"
)

const progressEvery = 100 * time.Millisecond

// Progress is the state of one upload.
type Progress struct {
	Name                string
	Sent, Reused, Total int64 // bytes: handed to storage, already stored before, whole file
}

// meter reports the progress of one upload.
type meter struct {
	file         File
	sent, reused atomic.Int64 // bytes; what a failed PUT has handed over is taken back

	reporting sync.Mutex // held while reporting: reports are never concurrent
	next      time.Time  // when the next report is due
}

// handOver counts bytes that a PUT has handed over, or takes them back.
func (m *meter) handOver(n int64) {
	m.sent.Add(n)
	m.tick()
}

// reuse counts a part that was stored before.
func (m *meter) reuse(n int64) {
	m.reused.Add(n)
	m.tick()
}

// tick reports if it is time for it, and nobody else does.
func (m *meter) tick() {
	if !m.reporting.TryLock() {
		return
	}
	defer m.reporting.Unlock()
	if now := time.Now(); now.After(m.next) {
		m.next = now.Add(progressEvery)
		m.report()
	}
}

// finish makes the last report.
func (m *meter) finish() {
	m.reporting.Lock()
	defer m.reporting.Unlock()
	m.report()
}

// report needs m.reporting. While a part is sent twice, its bytes are counted twice.
func (m *meter) report() {
	if tell, reused := m.file.Progress, m.reused.Load(); tell != nil {
		tell(Progress{Name: m.file.Name, Sent: min(m.sent.Load(), m.file.Size-reused), Reused: reused, Total: m.file.Size})
	}
}
