package digest

import "fmt"

// ChangedError says that a file has other content than planned, or changed while it was read or sent.
type ChangedError struct {
	Path   string
	Detail string // "it has 3 bytes, 5 were planned"
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed: %s", e.Path, e.Detail)
}

// FileError says why a file cannot be sent.
type FileError struct {
	Path    string
	Problem FileProblem
	Err     error // cause, nil if Problem says it all
}

// FileProblem is what is wrong with a file.
type FileProblem string

// The problems of a FileError. Each reads as the end of "PATH ".
const (
	FileMissing    FileProblem = "does not exist"
	FileIsFolder   FileProblem = "is a folder, not a file"
	FileIsDevice   FileProblem = "is a device, not a file"
	FileIsSocket   FileProblem = "is a socket, not a file"
	FileIsPipe     FileProblem = "is a pipe, not a file"
	FileIrregular  FileProblem = "is not a regular file"
	FileUnreadable FileProblem = "cannot be read"
	FileEmpty      FileProblem = "is empty"
)

func (e *FileError) Error() string {
	s := e.Path + " " + string(e.Problem)
	if e.Err != nil && e.Problem == FileUnreadable {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *FileError) Unwrap() error { return e.Err }
