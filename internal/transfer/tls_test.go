package transfer_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// TestStorageThatDoesNotSpeakTLS: another attempt would meet the same server, so there is none.
func TestStorageThatDoesNotSpeakTLS(t *testing.T) {
	t.Parallel()
	for name, greeting := range map[string]string{"HTTP": "", "another protocol": "220 smtp.example.com ESMTP ready\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int64
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ConnState = func(c net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
					_, _ = c.Write([]byte(greeting))
				}
			}
			server.Start()
			t.Cleanup(server.Close)
			f, _ := newFile(t, 100)
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			e := transfer.New(transfer.Config{Transport: transport, Concurrency: 1, MaxRetries: 1})
			_, err := e.UploadSingle(t.Context(), f, func(context.Context) (string, error) {
				return "https://" + server.Listener.Addr().String() + "/key", nil
			}, "")
			if n := connections.Load(); err == nil || n != 1 {
				t.Errorf("%d attempts, error %v", n, err)
			}
		})
	}
}
