package transfer

import "math"

const (
	mebibyte = int64(1) << 20

	// smallFile is the largest file in bytes that is sent in parts of MinPartSize. With small
	// parts, those in flight at the end finish together. Large parts need fewer requests, which is
	// what counts for large files.
	smallFile = 1 << 30
	// largePart is the part size in bytes of every larger file that needs no larger one.
	largePart = 16 * mebibyte
	// MinPartSize is the smallest size in bytes of a part that is not the last one.
	MinPartSize = 5 * mebibyte
	// MaxPartSize is the largest part in bytes that S3 takes.
	MaxPartSize = 5 << 10 * mebibyte
	// MaxParts is the largest number of parts that S3 takes in one upload.
	MaxParts = 10_000
)

// PartSize returns the part size in bytes for a file of size bytes: 5 MiB up to 1 GiB, 16 MiB
// above, and for files of more than 10,000 such parts the smallest whole MiB that needs no more
// than 10,000.
func PartSize(size int64) int64 {
	switch {
	case size <= smallFile:
		return MinPartSize
	case size <= largePart*MaxParts:
		return largePart
	}
	perPart := (size-1)/MaxParts + 1
	return ((perPart-1)/mebibyte + 1) * mebibyte
}

// PartCount returns how many parts of partSize bytes a file of size bytes has.
// It is 0 for an empty file and for a part size below 1, and math.MaxInt if there
// are more, which an int of 32 bits cannot hold.
func PartCount(size, partSize int64) int {
	if size <= 0 || partSize <= 0 {
		return 0
	}
	return int(min((size-1)/partSize+1, math.MaxInt))
}
