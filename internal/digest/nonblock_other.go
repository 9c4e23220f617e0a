//go:build !unix

package digest

// nonBlock is 0: no path of the file system waits when it is opened.
const nonBlock = 0
