package transfer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
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
		"not s1gnature%2fHIDDEN12345":                                              "not ***",
		"not s1gnature%252FHIDDEN12345":                                            "not ***",
		`not s1gnature\u002fHIDDEN12345`:                                           "not ***",
		"not s1gnature&#47;HIDDEN12345":                                            "not ***",
		"not S1GNATURE/HIDDEN12345":                                                "not ***",
		"not s1gnature/HIDDEN, cut":                                                "not ***, cut",
		"not ture/HIDDEN12345":                                                     "not ***",
		"the id is sh0rt":                                                          "the id is ***",
		"other https%3A%2F%2Fst.example.com%2Fb%3FX-Amz-Signature%3DHIDDEN":        "other https%3A%2F%2Fst.example.com%2Fb%3F***",
		`other https:\/\/st.example.com\/b?X-Amz-Signature\u003dHIDDEN`:            `other https:\/\/st.example.com\/b?***`,
		"other rtmp:%2F%2Fin.example.com%2Flive%2FHIDDEN":                          "other rtmp:%2F%2Fin.example.com%2F***",
		"x-amz-security-token: HIDDEN":                                             "x-amz-security-token: ***",
		"Authorization: AWS AKID:HIDDEN":                                           "Authorization: AWS ***",
		strings.Repeat(" ", 64<<10-20) + "not s1gnature/HIDDEN12345":               "not",
		"clear\x1b[2J the \u202escreen":                                            "clear[2J the screen",
	} {
		s := &store{rule: func(_ *attempt, req *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, req.Body)
			return &http.Response{StatusCode: http.StatusConflict, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
		}}
		_, err := transfer.New(transfer.Config{Transport: s, Concurrency: 1}).UploadSingle(t.Context(), file, func(context.Context) (string, error) {
			return "http://s/x?X-Amz-Credential=sh0rt&X-Amz-Signature=s1gnature%2FHIDDEN12345", nil
		}, "")
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}

// TestSecretsInConnectionErrors: a transport may quote the address.
func TestSecretsInConnectionErrors(t *testing.T) {
	t.Parallel()
	file, _ := newFile(t, 1000)
	const address = "http://s/x?X-Amz-Signature=s1gnature%2FHIDDEN12345"
	for text, want := range map[string]string{
		"no route": "no route",
		"malformed response \"s1gnature%2fHIDDEN12345\x1b[2J\"": `malformed response "***[2J"`,
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
