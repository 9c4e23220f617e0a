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
// address is called before the first PUT. Another PUT uses the same address, so that a lost
// response does not lead to a second object. Only when storage refused the address (403) is address
// called again, so the object is at the address returned last. When storage says that the signature
// does not match, the same address is tried without Content-Type first, unless it is signed for it.
//
// The other errors are those of UploadParts. An error of address is returned as it is.
func (e *Engine) UploadSingle(ctx context.Context, f File, address func(context.Context) (string, error), contentType string) (Part, error) {
	content, err := e.openWhole(f)
	if err != nil {
		return Part{}, err
	}
	u, ctx, end := e.begin(ctx, f, content)
	defer end()
	turn, err := u.pace.Next(ctx)
	if err != nil {
		return Part{}, u.why(ctx, err)
	}
	section, err := content.Next(ctx)
	if err == nil {
		err = content.Check()
	}
	if err != nil {
		turn.End()
		return Part{}, err
	}
	s := u.sending("send "+f.Name, 0)
	s.contentType, s.address = contentType, address
	s.section = func(context.Context) (*digest.Section, error) { return section, nil }
	part, err := s.run(ctx, turn)
	if err != nil {
		return Part{}, u.why(ctx, err)
	}
	return part, nil
}

func (e *Engine) openWhole(f File) (*digest.Content, error) {
	if f.Content != nil {
		return e.reader.Bytes(f.Name, f.Content, f.plan(f.Size))
	}
	return e.reader.Open(f.Path, f.plan(f.Size))
}
