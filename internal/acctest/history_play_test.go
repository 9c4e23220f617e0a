package acctest

import (
	"strings"
	"testing"
)

// TestGoroutinesThatAreLeftFail: a goroutine that outlives its history is a failure of that
// history, and no panic that ends all tests.
func TestGoroutinesThatAreLeftFail(t *testing.T) {
	t.Parallel()
	h := History{Steps: []Step{{Do: DoApply}}}
	failure := inBubble(t, h, func(*testing.T) string {
		go func() { select {} }()
		return ""
	})
	if !strings.Contains(failure, "goroutines are left") || !strings.Contains(failure, "TestGoroutinesThatAreLeftFail") {
		t.Errorf("the failure is %q", failure)
	}
}
