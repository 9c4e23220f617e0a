package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

type attrs = acctest.Attrs

// read reads a data source.
func read(p *acctest.Provider, typ string, config attrs) acctest.Diagnostics {
	_, diags := p.DataSource(typ, config)
	return diags
}

const (
	streamSource      = "rtmp://origin.example.com/contribution/src-key-5f21c0"
	streamDestination = "rtmp://sink.example.com/distribution/dst-key-77ab19"
)

// match is the configuration of a session.
var match = attrs{
	"name": "match", "region": "eu-central-1", "input": "RTMP_PULL", "mode": "NORM", "output_mode": "RTMP_PUSH",
	"input_source_a": streamSource, "output_destination_a": streamDestination,
	"input_preset": attrs{"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"},
}

// session creates a session and does not wait for it. A create whose answer is lost looks for the
// session for 30 s: the run is interrupted at the second look.
func session(w *acctest.World, p *acctest.Provider) acctest.Diagnostics {
	p, cancel := p.WithCancel()
	defer cancel()
	var looks atomic.Int32
	w.Hook(simulator.CallListSessions, func(*http.Request) {
		if looks.Add(1) == 2 {
			cancel()
		}
	})
	_, diags := p.Create("vodlive_live_session", match.With(attrs{"wait_for_status": []any{}}))
	return diags
}

// upload uploads a file of a few bytes, in one part if method is multipart.
func upload(t *testing.T, p *acctest.Provider, method string) acctest.Diagnostics {
	t.Helper()
	_, diags := p.Create("vodlive_media_upload", clip(t, method))
	return diags
}

// clip is the configuration of an upload.
func clip(t *testing.T, method string) attrs {
	t.Helper()
	file := filepath.Join(t.TempDir(), "clip.mp4")
	writeFile(t, file, "the content")
	return attrs{"source": file, "method": method}
}

// batch submits a batch job on a file.
func batch(p *acctest.Provider, path string) acctest.Diagnostics {
	_, diags := p.Create("vodlive_batch_job", attrs{"paths": []string{path}, "service_modes": []string{"video_optimizer"}})
	return diags
}

func writeFile(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}
