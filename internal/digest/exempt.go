package digest

import (
	"crypto/fips140"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"hash"
)

// NewMD5 returns an MD5 that can be computed in FIPS 140-3 mode, too: the ETags of S3 are MD5s, and
// prove nothing that the SHA-256 of the content does not.
func NewMD5() hash.Hash { return exempt(md5.New) }

// exempt returns a hash that GODEBUG=fips140=only would not compute otherwise. All calls have to be
// exempt: after a refused write, the hash would be the one of no bytes.
func exempt(begin func() hash.Hash) hash.Hash {
	var h hash.Hash
	fips140.WithoutEnforcement(func() { h = begin() })
	return exemptHash{h}
}

type exemptHash struct{ hash.Hash }

func (h exemptHash) Write(p []byte) (n int, err error) {
	fips140.WithoutEnforcement(func() { n, err = h.Hash.Write(p) })
	return n, err
}

func (h exemptHash) Sum(b []byte) (sum []byte) {
	fips140.WithoutEnforcement(func() { sum = h.Hash.Sum(b) })
	return sum
}
