// Package must ends a test when a step of it fails.
package must

import "testing"

// Succeed ends the test with the error of a step, if there is one.
func Succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
