package resume

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

// ledgerStore is the folder of the ledger of live sessions. It goes with the ledger.
type ledgerStore struct{ private *disk.Private }

func newLedgerStore(dir string) *ledgerStore {
	if dir == "" {
		return &ledgerStore{}
	}
	return &ledgerStore{&disk.Private{
		Parent: dir, Name: Folder, Names: ledgerNames, Lifetime: func(string) time.Duration { return lifetime },
	}}
}

var ledgerNames = regexp.MustCompile(`^((session|job|file|actionjob|actionfile|process)-[0-9a-f-]+\.(json|jsonl)(\.lock)?|process-[0-9a-f-]+\.lock)$`)

func (s *ledgerStore) open(context.Context) *disk.Folder {
	if s.private == nil {
		return nil
	}
	f, err := s.private.Open()
	if err != nil {
		return nil
	}
	return f
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
