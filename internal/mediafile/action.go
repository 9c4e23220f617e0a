package mediafile

import (
	"context"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Uploaded is what an action has stored.
type Uploaded struct {
	KeyPaths []string
	Recorded bool // another upload of the same files sends only what is missing, until Forget

	Outcomes []upload.Outcome
}

// Forget ends what the upload did: another one sends all files.
func (u Uploaded) Forget(ctx context.Context) { upload.Forget(ctx, u.Outcomes) }
