package redact_test

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

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

// longKey is a stream key of 128 characters.
func longKey(name string, n int) string {
	var key strings.Builder
	for i := 0; key.Len() < 128; i++ {
		fmt.Fprintf(&key, "%s%x.", name[:1], maphash.Comparable(seed, [2]int{n, i}))
	}
	return key.String()[:128]
}

var seed = maphash.MakeSeed()

// list makes r know an account of n HA sessions.
func list(r *redact.Redactor, n int) {
	for i := range n {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", i*7919, i)
		shown := []string{id, fmt.Sprintf("studio %d of the north", i), "user-7f3a", "eu-central-1", "transcoder-full-hd", fmt.Sprintf("live-%d-a.example.com", i), fmt.Sprintf("live-%d-b.example.com", i)}
		var addresses []string
		for side := range 4 {
			addresses = append(addresses, "rtmp://h/live/"+longKey("account", 4*i+side))
		}
		r.AddStreams(shown, addresses...)
	}
}

// TestMoreThanThereIsRoomFor: all keys are found by their beginnings, and the first thousands by
// every part.
func TestMoreThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	r := redact.New("the-secret-key-7")
	const sessions = 1000
	list(r, sessions)
	for what, text := range map[string]string{
		"first": longKey("account", 0), "its end": longKey("account", 0)[100:], "last": longKey("account", 4*sessions-1), "configured": "the-secret-key-7",
	} {
		if got := r.Text("key " + text + " is taken"); got != "key *** is taken" {
			t.Errorf("%s: %s", what, got)
		}
	}
	if text := "studio 17 of the north, live-999-a.example.com"; r.Text(text) != text {
		t.Errorf("shows as %s", r.Text(text))
	}
	// The service makes a key from the id of its session.
	for i := range 20 {
		id := fmt.Sprintf("%04d-session-id-of-the-service", i)
		r.AddStreams([]string{id}, "rtmp://h/live/"+id+"-k3y")
		if got := r.Text("session " + id); got != "session "+id {
			t.Error(got)
		}
		if got := r.Text("key " + id + "-k3y"); strings.Contains(got, "k3y") {
			t.Error(got)
		}
	}
}

func BenchmarkAddStreams(b *testing.B) {
	for b.Loop() {
		list(redact.New(), 50_000)
	}
}

func BenchmarkTextInALargeAccount(b *testing.B) {
	r := redact.New()
	list(r, 50_000)
	text := strings.Repeat(`{"id":"s-1","name":"studio one","status":"READY","port":1935,"x":"a b c"},`+"\n", 1000)[:64<<10]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
