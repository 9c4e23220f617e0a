//go:build !unix

package resume

import "io/fs"

const (
	openFlags = 0
	noFollow  = 0
)

// checkOwn returns why a file or folder may hold what another user wrote. This system has no permission bits: access to a
// folder is inherited from the one above it, and the default one is in the user's profile.
func checkOwn(fs.FileInfo) error { return nil }

// checkParent returns why a folder must not hold the provider's own.
func checkParent(fs.FileInfo) error { return nil }
