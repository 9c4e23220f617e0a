package transfer_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// TestSecretsInStorageTexts: the presigned URL of the PUT in other encodings, and secrets that only
// their looks tell.
func TestSecretsInStorageTexts(t *testing.T) {
	t.Parallel()
	file, _ := newFile(t, 1000)
	for body, want := range map[string]string{
		"cannot read https://other.example.com/b?X-Amz-Signature=HIDDEN":           "cannot read https://other.example.com/b?***",
		"<Error><Message>no rtmp://in.example.com/live/HIDDEN</Message></Error>":   "no rtmp://in.example.com/***",
		`{"signature":"s1gnature\/HIDDEN12345"}`:                                   `{"signature":"***"}`,
		"not the signature czFnbmF0dXJlL0hJRERFTjEyMzQ1":                           "not the signature ***",
		"<Error><Code>Denied</Code><Message>Request has expired</Message></Error>": "Request has expired",
	} {
		s := &store{rule: func(_ *attempt, req *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, req.Body)
			return &http.Response{StatusCode: http.StatusConflict, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
		}}
		_, err := transfer.New(transfer.Config{Transport: s, Concurrency: 1}).UploadSingle(t.Context(), file, func(context.Context) (string, error) {
			return "http://s/x?X-Amz-Signature=s1gnature%2FHIDDEN12345", nil
		}, "")
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}
