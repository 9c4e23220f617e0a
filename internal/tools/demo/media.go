package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
)

// content describes the media file.
type content struct {
	size   int64
	sha256 string // hexadecimal
}

// mp4Start is the first box of an MP4 file: 32 bytes, type ftyp, brand isom. With it, tools
// recognize the file as an MP4.
const mp4Start = "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"

// writeMedia writes a file of size bytes with the same content on every run: mp4Start, then one box
// of random bytes, which do not compress.
func writeMedia(path string, size uint32) error {
	head := binary.BigEndian.AppendUint32([]byte(mp4Start), size-uint32(len(mp4Start)))
	head = append(head, "mdat"...)
	media := make([]byte, size)
	noise := rand.NewChaCha8([32]byte([]byte("terraform-provider-vodlive demo.")))
	_, _ = noise.Read(media[copy(media, head):]) // never fails
	return os.WriteFile(path, media, 0o600)
}

func readContent(ctx context.Context, path string) (c content, err error) {
	file, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer func() { _ = file.Close() }()
	defer context.AfterFunc(ctx, func() { _ = file.Close() })() // ends the reading of a large file
	hash := sha256.New()
	c.size, err = io.Copy(hash, file)
	c.sha256 = hex.EncodeToString(hash.Sum(nil))
	return c, errors.Join(ctx.Err(), err)
}
