package mediaupload

import (
	"testing"
)

func TestFirstPlannedDecidesTheNaming(t *testing.T) {
	t.Parallel()
	var n replacedFiles
	for i, tc := range []struct {
		content      string
		wanted, want bool
	}{
		{"a", true, true}, {"a", false, true}, {"b", false, false}, {"b", true, false}, {"a", true, true},
	} {
		if got := n.namedAtApply(tc.content, tc.wanted); got != tc.want {
			t.Errorf("call %d: names of %s are decided at apply: %v, want %v", i+1, tc.content, got, tc.want)
		}
	}
}
