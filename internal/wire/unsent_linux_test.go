package wire_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
)

// TestKernelTakesLittleOfAStorageConnection expects TCP_NOTSENT_LOWAT on
// connections to storage: otherwise a part that lags seems to be sent.
func TestKernelTakesLittleOfAStorageConnection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	var raw syscall.RawConn
	c := overWire(server.URL)
	c.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			raw, err = conn.(*net.TCPConn).SyscallConn()
		}
		return conn, err
	}
	res, err := newClient(t, c).Storage().RoundTrip(put(t, server.URL+"/k"))
	must.Succeed(t, err)
	_ = res.Body.Close()
	var limit int
	must.Succeed(t, raw.Control(func(fd uintptr) { limit, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, 25) }))
	if err != nil || limit != 128<<10 {
		t.Errorf("%d bytes, error %v", limit, err)
	}
}
