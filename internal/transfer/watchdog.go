package transfer

import "time"

// watchdog calls a function when a request has made no progress for some time.
type watchdog struct {
	limit time.Duration
	timer *time.Timer // nil without a limit
}

func newWatchdog(limit time.Duration, bite func()) *watchdog {
	w := &watchdog{limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, bite)
	}
	return w
}

func (w *watchdog) pause() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchdog) resume() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}
