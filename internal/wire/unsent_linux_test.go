package wire_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
)

// TestKernelTakesLittleOfAStorageConnection expects TCP_NOTSENT_LOWAT on connections to storage:
// otherwise a part that lags seems to be sent.
func TestKernelTakesLittleOfAStorageConnection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	var raw syscall.RawConn
	c := config(nil)
	c.base = server.URL
	c.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	c.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			raw, err = conn.(*net.TCPConn).SyscallConn()
		}
		return conn, err
	}
	client := newClient(t, c)
	res, err := client.Storage(client.vod).RoundTrip(put(t, server.URL+"/k"))
	must.Succeed(t, err)
	_ = res.Body.Close()
	var limit int
	must.Succeed(t, raw.Control(func(fd uintptr) { limit, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, 25) }))
	if err != nil || limit != 128<<10 {
		t.Errorf("%d bytes, error %v", limit, err)
	}
}
