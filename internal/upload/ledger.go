package upload

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
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

// request is what a file is looked up by in the ledger.
func (u *Uploader) request(f File, kind resume.Kind) resume.Request {
	return resume.Request{Kind: kind, Service: u.config.Address, Body: stored{f.Object(), f.Scope}, Name: f.Name}
}

type stored struct {
	Object
	Scope string
}

// take takes over the file from an earlier run that has stored it.
func (o *operation) take(ctx context.Context) (taken bool, err error) {
	u := o.uploader
	if o.kind == "" {
		return false, nil
	}
	if len(u.config.Ledger.Find(ctx, u.request(o.file, o.kind))) == 0 {
		return false, nil
	}
	if err := u.askCustomer(ctx, o.file); err != nil {
		return false, err
	}
	line, ok := u.config.Ledger.Take(ctx, u.request(o.file, o.kind), func(n *resume.Line) bool { return u.takes(n) && u.ours(n.Made().ID) })
	if ok {
		o.took(ctx, line)
	}
	return ok, nil
}

// takeLeft takes over the file that a Delete of this process has left. It comes from a state, so no
// service is asked for its customer, and an upload that fails or is not begun must not lose it.
func (u *Uploader) takeLeft(ctx context.Context, f File) (result Result, taken bool) {
	if !f.ForState {
		return Result{}, false
	}
	o := &operation{uploader: u, file: f, kind: ledgerOf(f)}
	line, ok := u.config.Ledger.TakeLeft(context.WithoutCancel(ctx), u.request(f, o.kind), u.takes)
	if ok {
		o.took(ctx, line)
	}
	return o.result, ok
}

// takes reports whether the file of a line may be used.
func (u *Uploader) takes(n *resume.Line) bool {
	return n.Made() != nil && u.CheckCustomer(n.Made().ID) == nil
}

// took makes the file of a line the result.
func (o *operation) took(ctx context.Context, line *resume.Line) {
	made := line.Made()
	o.result.line = line
	o.result.StoredFile = StoredFile{
		KeyPath: made.ID, ETag: made.ETag, Bucket: made.Bucket, Encryption: made.Encryption, VersionID: made.VersionID,
		UploadedAt: made.At, Parts: made.Parts,
	}
	if doubt := WarningKind(made.Doubt); doubt.doubt() { // that run may have been killed before it warned
		o.warn(Warning{Kind: doubt, KeyPath: made.ID})
	}
	tflog.Info(ctx, "stored by an earlier run", map[string]any{"file_name": o.file.Name, "key_path": made.ID})
}

// stored notes the time, and the file in the ledger.
func (o *operation) stored(ctx context.Context) {
	o.result.UploadedAt = time.Now().UTC().Format(time.RFC3339)
	if o.kind == "" {
		return
	}
	made := madeOf(o.result.StoredFile)
	for _, w := range o.result.Warnings {
		if w.Kind.doubt() {
			made.Doubt = string(w.Kind)
		}
	}
	o.result.line = o.list.Add(ctx, o.uploader.request(o.file, o.kind), made)
}

// Leave notes in the ledger files that a state has given up, and what is stored of each, for a
// Create of this process or of a later run. See resume.List.Leave. It reports whether a later run
// will find all of them.
func (u *Uploader) Leave(ctx context.Context, files []File, stored []StoredFile, unfinished map[string]*resume.Unfinished, group string) (written bool) {
	u.unfinished.Store(group, unfinished)
	list := u.config.Ledger.List()
	defer list.Close()
	written = true
	for i, f := range files {
		written = list.Leave(ctx, u.request(f, resume.KindFile), madeOf(stored[i]), group).Written() && written
	}
	return written
}

// Left returns what Leave was given of a group: the key paths of files that nobody has taken,
// sorted, and the unfinished uploads.
func (u *Uploader) Left(group string) (keyPaths []string, unfinished map[string]*resume.Unfinished) {
	for _, n := range u.config.Ledger.Left(group) {
		if n.Kind() == resume.KindFile {
			keyPaths = append(keyPaths, n.Made().ID)
		}
	}
	slices.Sort(keyPaths)
	left, _ := u.unfinished.Load(group)
	unfinished, _ = left.(map[string]*resume.Unfinished)
	return keyPaths, unfinished
}

// HasLeft reports whether Leave was given a group.
func (u *Uploader) HasLeft(group string) bool {
	_, left := u.unfinished.Load(group)
	return left
}

// madeOf is a stored file as the ledger has it: without the location, which is a URL.
func madeOf(s StoredFile) resume.Made {
	return resume.Made{
		ID: s.KeyPath, At: s.UploadedAt, ETag: s.ETag, Bucket: s.Bucket, Encryption: s.Encryption, VersionID: s.VersionID, Parts: s.Parts,
	}
}

// learnCustomer notes the customer of an address that the service made for this process.
func (u *Uploader) learnCustomer(keyPath string) {
	if parsed, err := parse.SplitKeyPath(keyPath); err == nil {
		u.customers.Store(parsed.CustomerID, true)
	}
}

// ours reports whether a key path belongs to a customer for whom this process got an address: only
// that tells the account, because a token may be opaque.
func (u *Uploader) ours(keyPath string) bool {
	parsed, err := parse.SplitKeyPath(keyPath)
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
	target, err := u.config.API.PresignUpload(ctx, f.Upload)
	if err == nil {
		u.learnCustomer(target.KeyPath)
	}
	return err
}
