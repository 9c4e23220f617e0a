package upload

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Files that earlier runs have stored, and that no state has shown yet, are in the ledger.

// ledgerOf is the kind of a file's line.
func ledgerOf(f File) resume.Kind {
	switch {
	case f.ForState:
		return resume.KindFile
	case f.Scope != "":
		return resume.KindActionFile
	}
	return ""
}

// ledgerArgs is what a file is looked up by.
func (u *Uploader) ledgerArgs(f File) string {
	return fmt.Sprintf("%s\n%s\n%s\n%s", u.config.Address, f.key(), f.ContentType, f.Scope)
}

// take takes over the file from an earlier run that has stored it.
func (o *operation) take(ctx context.Context) (taken bool, err error) {
	u, args := o.uploader, o.uploader.ledgerArgs(o.file)
	if o.kind == "" {
		return false, nil
	}
	u.config.Ledger.Prepare(ctx)
	if !u.config.Ledger.Has(ctx, o.kind, args) {
		return false, nil
	}
	if err := u.askCustomer(ctx, o.file); err != nil {
		return false, err
	}
	line, ok := u.config.Ledger.Take(ctx, o.kind, args, func(n *resume.Line) bool {
		return n.Made() != nil && u.ours(n.Made().ID) && u.CheckCustomer(n.Made().ID) == nil
	})
	if !ok {
		return false, nil
	}
	made := line.Made()
	o.result.line = line
	o.result.StoredFile = StoredFile{
		KeyPath: made.ID, ETag: made.ETag, Bucket: made.Bucket, Encryption: made.Encryption, VersionID: made.VersionID,
		UploadedAt: made.At, Parts: made.Parts,
	}
	tflog.Info(ctx, "stored by an earlier run", map[string]any{"file_name": o.file.Name, "key_path": made.ID})
	return true, nil
}

// stored notes the time, and the file in the ledger.
func (o *operation) stored(ctx context.Context) {
	o.result.UploadedAt = time.Now().UTC().Format(time.RFC3339)
	if o.kind != "" {
		u := o.uploader
		o.result.line = u.config.Ledger.Add(ctx, o.kind, u.ledgerArgs(o.file), madeOf(o.result.StoredFile))
	}
}

// Keep notes in the ledger a file that a state has given up, for a later run. No other resource of
// this process finds it.
func (u *Uploader) Keep(ctx context.Context, f File, stored StoredFile) *resume.Line {
	return u.config.Ledger.Keep(ctx, resume.KindFile, u.ledgerArgs(f), madeOf(stored))
}

// madeOf is a stored file as the ledger has it: without the location, which is a URL.
func madeOf(s StoredFile) resume.Made {
	return resume.Made{
		ID: s.KeyPath, At: s.UploadedAt, ETag: s.ETag, Bucket: s.Bucket, Encryption: s.Encryption, VersionID: s.VersionID, Parts: s.Parts,
	}
}

// learnCustomer notes the customer of an address that the service made for this process.
func (u *Uploader) learnCustomer(keyPath string) {
	if parsed, err := keypath.Parse(keyPath); err == nil {
		u.customers.Store(parsed.CustomerID, true)
	}
}

// ours reports whether a key path belongs to a customer for whom this process got an address: only
// that tells the account, because a token may be opaque.
func (u *Uploader) ours(keyPath string) bool {
	parsed, err := keypath.Parse(keyPath)
	if err != nil {
		return false
	}
	_, known := u.customers.Load(parsed.CustomerID)
	return known
}

// askCustomer asks for an address if this process has none yet, because only an address tells the
// customer of the token.
func (u *Uploader) askCustomer(ctx context.Context, f File) error {
	select {
	case u.asking <- struct{}{}:
		defer func() { <-u.asking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	known := false
	u.customers.Range(func(any, any) bool {
		known = true
		return false
	})
	if known {
		return nil
	}
	target, err := u.config.API.PresignUpload(ctx, f.Name, f.ContentType)
	if err == nil {
		u.learnCustomer(target.KeyPath)
	}
	return err
}
