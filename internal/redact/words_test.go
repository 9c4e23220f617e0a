package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// TestStreamsMakeNoWordsSecret: what URLs of streams have in common with ordinary texts is shown.
func TestStreamsMakeNoWordsSecret(t *testing.T) {
	t.Parallel()
	r := redact.New()
	r.AddStreams(nil, "rtmp://host/live", "rtmp://host/live/vod/session/abc", "rtmp://admin:pw@host/live2?backup=1/KEY&record=true&fast", "rtmp://h/live/k?name=")
	const text = "The live session ended in the status true: vodlive_live_session.x, /live/v1/live-streams/session, admin, live2, fast"
	if got := r.Text(text); got != text {
		t.Errorf("shows as %s", got)
	}
	for _, secret := range []string{"session/abc", "admin:pw", "record=true", "backup=1/KEY"} {
		if got := r.Text("<" + secret + ">"); got != "<***>" {
			t.Errorf("%s shows as %s", secret, got)
		}
	}
}

// TestLongStreamKeys: a long key costs no more than a short one, and is masked as a whole.
func TestLongStreamKeys(t *testing.T) {
	t.Parallel()
	r := redact.New()
	var key strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&key, "%07d.", i*7919)
	}
	r.AddStreams(nil, "rtmp://in.example.com/live/"+key.String())
	for text, want := range map[string]string{
		"key " + key.String() + " is taken":         "key *** is taken",
		"key '" + key.String()[:300] + "' is taken": "key '***' is taken",
		"key " + key.String()[20:60]:                "key ***",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%.60s shows as %.60s", text, got)
		}
	}
}

// TestOrderOfStreams: a name that is also part of another session's key is shown, whichever session
// comes first.
func TestOrderOfStreams(t *testing.T) {
	t.Parallel()
	sessions := [][2]string{{"id-0001-of-alpha", "rtmp://h/live/id-0002-of-omega-key"}, {"id-0002-of-omega", "rtmp://h/live/another-stream-key"}}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		r := redact.New("id-0002-of-secret")
		for _, i := range order {
			r.AddStreams([]string{sessions[i][0]}, sessions[i][1])
		}
		if got := r.Text("id-0001-of-alpha, id-0002-of-omega."); got != "id-0001-of-alpha, id-0002-of-omega." {
			t.Errorf("order %v: %s", order, got)
		}
		r.AddStreams([]string{"id-0002-of-secret"})
		if got := r.Text("id-0002-of-secret"); got != "***" {
			t.Errorf("a credential shows as %s", got)
		}
	}
}
