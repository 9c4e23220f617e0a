//go:build !unix

package disk

// NonBlock is 0: no path of the file system waits when it is opened.
const NonBlock = 0
