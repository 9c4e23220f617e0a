package credential

import (
	"context"
	"sync"
)

// renewing keeps a token until it is rejected. Callers that need a new token at the same time share
// one run of get.
type renewing struct {
	get func(context.Context) (string, error)

	mu      sync.Mutex
	token   string
	renewal *renewal // nil: get does not run
}

// renewal is one run of get. It is cancelled when no caller waits for it any more.
type renewal struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // callers
	token   string
	err     error
}

func (r *renewing) Token(ctx context.Context, rejected string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r.mu.Lock()
	if r.token != "" && r.token != rejected {
		defer r.mu.Unlock()
		return r.token, nil
	}
	run := r.renewal
	if run == nil {
		run = r.start(ctx)
	}
	run.waiting++
	r.mu.Unlock()

	select {
	case <-run.done:
		return run.token, run.err
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if run.waiting--; run.waiting == 0 {
		run.cancel()
		if r.renewal == run {
			r.renewal = nil
		}
	}
	return "", ctx.Err()
}

// start begins a run of get, which keeps ctx's values but ignores its cancellation. The caller
// holds mu.
func (r *renewing) start(ctx context.Context) *renewal {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	run := &renewal{done: make(chan struct{}), cancel: cancel}
	r.renewal = run
	go func() {
		defer cancel()
		token, err := r.get(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		run.token, run.err = token, err
		if r.renewal == run {
			r.renewal = nil
			if err == nil {
				r.token = token
			}
		}
		close(run.done)
	}()
	return run
}
