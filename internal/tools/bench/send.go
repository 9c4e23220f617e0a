package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
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
	Addresses []string `json:"addresses"` // of localhost; the engine connects to them; nil: none
	CA        string   `json:"ca"`        // PEM of the servers' certificate; "": plain HTTP
	Paths     []string `json:"paths"`     // one for the transfer manager
	Size      int64    `json:"size"`      // of each file
	SHA256    []string `json:"sha256"`    // of each file
	Resume    string   `json:"resume"`    // resume_dir of the engine; "": none
	Retries   int      `json:"retries"`   // of the engine
}

func sendJob(ctx context.Context, argument string) error {
	var j job
	if err := json.Unmarshal([]byte(argument), &j); err != nil {
		return err
	}
	if j.Contender == "transfer manager" {
		return j.transferManager(ctx)
	}
	if err := j.engine(ctx); err != nil {
		return err
	}
	read, err := bytesRead()
	fmt.Println(read)
	return err
}

// bytesRead is how many bytes this process has read, of files and connections.
func bytesRead() (n int64, err error) {
	content, err := os.ReadFile("/proc/self/io")
	if err == nil {
		_, err = fmt.Sscanf(string(content), "rchar: %d", &n)
	}
	return n, err
}

// dial connects to j.Connect on the port of the address, or to one of j.Addresses.
func (j job) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if slices.Contains(j.Addresses, host) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(j.Connect, port))
}

// lookup finds j.Addresses; nil: there are none.
func (j job) lookup() func(context.Context, string) ([]netip.Addr, error) {
	if j.Addresses == nil {
		return nil
	}
	return func(context.Context, string) (found []netip.Addr, err error) {
		for _, a := range j.Addresses {
			ip, err := netip.ParseAddr(a)
			if err != nil {
				return nil, err
			}
			found = append(found, ip)
		}
		return found, nil
	}
}

func (j job) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(j.CA))
	return pool
}

func (j job) transferManager(ctx context.Context) error {
	f, err := os.Open(j.Paths[0])
	if err != nil {
		return err
	}
	defer f.Close()
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(j.Store), Region: key.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(key.AccessKey, key.SecretKey, ""),
		HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.DialContext, t.TLSClientConfig.RootCAs = j.dial, j.roots()
		}),
	})
	_, err = transfermanager.New(client).UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(filepath.Base(j.Paths[0])), Body: f,
	})
	return err
}

// engine uploads ten files at once, as Terraform does, with what the provider makes when nothing is
// configured.
func (j job) engine(ctx context.Context) error {
	client := api.New(api.Config{
		VODBaseURL: j.Service, Token: credential.StaticToken(simulator.DefaultIDToken),
		Config: wire.Config{MaxRetries: j.Retries, RootCAs: j.roots(), DialContext: j.dial, Lookup: j.lookup()},
	})
	uploader := upload.New(upload.Config{
		API:     client,
		Engine:  transfer.New(transfer.Config{Transport: client.StorageTransport(), StallTimeout: time.Minute, MaxRetries: j.Retries}),
		Resume:  resume.New(j.Resume),
		Address: j.Service,
		Account: func(context.Context) (string, error) { return "bench", nil },
	})
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(10)
	for i, path := range j.Paths {
		group.Go(func() error {
			_, err := uploader.Upload(ctx, upload.File{
				Path: path, Upload: api.Upload{Name: filepath.Base(path), ContentType: "video/mp4"}, Size: j.Size, SHA256: j.SHA256[i],
			}, nil)
			return err
		})
	}
	return group.Wait()
}
