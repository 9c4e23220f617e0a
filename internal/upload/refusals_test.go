package upload_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// bucket is a service that refuses calls once its token bucket is empty. Each request takes a round
// trip.
type bucket struct {
	next              http.RoundTripper
	trip              time.Duration
	limiter           *rate.Limiter
	accepted, refused atomic.Int64
}

func (b *bucket) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(b.trip / 2)
	defer time.Sleep(b.trip / 2)
	if req.Method != http.MethodPut {
		if !b.limiter.Allow() {
			b.refused.Add(1)
			return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
		}
		b.accepted.Add(1)
	}
	return b.next.RoundTrip(req)
}

// TestRefusedCalls has a service that allows few calls, and does not say when the next one may
// come. Every upload ends. At most a tenth of the calls is refused, and at least four fifths of
// those allowed are made. On a long line, more calls of a single file are on their way before the
// first refusal is known.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	const burst, parts, files = 5, 77, 400
	for name, send := range map[string]func(ctx context.Context, u *upload.Uploader, dir string) error{
		"a file of 77 parts": func(ctx context.Context, u *upload.Uploader, dir string) error {
			f := smallFile(dir, "a.mp4", bytes.Repeat([]byte("x"), parts*1000))
			f.Method, f.PartSize = upload.MethodMultipart, 1000
			_, err := u.Upload(ctx, f, nil)
			return err
		},
		"400 files": func(ctx context.Context, u *upload.Uploader, dir string) error {
			folder := upload.Folder{Name: "media"}
			for i := range files {
				folder.Files = append(folder.Files, smallFile(dir, fmt.Sprint(i, ".mp4"), []byte("content")))
			}
			outcomes, _ := u.UploadFolder(ctx, folder, nil)
			for _, o := range outcomes {
				if o.Err != nil {
					return o.Err
				}
			}
			return nil
		},
	} {
		for _, perSecond := range []float64{2, 3, 10, 50} {
			for _, trip := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
				bubble.Run(t, fmt.Sprintf("%s, %.0f a second, %s", name, perSecond, trip), func(t *testing.T) {
					service := simulator.New(simulator.Options{MinPartSize: 1})
					defer service.Close()
					b := &bucket{next: inMemory{service}, trip: trip, limiter: rate.NewLimiter(rate.Limit(perSecond), burst)}
					began := time.Now()
					must.Succeed(t, send(t.Context(), newUploader(t, b), t.TempDir()))
					took := time.Since(began).Seconds()
					accepted, refused := float64(b.accepted.Load()), float64(b.refused.Load())
					most := 0.1
					if trip > 5*time.Millisecond && accepted < files {
						most = 0.2
					}
					if share := refused / (accepted + refused); share > most {
						t.Errorf("%.0f calls were refused, %.1f %%", refused, 100*share)
					}
					least := 0.8
					if trip > 5*time.Millisecond { // each try to find out what is allowed takes longer
						least = 0.7
					}
					// In a few seconds, nobody finds out that 50 are allowed.
					if used := accepted / (perSecond*took + burst); used < least && took > 5 {
						t.Errorf("%.1f %% of the allowed calls were made, in %.1f s", 100*used, took)
					}
				})
			}
		}
	}
}

// newUploader is one without records.
func newUploader(t *testing.T, transport http.RoundTripper) *upload.Uploader {
	t.Helper()
	const base = "http://127.0.0.1"
	client := api.New(api.Config{
		VODBaseURL: base, Token: credential.StaticToken(simulator.DefaultIDToken),
		Config: wire.Config{MaxRetries: 5, RequestTimeout: requestLimit, UserAgent: "test", Transport: transport},
	})
	return upload.New(upload.Config{
		API: client, Engine: transfer.New(transfer.Config{Transport: client.StorageTransport(), MaxRetries: 5, StallTimeout: 2 * requestLimit}),
		Address: base, Account: func(context.Context) (string, error) { return "test", nil },
	})
}

func smallFile(dir, name string, content []byte) upload.File {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		panic(err)
	}
	return upload.File{Path: path, Upload: api.Upload{Name: name, ContentType: "video/mp4"}, Size: int64(len(content)), SHA256: hexSHA256(content), Method: upload.MethodSingle}
}
