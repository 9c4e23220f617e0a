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
		if d := time.Since(begun); d != time.Hour+4*time.Second || !errors.Is(err, context.DeadlineExceeded) || !api.MayHaveBeenProcessed(err) {
			t.Errorf("no answer: %v after %s", err, d)
		}
	})
}

// TestStorageRefusalAfterALostAnswer: the upload may be complete. The vectors have S3's words.
func TestStorageRefusalAfterALostAnswer(t *testing.T) {
	t.Parallel()
	const gone = "The specified upload does not exist."
	synctest.Test(t, func(t *testing.T) {
		service := wiretest.InTurn(wiretest.Failing(errors.New("connection reset")), wiretest.With(500, `{"message":"`+gone+`"}`))
		_, err := newClient(t, config(service)).CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		if e := asError(t, err); e.StorageCode != api.StorageNoSuchUpload || !e.MayHaveBeenProcessed {
			t.Errorf("after a lost answer: code %q, may have been processed: %t", e.StorageCode, e.MayHaveBeenProcessed)
		}
	})
}
