package wire

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
)

// connectAhead makes connections for the calls that follow x, once x has its own. It does nothing if x
// has the connection of an earlier call, over HTTP/2, where all calls share one, or if the client has done
// it before. If x is answered before these connections are ready, the calls that follow begin to make their
// own, too, and take those that are ready first.
func (x *exchange) connectAhead(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		secure, _ := got.Conn.(*tls.Conn)
		if got.Reused || secure != nil && secure.ConnectionState().NegotiatedProtocol == "h2" || !x.client.madeAhead.CompareAndSwap(false, true) {
			return
		}
		var requests sync.WaitGroup
		over := make(chan struct{})
		for range min(x.Following, connectionsKept) - 1 {
			requests.Go(func() { x.client.connect(ctx, x.url.String(), over) })
		}
		requests.Wait() // x is sent after that, so its connection is in use until then
		close(over)
	}})
}

// connect lets net/http make a connection that it keeps for the next call: it cancels a request when the
// connection for it is about to be made. net/http makes it all the same, but only once all such requests
// are over; otherwise one of them would get it.
func (c *Client) connect(ctx context.Context, url string, over <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx = context.WithValue(ctx, dialKey{}, func() { cancel(); <-over })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { cancel() }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("-"))
	if err != nil {
		return
	}
	// If the request gets another call's connection, it must not be sent. Most often it is cancelled in time.
	// If not, net/http notices over HTTP/1.1 that its body is too short, sends nothing, and closes that
	// connection. Without GetBody it does not try the next one.
	req.ContentLength, req.GetBody = 2, nil
	if res, err := c.kept.RoundTrip(limitReach(req, anywhere)); err == nil {
		_ = res.Body.Close()
	}
}

// dialKey is for a function that is called before a connection is made for a request.
type dialKey struct{}
