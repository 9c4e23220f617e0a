package mediaupload

import (
	"context"
	"errors"
	"os"
	"time"
)

var errParentGone = errors.New("the process that started the provider is gone")

// withParent ends the context when the process that started the provider dies: a CLI that was killed cannot take the
// result, so an upload that went on would complete an object that no state knows. Where the operating system does not
// tell (Windows), nothing is watched.
func withParent(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	parent := os.Getppid()
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-done:
				return
			case <-tick.C:
				if os.Getppid() != parent {
					cancel(errParentGone)
					return
				}
			}
		}
	}()
	return ctx, func() {
		close(done)
		cancel(context.Canceled)
	}
}
