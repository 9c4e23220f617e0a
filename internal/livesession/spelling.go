package livesession

import "github.com/vodlive/terraform-provider-vodlive/internal/parse"

// The service may store a value in another spelling than configured. Replacing the session would
// not help: the new session would show the same spelling, and the old one could not be stopped. So
// values with the same meaning are equal (see attribute.same), and any other value that the first
// GET shows is taken for a spelling (see privateData.Renditions).

// sameClock compares local times in different layouts.
func sameClock(a, b string) bool {
	one, ok := parse.ReadLocalTime(a)
	other, otherOK := parse.ReadLocalTime(b)
	return ok && otherOK && one.Equal(other)
}
