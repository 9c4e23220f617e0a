package api_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// TestCompleteHasNoRequestTimeout has storage that takes an hour to assemble the parts.
func TestCompleteHasNoRequestTimeout(t *testing.T) {
	t.Parallel()
	complete := func(ctx context.Context, t *testing.T, answer func(*http.Request) (*http.Response, error)) error {
		c := config(wiretest.InTurn(answer))
		c.RequestTimeout = 12 * time.Second
		_, err := newClient(t, c).CompleteMultipartUpload(ctx, "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		return err
	}
	synctest.Test(t, func(t *testing.T) {
		err := complete(t.Context(), t, func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return wiretest.Response(200, `{"data":{"Key":"k","ETag":"e"}}`), nil
		})
		if err != nil {
			t.Errorf("an answer after an hour: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		err := complete(ctx, t, wiretest.Hanging)
		if d := time.Since(begun); d != time.Hour || !errors.Is(err, context.DeadlineExceeded) || !api.MayHaveBeenProcessed(err) {
			t.Errorf("no answer: %v after %s", err, d)
		}
	})
}

// TestStorageRefusalIsFinal: S3's own words mean that nothing was done, under whatever status the
// service passes them on, so the call is neither repeated nor left open.
func TestStorageRefusalIsFinal(t *testing.T) {
	t.Parallel()
	const gone = "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."
	for name, test := range map[string]struct {
		status int
		body   string
		code   string
	}{
		"like a code, 400":   {400, `{"message":"part 7: invalid part_number"}`, ""},
		"like a code, 422":   {422, `{"message":"Invalid partition key"}`, ""},
		"another code, 400":  {400, `{"code":"InvalidPartNumber"}`, ""},
		"in a page, 404":     {404, "<html><body>This address is invalid. Part of it is missing.</body></html>", ""},
		"the code, 400":      {400, `{"message":"An error occurred (NoSuchUpload) when calling the operation"}`, api.StorageNoSuchUpload},
		"the sentence, 400":  {400, `{"message":"` + gone + `"}`, api.StorageNoSuchUpload},
		"the sentence, 500":  {500, `{"message":"` + gone + `"}`, api.StorageNoSuchUpload},
		"the sentence, 502":  {502, gone, api.StorageNoSuchUpload},
		"XML, 404":           {404, "<Error><Code>NoSuchUpload</Code><Message>" + gone + "</Message></Error>", api.StorageNoSuchUpload},
		"the code, 503":      {503, `{"error":{"code":"NoSuchUpload"}}`, api.StorageNoSuchUpload},
		"a part, 400":        {400, `{"code":"InvalidPart"}`, api.StorageInvalidPart},
		"a part, 500":        {500, `{"message":"One or more of the specified parts could not be found."}`, api.StorageInvalidPart},
		"a small part, 500":  {500, `{"message":"EntityTooSmall: Your proposed upload is smaller than the minimum allowed size"}`, api.StorageEntityTooSmall},
		"other words, 400":   {400, `{"message":"no"}`, ""},
		"no words at all":    {404, "", ""},
		"success, same word": {200, `{"data":{"Key":"NoSuchUpload.mp4","ETag":"e"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := wiretest.Always(test.status, test.body)
				_, err := newClient(t, config(service)).CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
				if n := len(service.Requests()); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
				if test.status == 200 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if e := asError(t, err); e.StorageCode != test.code || e.MayHaveBeenProcessed {
					t.Errorf("code %q, may have been processed: %t", e.StorageCode, e.MayHaveBeenProcessed)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		service := wiretest.InTurn(wiretest.Failing(errors.New("connection reset")), wiretest.With(500, `{"message":"`+gone+`"}`))
		_, err := newClient(t, config(service)).CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		if e := asError(t, err); e.StorageCode != api.StorageNoSuchUpload || !e.MayHaveBeenProcessed {
			t.Errorf("after a lost answer: code %q, may have been processed: %t", e.StorageCode, e.MayHaveBeenProcessed)
		}
	})
}
