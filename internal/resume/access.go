package resume

import (
	"errors"
	"slices"
)

var (
	errForeign  = errors.New("it belongs to another user")
	errWritable = errors.New("other users can write to it")
)

// access is one entry of the access control list of a folder on Windows.
type access struct {
	kind byte   // ACCESS_ALLOWED_ACE_TYPE, ...
	mask uint32 // what is allowed
	sid  string // to whom
}

const (
	accessAllowed = 0 // ACCESS_ALLOWED_ACE_TYPE
	accessDenied  = 1 // ACCESS_DENIED_ACE_TYPE

	// accessWrite are FILE_WRITE_DATA, FILE_APPEND_DATA, FILE_DELETE_CHILD, DELETE, WRITE_DAC,
	// WRITE_OWNER, GENERIC_ALL and GENERIC_WRITE: rights to change what a folder or a file in it
	// contains, or who may.
	accessWrite = 0x2 | 0x4 | 0x40 | 0x10000 | 0x40000 | 0x80000 | 0x10000000 | 0x40000000
)

// checkAccess returns why a folder on Windows may hold what another user wrote. What its files
// inherit counts as well. Administrators and the system itself can write everywhere, and an entry
// for the owner is one for this user.
func checkAccess(owner, self string, entries []access) error {
	const system, administrators, creatorOwner, ownerRights = "S-1-5-18", "S-1-5-32-544", "S-1-3-0", "S-1-3-4"
	if !slices.Contains([]string{self, system, administrators}, owner) {
		return errForeign
	}
	for _, e := range entries {
		ours := slices.Contains([]string{self, system, administrators, creatorOwner, ownerRights}, e.sid)
		// Entries of other kinds have other fields: what they allow is not known.
		if e.kind != accessDenied && (e.kind != accessAllowed || !ours && e.mask&accessWrite != 0) {
			return errWritable
		}
	}
	return nil
}
