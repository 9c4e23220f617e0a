// Package bubble runs cases of tests in virtual time.
package bubble

import (
	"testing"
	"testing/synctest"
)

// Run runs a case parallel to others, in a bubble of testing/synctest of its own.
func Run(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}
