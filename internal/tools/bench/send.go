package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// job is what a contender in a process of its own is asked to do, as JSON in its only argument.
type job struct {
	Contender string   `json:"contender"` // engine, transfer manager
	Service   string   `json:"service"`   // address; the engine asks it for those of its PUTs
	Store     string   `json:"store"`     // address
	Connect   string   `json:"connect"`   // IP address to connect to, whatever the addresses say
	Paths     []string `json:"paths"`
	Size      int64    `json:"size"`   // of each file
	SHA256    []string `json:"sha256"` // of each file
	Resume    string   `json:"resume"` // resume_dir of the engine; "": none
}

// send uploads ten files at once, as Terraform does.
func send(ctx context.Context, argument string) error {
	var j job
	if err := json.Unmarshal([]byte(argument), &j); err != nil {
		return err
	}
	upload := j.engine()
	if j.Contender == "transfer manager" {
		upload = j.transferManager()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(10)
	for i := range j.Paths {
		group.Go(func() error { return upload(ctx, i) })
	}
	return group.Wait()
}

// dial connects to j.Connect on the port of the address.
func (j job) dial(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(j.Connect, port))
}

// transferManager has its defaults.
func (j job) transferManager() func(context.Context, int) error {
	manager := transfermanager.New(s3.New(s3.Options{
		BaseEndpoint: aws.String(j.Store), Region: key.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(key.AccessKey, key.SecretKey, ""),
		HTTPClient:  awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DialContext = j.dial }),
	}))
	return func(ctx context.Context, i int) error {
		f, err := os.Open(j.Paths[i])
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = manager.UploadObject(ctx, &transfermanager.UploadObjectInput{
			Bucket: aws.String(bucket), Key: aws.String(filepath.Base(j.Paths[i])), Body: f,
		})
		return err
	}
}

// engine has what the provider makes when nothing is configured.
func (j job) engine() func(context.Context, int) error {
	const retries = 5
	client := api.New(api.Config{
		VODBaseURL: j.Service, Token: credential.StaticToken(simulator.DefaultIDToken),
		Config: wire.Config{MaxRetries: retries, DialContext: j.dial},
	})
	uploader := upload.New(upload.Config{
		API:     client,
		Engine:  transfer.New(transfer.Config{Transport: client.StorageTransport(), StallTimeout: time.Minute, MaxRetries: retries}),
		Resume:  resume.New(j.Resume),
		Address: j.Service,
	})
	return func(ctx context.Context, i int) error {
		_, err := uploader.Upload(ctx, upload.File{
			Path: j.Paths[i], Upload: api.Upload{Name: filepath.Base(j.Paths[i]), ContentType: "video/mp4"}, Size: j.Size, SHA256: j.SHA256[i],
		}, nil)
		return err
	}
}
