package transfer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// TestSecretsInConnectionErrors: a transport may quote the address.
func TestSecretsInConnectionErrors(t *testing.T) {
	t.Parallel()
	file, _ := newFile(t, 1000)
	const address = "http://s/x?X-Amz-Signature=s1gnature%2FHIDDEN12345"
	for text, want := range map[string]string{
		"no route": "no route",
		"malformed response \"s1gnature%2fHIDDEN12345\x1b[2J\"": `malformed response "***\u001b[2J"`,
		"proxy http://joe:HIDDEN@proxy.example.com refused":     "proxy http://***@proxy.example.com refused",
	} {
		s := &store{rule: func(_ *attempt, req *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, req.Body)
			return nil, &url.Error{Op: "Put", URL: address, Err: errors.New(text)}
		}}
		_, err := transfer.New(transfer.Config{Transport: s, Concurrency: 1}).UploadSingle(t.Context(), file, func(context.Context) (string, error) { return address, nil }, "")
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestContentIsNotReadAfterAPUT: a transport may read the body in a goroutine of its own, which
// outlives the response. The next PUT reads the content meanwhile.
func TestContentIsNotReadAfterAPUT(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 1<<20)
		var body io.Reader
		s := &store{rule: func(a *attempt, req *http.Request) (*http.Response, error) {
			if a.Nth == 1 {
				body = req.Body
				return answer(http.StatusServiceUnavailable, ""), nil
			}
			if n, err := body.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("%d bytes of the first PUT are read: %v", n, err)
			}
			return nil, nil
		}}
		_, err := newEngine(s).UploadSingle(t.Context(), f, (&addresses{}).next, "")
		must.Succeed(t, err)
	})
}
