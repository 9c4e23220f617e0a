package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// prepareMedia makes the media file, unless one is given, and returns its SHA-256. A new file
// begins as an MP4 does, and then has bytes that do not compress, the same in every run.
func (d *demo) prepareMedia() (sum string, err error) {
	if d.media == "" {
		d.media = filepath.Join(d.dir, "promo.mp4")
		media := make([]byte, 32<<20)
		_, _ = rand.NewChaCha8([32]byte{}).Read(media)
		copy(media, "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41")
		if err := os.WriteFile(d.media, media, 0o600); err != nil {
			return "", err
		}
	}
	if d.media, err = filepath.Abs(d.media); err != nil {
		return "", err
	}
	file, err := os.Open(d.media)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	sum = hex.EncodeToString(hash.Sum(nil))
	fmt.Printf("%s has %d bytes, SHA-256 %s\n", filepath.Base(d.media), size, sum)
	return sum, err
}

// checkCounts fails unless the service has one session, one file and one batch job.
func (d *demo) checkCounts() error {
	sessions, objects, jobs := len(d.service.Sessions()), len(d.service.Objects()), len(d.service.Batches())
	if sessions != 1 || objects != 1 || jobs != 1 || len(d.service.Uploads()) > 0 {
		return fmt.Errorf("it has %d sessions, %d files, %d unfinished uploads and %d batch jobs", sessions, objects, len(d.service.Uploads()), jobs)
	}
	return nil
}

// check prints what the service received, and compares it with the configuration and the file.
func (d *demo) check(sum string) error {
	if err := d.checkCounts(); err != nil {
		return err
	}
	session, object, job := d.service.Sessions()[0], d.service.Objects()[0], d.service.Batches()[0]
	fmt.Println("\nThe service has received:")
	fmt.Printf("  session    %s in %s: %s\n", session.Name, session.Region, session.Status)
	fmt.Printf("  file       %s\n", object.KeyPath)
	fmt.Printf("             %d bytes in %d parts, SHA-256 %s\n", object.Size, object.Parts, object.SHA256)
	fmt.Printf("  batch job  %s of %s\n", strings.Join(job.ServiceModes, ", "), strings.Join(job.Paths, ", "))
	fmt.Printf("  requests   %s\n", strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(d.service.Counts()), "map["), "]"))

	switch {
	case session.Status != "READY":
		return errors.New("the session is not ready")
	case object.SHA256 != sum:
		return errors.New("the stored file is another one")
	case !slices.Equal(job.Paths, []string{object.KeyPath}):
		return errors.New("the batch job has other files")
	}
	for _, r := range d.service.Journal() {
		if toStorage := r.Call == simulator.CallPutObject || r.Call == simulator.CallPutPart; toStorage && r.Header.Get("Authorization") != "" {
			return errors.New("a request to storage has a credential")
		}
	}
	fmt.Println("  the stored file equals the local one; no request to storage carried a credential")
	return nil
}
