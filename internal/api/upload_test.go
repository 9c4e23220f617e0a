package api_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

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
