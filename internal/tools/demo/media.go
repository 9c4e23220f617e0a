package main

import (
	"bufio"
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
func writeMedia(path string, size uint32) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriterSize(file, 1<<20)
	box := size - uint32(len(mp4Start))
	header := append([]byte(mp4Start), 0, 0, 0, 0, 'm', 'd', 'a', 't')
	binary.BigEndian.PutUint32(header[len(mp4Start):], box)
	if _, err := w.Write(header); err != nil {
		return err
	}
	noise := rand.NewChaCha8([32]byte([]byte("terraform-provider-vodlive demo.")))
	if _, err := io.CopyN(w, noise, int64(size)-int64(len(header))); err != nil {
		return err
	}
	return w.Flush()
}

func readContent(ctx context.Context, path string) (c content, err error) {
	file, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	if c.size, err = io.Copy(hash, readerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return file.Read(p)
	})); err != nil {
		return c, err
	}
	c.sha256 = hex.EncodeToString(hash.Sum(nil))
	return c, nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
