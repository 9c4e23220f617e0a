package transfer

import (
	"context"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

// UploadSingle sends f with one PUT and returns the ETag as the header had it,
// "" if storage sent none. Content-Length is always set; Content-Type is
// contentType, or not set if that is "".
//
// The SHA-256 is computed on the way. The last bytes are withheld unless it is the planned one: then the
// connection is closed, so that no object is made, and the error is a *ChangedError.
//
// address is called before the first attempt. A retry uses the same address, so that a lost response
// does not lead to a second object. Only when storage refused the address (403) is address called
// again, so the object is at the address returned last. When storage says that the signature does not
// match, the same address is tried once without Content-Type first.
//
// What is stored when ctx ends is verified all the same, for four seconds at most: then there may be no error.
//
// The other errors are those of UploadParts. An error of address is returned as it is.
func (e *Engine) UploadSingle(ctx context.Context, f File, address func(context.Context) (string, error), contentType string) (etag string, err error) {
	var content *digest.Content
	if f.Content != nil {
		content, err = e.reader.Bytes(f.Name, f.Content, f.SHA256)
	} else {
		content, err = e.reader.Open(f.Path, f.Size, f.SHA256)
	}
	if err != nil {
		return "", err
	}
	var u upload
	ctx, end := u.begin(ctx, e, f, content)
	defer end()
	section := content.Whole()
	defer section.Drop()
	s := u.sending(put{op: "send " + f.Name, section: section, contentType: contentType})
	s.address = address
	turn, err := u.pace.Next(ctx)
	if err != nil {
		return "", err
	}
	part, err := s.run(ctx, turn)
	return part.ETag, err
}
