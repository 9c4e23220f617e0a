package upload

import (
	"errors"
	"fmt"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// The errors here say what is wrong, not which argument to change: the packages that know the
// arguments say that.

// SizeError says that storage does not take a file of this size in the way it is to be sent.
type SizeError struct {
	Limit    SizeLimit
	Path     string
	Size     int64 // bytes
	PartSize int64 // bytes
}

// SizeLimit is what a file is too large for.
type SizeLimit int

// The limits of a SizeError.
const (
	LimitObject SizeLimit = iota // an object of storage
	LimitPut                     // one PUT
	LimitParts                   // parts of the size asked for
)

func (e *SizeError) Error() string {
	file := fmt.Sprintf("%s has %d bytes", e.Path, e.Size)
	switch e.Limit {
	case LimitPut:
		return fmt.Sprintf("%s. Storage takes at most %d bytes in one PUT", file, int64(maxPut))
	case LimitParts:
		return fmt.Sprintf("%s, which are %d parts of %d bytes: storage takes %d at most", file, transfer.PartCount(e.Size, e.PartSize), e.PartSize, transfer.MaxParts)
	default:
		return fmt.Sprintf("%s. Storage takes at most %d parts of %d bytes", file, transfer.MaxParts, transfer.MaxPartSize)
	}
}

// NameError says that a file cannot be stored under its own name.
type NameError struct{ Name, Problem string }

func (e *NameError) Error() string {
	return fmt.Sprintf("the file's name is %q, which %s", e.Name, e.Problem)
}

// CustomerError says that a key path belongs to a customer who is not allowed.
type CustomerError struct {
	KeyPath, Customer string
	Allowed           []string
	Err               error // the key path cannot be read
}

func (e *CustomerError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%q %s, so whether its customer is allowed is not known", e.KeyPath, e.Err)
	}
	return fmt.Sprintf("the key path %s belongs to customer %q; allowed are only %q", e.KeyPath, e.Customer, e.Allowed)
}

func (e *CustomerError) Unwrap() error { return e.Err }

// MaybeCompleteError says that the request that completes an upload got no response, and that the
// service does not know the upload now. So the file may be stored.
type MaybeCompleteError struct {
	KeyPath string
	Err     error // the refusal
}

func (e *MaybeCompleteError) Error() string {
	return fmt.Sprintf("the request that completes the upload got no response, in this run or in an earlier one, and now the service does not know the upload any more. "+
		"So the file may be stored as %s. The refusal: %s", e.KeyPath, e.Err)
}

func (e *MaybeCompleteError) Unwrap() error { return e.Err }

// OtherHash returns the SHA-256 of a file that was not sent because it is not the planned one, ""
// for any other error.
func OtherHash(err error) string {
	if changed, ok := errors.AsType[*transfer.ChangedError](err); ok {
		return changed.SHA256
	}
	return ""
}

// IsMissing reports whether an error says that a file does not exist.
func IsMissing(err error) bool {
	fileError, ok := errors.AsType[*transfer.FileError](err)
	return ok && fileError.Problem == transfer.FileMissing
}

// NameFile has the error of a file show a name in place of its path.
func NameFile(err error, name string) error {
	if e, ok := errors.AsType[*transfer.FileError](err); ok {
		return &transfer.FileError{Path: name, Problem: e.Problem, Err: e.Err}
	}
	return err
}

// IsEmpty reports whether an error says that a file has no content.
func IsEmpty(err error) bool {
	fileError, ok := errors.AsType[*transfer.FileError](err)
	return ok && fileError.Problem == transfer.FileEmpty
}

// Warning is what the user should know of an upload that went on.
type Warning struct {
	Kind     WarningKind
	FileName string
	KeyPath  string // of the stored file; NotContinued: of the new upload, "" if it is not known yet

	Expected, Found string // OtherETag: both ETags; OtherKeyPath: Found is the other one
	Err             error  // TakenAsComplete, NotContinued: why; nil if an earlier run has taken it as complete
}

// WarningKind says what a Warning is about.
type WarningKind string

// The kinds of warnings. The ledger keeps doubts about what is stored.
const (
	OtherKeyPath    WarningKind = "other key path"    // the response that completes the upload names another key path
	OtherETag       WarningKind = "other ETag"        // the stored object has an ETag that does not follow from those of its parts
	TakenAsComplete WarningKind = "taken as complete" // the response was lost, and now there is no such upload
	NotContinued    WarningKind = "not continued"     // an unfinished upload is not used
	Unproved        WarningKind = "unproved"          // nothing that storage returned proves what it has
)

func (k WarningKind) doubt() bool { return k == TakenAsComplete || k == Unproved }
