package resume

import (
	"context"
	"os"
)

// List is lines about files that are written one after another into one file: those of one upload
// of a folder, or those that a Delete leaves. A nil *List records nothing. It must be closed.
type List struct {
	ledger *Ledger
	page   *page // nil before the first, and after a failure
}

// List returns a list without lines.
func (l *Ledger) List() *List {
	if l == nil {
		return nil
	}
	return &List{ledger: l}
}

// Add records a file that has been stored.
func (s *List) Add(ctx context.Context, r Request, made Made) *Line {
	return s.add(ctx, r, made, "", false)
}

// Leave is Ledger.Leave for files. Group is any text that the Create knows, too: see Left.
func (s *List) Leave(ctx context.Context, r Request, made Made, group string) *Line {
	return s.add(ctx, r, made, group, true)
}

func (s *List) add(ctx context.Context, r Request, made Made, group string, left bool) *Line {
	if s == nil {
		return nil
	}
	l := s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.page == nil || s.page.kind != r.Kind || s.page.file == nil && s.page.onDisk {
		s.page = l.newPage(ctx, r.Kind)
	}
	n := l.newLine(s.page, r)
	n.content.Made, n.content.Group = &made, group
	if err := l.appendLine(n); err != nil {
		unwritten(ctx, err)
	}
	l.insert(n, left)
	return n
}

// appendLine writes the last line of a page. One that cannot be written gets a page in memory, and
// the file no further line, because it may end in a part of this one.
func (l *Ledger) appendLine(n *Line) error {
	if l.folder == nil || l.closed {
		return nil
	}
	p := n.page
	err := l.writeLast(p, n)
	if err != nil {
		p.close()
		p.lines, p.left = p.lines[:len(p.lines)-1], p.left-1
		n.page = &page{kind: p.kind, process: p.process, key: p.key}
		n.page.add(n)
	}
	return err
}

func (l *Ledger) writeLast(p *page, n *Line) (err error) {
	if !p.onDisk {
		if p.file, err = l.folder.OpenFile(l.fileName(p), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND); err != nil {
			return err
		}
		p.onDisk = true
	}
	text, err := n.encode()
	if err == nil {
		_, err = p.file.Write(text)
	}
	if err == nil && n.content.Made.Parts > 0 { // if another one is lost, a small file is sent again
		err = p.file.Sync()
		l.folder.Sync()
	}
	return err
}

// Close ends the writing.
func (s *List) Close() {
	if s == nil || s.page == nil {
		return
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.page.close()
}
