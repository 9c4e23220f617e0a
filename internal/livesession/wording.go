package livesession

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// enumerate formats items as "A, B or C", with the conjunction given.
func enumerate(items []string, conjunction string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " " + conjunction + " " + items[len(items)-1]
}

// quoted formats items as "A", "B" or "C".
func quoted(items []string) string {
	q := make([]string, len(items))
	for i, item := range items {
		q[i] = fmt.Sprintf("%q", item)
	}
	return enumerate(q, "or")
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) + " s" }

func count(n int) string {
	if n == 1 {
		return "1 session"
	}
	return strconv.Itoa(n) + " sessions"
}
