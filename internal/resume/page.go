package resume

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

// page is a file of the ledger, or its lines in memory. To a page about files, lines are appended.
// Any other page has one line.
type page struct {
	kind    Kind
	process string // that has it
	key     string // of the digests: the process that made it
	id      string

	onDisk bool
	file   *disk.File // while lines are appended
	lines  []*Line
	left   int // lines that are not removed
}

// newPage returns an empty page of this process.
func (l *Ledger) newPage(ctx context.Context, kind Kind) *page {
	l.prepare(ctx)
	return &page{kind: kind, process: l.process, key: l.process, id: randomID()}
}

func (p *page) add(n *Line) {
	p.lines = append(p.lines, n)
	p.left++
}

func (p *page) close() {
	if p.file != nil {
		_ = p.file.Close()
		p.file = nil
	}
}

func (l *Ledger) fileName(p *page) string {
	name := strings.Join([]string{string(p.kind), l.ownerID, p.process, p.key, p.id}, "-") + ".json"
	if p.kind.stored() {
		name += "l"
	}
	return name
}

// pageOf returns the page of a file of this owner, nil if it is no such file.
func (l *Ledger) pageOf(name string) *page {
	if !lineName.MatchString(name) {
		return nil
	}
	name, _, _ = strings.Cut(name, ".")
	part := strings.Split(name, "-")
	if part[1] != l.ownerID {
		return nil
	}
	return &page{kind: Kind(part[0]), process: part[2], key: part[3], id: part[4]}
}

// save writes what a page has now. It takes the page of a process that has ended first, so that
// nobody else does so meanwhile.
func (l *Ledger) save(ctx context.Context, p *page) {
	p.close()
	switch {
	case p.left == 0:
		l.removePage(ctx, p)
	case l.takePage(ctx, p) && l.folder != nil && !l.closed:
		content, err := p.encode()
		if err == nil {
			err = l.folder.Write(l.fileName(p), content)
			l.folder.Sync()
		}
		if err != nil {
			unwritten(ctx, err)
			return
		}
		p.onDisk = true
	}
}

func (l *Ledger) removePage(ctx context.Context, p *page) {
	if !p.onDisk {
		return
	}
	f, done := l.open(ctx)
	if f == nil {
		return
	}
	defer done()
	p.onDisk = false
	if err := f.Remove(l.fileName(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		tflog.Warn(ctx, "resume_dir cannot be written: a later run may find what a state has already", map[string]any{"error": disk.Cause(err).Error()})
	}
}

// takePage makes a page this process's own. It is false if another process was first.
func (l *Ledger) takePage(ctx context.Context, p *page) bool {
	if p.process == l.process || !p.onDisk {
		return true
	}
	l.prepare(ctx)
	if l.folder == nil { // only the page's own process can be told from a running one
		return true
	}
	before, from := l.fileName(p), p.process
	p.process = l.process
	switch err := l.folder.Rename(before, l.fileName(p)); {
	case errors.Is(err, fs.ErrNotExist):
		for _, n := range p.lines {
			l.delete(n)
		}
		p.onDisk = false
		return false
	case err != nil: // it stays where a later run finds it
		p.process = from
		unwritten(ctx, err)
	}
	return true
}

// read adds the lines of a page to the maps. It removes the file if they have all ended.
func (l *Ledger) read(ctx context.Context, f *disk.Folder, p *page) {
	content, err := f.Read(l.fileName(p))
	switch {
	case errors.Is(err, fs.ErrNotExist): // another process has taken or removed it
		return
	case err != nil:
		unreadable(ctx, l.fileName(p), err)
		return
	}
	p.onDisk = true
	ended := true
	for text := range p.kind.texts(content) {
		c, err := p.kind.decode(text)
		switch {
		case err == nil:
			n := &Line{ledger: l, page: p, content: c}
			p.add(n)
			// What another process of this run has made, Terraform has.
			l.insert(n, c.Run == "" || c.Run != l.owner.Run)
			ended = false
		case !errors.Is(err, errExpired):
			unreadable(ctx, l.fileName(p), err)
			ended = false
		}
	}
	if ended {
		l.removePage(ctx, p)
	}
}

func unreadable(ctx context.Context, file string, err error) {
	tflog.Warn(ctx, "what an earlier run has made cannot be read", map[string]any{"file": file, "error": err.Error()})
}

func unwritten(ctx context.Context, err error) {
	tflog.Warn(ctx, "resume_dir cannot be written: if this run ends early, the next one does not know what it has made", map[string]any{"error": disk.Cause(err).Error()})
}

// encode returns the lines that are not removed.
func (p *page) encode() (content []byte, err error) {
	for _, n := range p.lines {
		if n.removed {
			continue
		}
		text, err := n.encode()
		if err != nil {
			return nil, err
		}
		content = append(content, text...)
	}
	return content, nil
}

// texts parts the content of a page into its lines.
func (k Kind) texts(content []byte) iter.Seq[[]byte] {
	if k.stored() {
		return bytes.Lines(content)
	}
	return slices.Values([][]byte{content})
}

// decode reads a line. The error is errExpired for one that has ended.
func (k Kind) decode(text []byte) (c lineContent, err error) {
	switch err = json.Unmarshal(text, &c); {
	case err != nil:
	case time.Since(c.Began) > ledgerLifetime:
		err = errExpired
	case c.Kind != k || c.Made != nil && !c.Made.clean(k):
		err = errors.New("its values are not those of a line")
	}
	return c, err
}
