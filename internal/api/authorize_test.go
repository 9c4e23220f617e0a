package api_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// TestHeaders checks which call has which credential, and the other headers.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			service := wiretest.Always(200, call.good)
			if err := call.run(t.Context(), newClient(t, config(service))); err != nil {
				t.Fatal(err)
			}
			r := service.Requests()[0]
			want := testToken
			if strings.HasPrefix(r.URL, liveBase) {
				want = "Basic " + base64.StdEncoding.EncodeToString([]byte(testTokenID+":"+testSecret))
			}
			if got := r.Header["Authorization"]; !slices.Equal(got, []string{want}) {
				t.Errorf("%s has authorization %q, want %q", r.URL, got, want)
			}
			if r.Header.Get("User-Agent") != "test/1" || r.Header.Get("Accept") != "application/json" {
				t.Errorf("headers %v", r.Header)
			}
			if got := r.Header.Get("Content-Type"); (got == "application/json") != (r.Body != "") {
				t.Errorf("Content-Type %q", got)
			}
			if r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("headers %v", r.Header)
			}
		})
	}
}

// TestUnauthorized: a rejected token is replaced, once in a call, even if the next attempt is
// refused for another reason.
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		if call.live {
			continue
		}
		for last, body := range map[int]string{200: call.good, 401: ""} {
			bubble.Run(t, fmt.Sprint(call.name, " ", last), func(t *testing.T) {
				source := &wiretest.TokenSource{Tokens: []string{"old-token", "new-token", "third-token"}}
				service := wiretest.InTurn(wiretest.With(401, ""), wiretest.With(429, ""), wiretest.With(last, body))
				c := config(service)
				c.Token, c.MaxRetries = source, 0
				if err := call.run(t.Context(), newClient(t, c)); (err == nil) != (last == 200) {
					t.Error(err)
				}
				var sent []string
				for _, r := range service.Requests() {
					sent = append(sent, r.Header.Get("Authorization"))
				}
				if !slices.Equal(sent, []string{"old-token", "new-token", "new-token"}) {
					t.Errorf("sent %q", sent)
				}
			})
		}
	}
}

func TestNoNewToken(t *testing.T) {
	t.Parallel()
	source := &wiretest.TokenSource{Tokens: []string{"old-token"}, Err: errors.New("the vault is sealed, old-token")}
	c := config(wiretest.Accepting("another", ""))
	c.Token = source
	_, err := newClient(t, c).SubmitBatch(t.Context(), api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}})
	want := "submitting the batch job failed: POST https://vod.example.com/v1/local/batch: 401 Unauthorized: token expired: the identity token: the vault is sealed, ***"
	if _, ok := errors.AsType[*credential.TokenError](err); !ok || err.Error() != want || !errors.Is(err, source.Err) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestTokenIsCheckedBeforeItIsSent gives tokens that no header can carry, from every kind of
// source.
func TestTokenIsCheckedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"a\r\nX-Evil: 1", "a\nb", "a\x00b", "a\x7fb", "a\tb", "ünicode", "\ufefftoken", "", " \n"} {
		t.Run(fmt.Sprintf("%q", token), func(t *testing.T) {
			t.Parallel()
			for _, source := range []credential.TokenSource{credential.StaticToken(token), &wiretest.TokenSource{Tokens: []string{token}}} {
				service := wiretest.Always(200, `{}`)
				c := config(service)
				c.Token = source
				_, err := newClient(t, c).SubmitBatch(t.Context(), api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}})
				if err == nil || len(service.Requests()) != 0 {
					t.Fatalf("%d requests, error %v", len(service.Requests()), err)
				}
				if strings.TrimSpace(token) != "" && strings.Contains(err.Error(), token) {
					t.Errorf("the token is quoted: %v", err)
				}
			}
		})
	}
	service := wiretest.Always(200, `{"message":"ok"}`)
	c := config(service)
	c.Token = credential.StaticToken(" \t" + testToken + "\r\n")
	if _, err := newClient(t, c).SubmitBatch(t.Context(), api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}}); err != nil {
		t.Fatal(err)
	}
	if got := service.Requests()[0].Header.Get("Authorization"); got != testToken {
		t.Errorf("sent %q", got)
	}
}
