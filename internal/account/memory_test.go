package account_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/account"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// largeAccount lists sessions without end, pageSize of them a page. Each URL has so many bytes; 0:
// there are none.
type largeAccount struct{ pageSize, address int }

// RoundTrip answers with a page that takes no memory itself.
func (a largeAccount) RoundTrip(req *http.Request) (*http.Response, error) {
	page, _ := strconv.Atoi(req.URL.Query().Get("id"))
	var length counter
	a.write(&length, page)
	body, w := io.Pipe()
	go func() {
		buffered := bufio.NewWriter(w)
		a.write(buffered, page)
		_ = w.CloseWithError(buffered.Flush())
	}()
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(length), Body: body, Request: req,
	}, nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func (a largeAccount) write(w io.Writer, page int) {
	_, _ = io.WriteString(w, `{"Sessions":[`)
	for i := range a.pageSize {
		if i > 0 {
			_, _ = io.WriteString(w, ",")
		}
		n := page*a.pageSize + i
		fmt.Fprintf(w, `{"id":"%08x-0000-4000-8000-%012x","user_id":"user-7f3a","region":"eu-central-1","name":"studio %d of the north","input":"RTMP_PUSH","mode":"HA",`+
			`"input_preset":{"codec":"H264","resolution":"FULL_HD","bitrate":"MAX_10_MBPS"},"output_mode":"RTMP_PULL","enable_input_record":true,"is_scheduled":false,`+
			`"timezone":"","scheduled_at":"","status":"READY","transcoder_id":"transcoder-full-hd","sub_domain_a":"live-%d-a.example.com","sub_domain_b":"live-%d-b.example.com",`+
			`"elastic_ip_a":"198.18.0.1","elastic_ip_b":"198.19.0.1","port":20000,"egress_port":30000`, n*7919, n, n, n, n)
		for i, name := range []string{"input_endpoint_a", "input_endpoint_b", "output_endpoint_a", "output_endpoint_b"} {
			if a.address == 0 {
				break
			}
			address := fmt.Sprintf("rtmp://live-%d.example.com:20000/live/%x-", n, n*104729+i)
			fmt.Fprintf(w, `,"%s":"%s%s"`, name, address, strings.Repeat("k", max(0, a.address-len(address))))
		}
		_, _ = io.WriteString(w, "}")
	}
	fmt.Fprintf(w, `],"LastEvaluatedKey":{"id":"%d","user_id":"u"}}`, page+1)
}

// BenchmarkListingMemory lists an account up to the limit of what a listing keeps. Run each in a
// process of its own: memory that an earlier one had from the system is not counted again.
func BenchmarkListingMemory(b *testing.B) {
	for name, size := range map[string]largeAccount{"without URLs": {500, 0}, "ordinary": {500, 90}, "long": {100, 4 << 10}, "large pages": {900, 4 << 10}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				client := api.New(api.Config{
					LiveBaseURL: "https://live.example.com", AccessTokenID: "id", SecretKey: "secret",
					Config: wire.Config{UserAgent: "test/1", Transport: size},
				})
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				n := 0
				r := account.New(client)
				for s := range r.All(b.Context()) {
					if s != nil {
						n++
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.Sys-before.Sys)/(1<<20), "peak-MiB")
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "live-MiB")
				b.ReportMetric(float64(n), "sessions")
				runtime.KeepAlive(r)
			}
		})
	}
}
