//go:build !unix

package resume

import "io/fs"

const (
	openFlags = 0
	noFollow  = 0
)

// checkOwn returns why a file or folder may have content that another user wrote. This system has
// no permission bits: a folder inherits access from the one above it, and the default folder is in
// the user's profile.
func checkOwn(fs.FileInfo) error { return nil }

// checkParent returns why a folder must not hold the provider's own.
func checkParent(fs.FileInfo) error { return nil }
