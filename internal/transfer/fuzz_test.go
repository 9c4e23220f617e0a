package transfer_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// FuzzStorageAnswer looks for an answer of storage that the engine does not survive, that passes
// for a stored file although its ETag is another, or that puts the address into an error.
func FuzzStorageAnswer(f *testing.F) {
	file, _ := newFile(f, 1000)
	f.Add(200, `"d41d8cd98f00b204e9800998ecf8427e"`, "", "")
	f.Add(200, `W/"x"`, "", "aws:kms")
	f.Add(200, "", "<html>", "")
	f.Add(403, "", "<Error><Code>SignatureDoesNotMatch</Code><Message>http://s/x?X-Amz-Signature="+secret+"</Message></Error>", "")
	f.Add(400, "", "<Error><Code>"+secret+"</Code>", "")
	f.Add(503, "", "\xff\x00", "")
	f.Add(301, "", "", "")
	f.Fuzz(func(t *testing.T, status int, given, body, encryption string) {
		if status < 200 || status > 599 { // net/http hands nothing else on
			return
		}
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			status = http.StatusInternalServerError // those are repeated for five minutes
		}
		s := &store{rule: func(_ *attempt, req *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, req.Body)
			header := http.Header{}
			header.Set("ETag", given)
			header.Set("X-Amz-Server-Side-Encryption", encryption)
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
		}}
		e := transfer.New(transfer.Config{Transport: s, Concurrency: 1})
		got, err := e.UploadSingle(t.Context(), file, func(context.Context) (string, error) {
			return "http://s/x?X-Amz-Signature=" + secret, nil
		}, "")
		if err == nil {
			if got.ETag != given || !parse.ValidETag(given) || status > 299 {
				t.Errorf("status %d, ETag %q passed as %q", status, given, got.ETag)
			}
			return
		}
		if text := err.Error(); !utf8.ValidString(text) || strings.Contains(text, secret) || len(text) > 4096 {
			t.Errorf("error %q", text)
		}
	})
}
