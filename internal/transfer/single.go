package transfer

import (
	"context"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

// UploadSingle sends f with one PUT. Content-Length is always set; Content-Type is contentType, or
// not set if that is "". If the result has neither an ETag nor a checksum, nothing but the status
// says what is stored.
//
// Without f.Sums, the file is read before, for its SHA-256. If that is not the planned one, nothing
// is sent, and the error is a *ChangedError. If the file changes later, the last bytes are
// withheld: the connection is closed, so that no object is made.
//
// address is called before the first attempt. A retry uses the same address, so that a lost
// response does not lead to a second object. Only when storage refused the address (403) is address
// called again, so the object is at the address returned last. When storage says that the signature
// does not match, the same address is tried once without Content-Type first.
//
// If ctx ends, a PUT that can be stored within three seconds goes on, and what is stored is
// verified, for four seconds at most: then there may be no error.
//
// The other errors are those of UploadParts. An error of address is returned as it is.
func (e *Engine) UploadSingle(ctx context.Context, f File, address func(context.Context) (string, error), contentType string) (Part, error) {
	var content *digest.Content
	var err error
	if f.Content != nil {
		content, err = e.reader.Bytes(f.Name, f.Content, f.plan(f.Size))
	} else {
		content, err = e.reader.Open(f.Path, f.plan(f.Size))
	}
	if err != nil {
		return Part{}, err
	}
	var u fileUpload
	ctx, end := u.begin(ctx, e, f, f.Size, content)
	defer end()
	turn, err := u.pace.Next(ctx)
	if err != nil {
		return Part{}, err
	}
	section, err := content.Next(ctx)
	if err != nil {
		turn.End()
		return Part{}, err
	}
	defer section.Drop()
	if _, err := content.Finish(); err != nil {
		turn.End()
		return Part{}, err
	}
	s := u.sending(put{op: "send " + f.Name, contentType: contentType}, f.Size)
	s.content = func(context.Context) (*digest.Section, error) { return section, nil }
	s.address = address
	part, err := s.run(ctx, turn)
	if err != nil {
		return Part{}, u.ended(ctx, err)
	}
	return part, nil
}
