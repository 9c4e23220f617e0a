package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// job is what a contender in a process of its own is asked to do, as JSON in its only argument.
type job struct {
	Contender string   `json:"contender"` // engine, transfer manager
	Host      string   `json:"host"`      // of the store
	Paths     []string `json:"paths"`     // one is sent in parts, several with a single PUT each
	Size      int64    `json:"size"`      // of each file
	SHA256    []string `json:"sha256"`    // of each file
}

func sendJob(ctx context.Context, argument string) error {
	var j job
	if err := json.Unmarshal([]byte(argument), &j); err != nil {
		return err
	}
	if j.Contender == "transfer manager" {
		return j.transferManager(ctx)
	}
	storage, err := storagetest.NewS3(ctx, storagetest.S3Config{Endpoint: &url.URL{Scheme: "http", Host: j.Host}, Bucket: bucket, Key: key})
	if err != nil {
		return err
	}
	// As the provider makes it when nothing is configured.
	engine := transfer.New(transfer.Config{
		Transport:   &http.Transport{MaxIdleConnsPerHost: 4},
		Concurrency: 4, StallTimeout: time.Minute, MaxRetries: 5,
	})
	if len(j.Paths) == 1 {
		return j.parts(ctx, engine, storage)
	}
	return j.files(ctx, engine, storage)
}

func (j job) transferManager(ctx context.Context) error {
	f, err := os.Open(j.Paths[0])
	if err != nil {
		return err
	}
	defer f.Close()
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + j.Host), Region: key.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(key.AccessKey, key.SecretKey, ""),
	})
	_, err = transfermanager.New(client).UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(filepath.Base(j.Paths[0])), Body: f,
	})
	return err
}

func (j job) file(i int) (transfer.File, error) {
	sum, err := hex.DecodeString(j.SHA256[i])
	if err != nil || len(sum) != 32 {
		return transfer.File{}, fmt.Errorf("not a SHA-256: %q", j.SHA256[i])
	}
	return transfer.File{Path: j.Paths[i], Name: filepath.Base(j.Paths[i]), Size: j.Size, SHA256: [32]byte(sum)}, nil
}

// destination is an upload whose addresses are signed here, as the service would.
type destination struct {
	storage *storagetest.S3
	address simulator.Address
}

func (d destination) PartURL(_ context.Context, number int) (string, error) {
	a := d.address
	a.Part, a.At = number, time.Now()
	return d.storage.Presign(a)
}

func (destination) Stored(transfer.Part) {}

func (j job) parts(ctx context.Context, engine *transfer.Engine, storage *storagetest.S3) error {
	f, err := j.file(0)
	if err != nil {
		return err
	}
	id, err := storage.Create(ctx, f.Name)
	if err != nil {
		return err
	}
	to := destination{storage, simulator.Address{Key: f.Name, UploadID: id, Lifetime: time.Hour}}
	sent, err := engine.UploadParts(ctx, f, transfer.PartSize(f.Size), nil, to)
	if err != nil {
		return err
	}
	parts := make([]simulator.CompletedPart, len(sent.Parts))
	for i, p := range sent.Parts {
		parts[i] = simulator.CompletedPart{Number: p.Number, ETag: p.ETag}
	}
	_, err = storage.Complete(ctx, "", f.Name, id, parts)
	return err
}

// files sends ten files at once, as Terraform does.
func (j job) files(ctx context.Context, engine *transfer.Engine, storage *storagetest.S3) error {
	queue, failed := make(chan int), make(chan error, len(j.Paths))
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for i := range queue {
				f, err := j.file(i)
				if err == nil {
					_, err = engine.UploadSingle(ctx, f, func(context.Context) (string, error) {
						return storage.Presign(simulator.Address{Key: f.Name, At: time.Now(), Lifetime: time.Hour})
					}, "")
				}
				if err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range j.Paths {
		queue <- i
	}
	close(queue)
	group.Wait()
	close(failed)
	return <-failed
}
