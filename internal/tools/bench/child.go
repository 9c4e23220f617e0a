package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// job is what a contender's process is asked to do, as its only argument.
type job struct {
	Contender   string   `json:"contender"` // engine, engine-files, transfermanager
	Endpoint    string   `json:"endpoint"`
	Bucket      string   `json:"bucket"`
	Key         string   `json:"key"`
	Path        string   `json:"path"` // file, or folder for engine-files
	Size        int64    `json:"size"`
	SHA256      string   `json:"sha256,omitempty"`
	PartSize    int64    `json:"part_size,omitempty"`   // 0: default
	Concurrency int      `json:"concurrency,omitempty"` // 0: default
	NoChecksum  bool     `json:"no_checksum,omitempty"`
	Sums        []string `json:"sums,omitempty"` // engine-files: SHA-256 of each file
	Profile     string   `json:"profile,omitempty"`
}

// Fixed credentials: every store here listens on loopback and lives as long as the run.
const (
	accessKey = "bench-access-key"
	secretKey = "bench-secret-key-not-a-secret"
	region    = "us-east-1"
)

func runChild(argument string) error {
	var j job
	if err := json.Unmarshal([]byte(argument), &j); err != nil {
		return err
	}
	if j.Profile != "" {
		f, err := os.Create(j.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ctx := context.Background()
	switch j.Contender {
	case "engine":
		return runEngine(ctx, j)
	case "engine-files":
		return runEngineFiles(ctx, j)
	case "transfermanager":
		return runTransferManager(ctx, j)
	}
	return fmt.Errorf("no such contender: %s", j.Contender)
}

func client(endpoint string) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       region,
		UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
		}),
	})
}

// runTransferManager is the peer: the AWS SDK's own upload of a file.
func runTransferManager(ctx context.Context, j job) error {
	f, err := os.Open(j.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	tm := transfermanager.New(client(j.Endpoint), func(o *transfermanager.Options) {
		if j.PartSize > 0 {
			o.PartSizeBytes = j.PartSize
		}
		if j.Concurrency > 0 {
			o.Concurrency = j.Concurrency
		}
		if j.NoChecksum {
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		}
	})
	_, err = tm.UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: aws.String(j.Bucket), Key: aws.String(j.Key), Body: f,
	})
	return err
}

// multipart plays the service: it opens the upload, presigns and completes.
type multipart struct {
	s3      *s3.Client
	presign *s3.PresignClient
	job     job
	id      *string
}

func (m *multipart) PartURL(ctx context.Context, number int) (string, error) {
	req, err := m.presign.PresignUploadPart(ctx, &s3.UploadPartInput{
		Bucket: &m.job.Bucket, Key: &m.job.Key, UploadId: m.id, PartNumber: aws.Int32(int32(number)), //nolint:gosec // at most 10,000
	})
	if err != nil {
		return "", err
	}
	return req.URL, nil
}

func (m *multipart) Stored(transfer.Part) {}

func runEngine(ctx context.Context, j job) error {
	f, err := file(j.Path, j.Size, j.SHA256)
	if err != nil {
		return err
	}
	partSize := j.PartSize
	if partSize == 0 {
		partSize = transfer.PartSize(j.Size)
	}
	c := client(j.Endpoint)
	m := &multipart{s3: c, presign: s3.NewPresignClient(c), job: j}
	created, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &j.Bucket, Key: &j.Key})
	if err != nil {
		return err
	}
	m.id = created.UploadId
	res, err := newEngine(j).UploadParts(ctx, f, partSize, nil, m)
	if err != nil {
		return err
	}
	done := &types.CompletedMultipartUpload{}
	for _, p := range res.Parts {
		done.Parts = append(done.Parts, types.CompletedPart{PartNumber: aws.Int32(int32(p.Number)), ETag: &p.ETag}) //nolint:gosec // at most 10,000
	}
	_, err = c.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &j.Bucket, Key: &j.Key, UploadId: m.id, MultipartUpload: done,
	})
	return err
}

// runEngineFiles sends every file of a folder with a single PUT, ten at a
// time as Terraform does, over the same number of connections as its peer.
func runEngineFiles(ctx context.Context, j job) error {
	entries, err := os.ReadDir(j.Path)
	if err != nil {
		return err
	}
	if len(entries) != len(j.Sums) {
		return fmt.Errorf("%d files, %d sums", len(entries), len(j.Sums))
	}
	e := newEngine(j)
	presign := s3.NewPresignClient(client(j.Endpoint))
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	turn := make(chan struct{}, 10)
	for i, entry := range entries {
		turn <- struct{}{}
		group.Go(func() {
			defer func() { <-turn }()
			f, err := file(filepath.Join(j.Path, entry.Name()), j.Size, j.Sums[i])
			if err == nil {
				_, err = e.UploadSingle(ctx, f, func(ctx context.Context) (string, error) {
					req, err := presign.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &j.Bucket, Key: aws.String(j.Key + "/" + entry.Name())})
					if err != nil {
						return "", err
					}
					return req.URL, nil
				}, "")
			}
			mu.Lock()
			defer mu.Unlock()
			first = errors.Join(first, err)
		})
	}
	group.Wait()
	return first
}

func newEngine(j job) *transfer.Engine {
	concurrency := j.Concurrency
	if concurrency == 0 {
		concurrency = 4 // the provider's default
	}
	return transfer.New(transfer.Config{
		Transport:    &http.Transport{MaxIdleConnsPerHost: concurrency},
		Concurrency:  concurrency,
		StallTimeout: time.Minute,
		MaxRetries:   5,
	})
}

func file(path string, size int64, sum string) (transfer.File, error) {
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != 32 {
		return transfer.File{}, fmt.Errorf("not a SHA-256: %q", sum)
	}
	return transfer.File{Path: path, Name: filepath.Base(path), Size: size, SHA256: [32]byte(raw)}, nil
}
