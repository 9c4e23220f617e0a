package transfer_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// lateAnswers is storage that answers the first PUT of part 8 long after it has all bytes. The
// other PUTs take two seconds, and are answered after a tenth of one.
func lateAnswers(t *testing.T, etag func(sum string) string, head http.Header) (took time.Duration, s *paced) {
	t.Helper()
	s = newPaced(func(int, int) float64 { return 0.5 })
	s.etag, s.head, s.waits = etag, head, 100*time.Millisecond
	s.late = func(part, nth int) time.Duration {
		if part == 8 && nth == 1 {
			return 30 * time.Second
		}
		return 0
	}
	took, _ = s.eight(t, noRetries)
	return took, s
}

// Eight parts in four slots take four seconds. The last answer comes half a minute late.
func TestPartWithALateAnswerIsSentOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		took, s := lateAnswers(t, nil, nil)
		if took > 8*time.Second {
			t.Errorf("it took %s", took)
		}
		if all, complete := s.puts(8); all != 2 || complete != 2 {
			t.Errorf("%d PUTs of the part, %d complete", all, complete)
		}
	})
}

// Where ETags are no MD5s, the part's final ETag would be unknown.
func TestPartWithALateAnswerIsNotSentTwiceWithKMS(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		_, s := lateAnswers(t, func(string) string { return `"kms-` + time.Duration(n.Add(1)).String() + `"` }, http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}})
		if all, _ := s.puts(8); all != 1 {
			t.Errorf("%d PUTs of the part", all)
		}
	})
}
