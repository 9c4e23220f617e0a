package wire_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	get, create := (*client).get, (*client).create
	const same = "https://LIVE.example.com:443/v2/session?x=1"
	for name, test := range map[string]struct {
		status   int
		location string
		call     func(*client, context.Context) error
		followed bool
		want     string
	}{
		"301, GET, same host":        {301, same, get, true, ""},
		"302, GET, relative":         {302, "/v2/session?x=1", get, true, ""},
		"303, GET":                   {303, same, get, true, ""},
		"307, GET":                   {307, same, get, true, ""},
		"308, GET":                   {308, same, get, true, ""},
		"307, POST":                  {307, same, create, true, ""},
		"308, POST":                  {308, same, create, true, ""},
		"301, POST":                  {301, same, create, false, "301 Moved Permanently: the service redirects the request to https://LIVE.example.com:443/v2/session, which would lose its body: the base address probably needs https or another path"},
		"302, POST":                  {302, same, create, false, "would lose its body"},
		"303, POST":                  {303, same, create, false, "would lose its body"},
		"GET, another host":          {302, "https://evil.example.com/x?token=1", get, false, "redirects to another host, https://evil.example.com/x, which gets no credential"},
		"GET, another port":          {302, "https://live.example.com:8443/x", get, false, "redirects to another host"},
		"GET, plain http":            {302, "http://live.example.com/x", get, false, "redirects to another host, http://live.example.com/x"},
		"GET, user info":             {302, "https://joe:pw12@live.example.com/x", get, false, "redirects to another host, https://live.example.com/x"},
		"GET, no URL":                {302, "https://%zz/", get, false, "not a URL"},
		"GET, without an address":    {302, "", get, false, "302 Found"},
		"POST 307, another host":     {307, "https://evil.example.com/x", create, false, "redirects to another host"},
		"304 is no redirect":         {304, same, get, false, "304 Not Modified"},
		"300 is not chosen by us":    {300, same, get, false, "300 Multiple Choices"},
		"rtmp, whatever it may mean": {302, "rtmp://live.example.com/app/streamkey", get, false, "another host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := wiretest.InTurn(wiretest.With(test.status, "", "Location", test.location), wiretest.With(200, good))
			err := test.call(newClient(t, config(service)), t.Context())
			requests := service.Requests()
			if !test.followed {
				if err == nil || !strings.Contains(err.Error(), test.want) || len(requests) != 1 {
					t.Errorf("%d requests, error %v; want 1, %s", len(requests), err, test.want)
				}
				for _, secret := range []string{"token=1", "pw12", "streamkey"} {
					if err != nil && strings.Contains(err.Error(), secret) {
						t.Errorf("%s is shown: %v", secret, err)
					}
				}
				return
			}
			if err != nil || len(requests) != 2 {
				t.Fatalf("%d requests, error %v", len(requests), err)
			}
			first, second := requests[0], requests[1]
			if second.Method != first.Method || second.Body != first.Body || second.Path != "/v2/session" ||
				second.Header.Get("Authorization") != first.Header.Get("Authorization") {
				t.Errorf("the second request is %+v, the first was %+v", second, first)
			}
		})
	}
	t.Run("a circle", func(t *testing.T) {
		t.Parallel()
		service := &wiretest.Service{Answer: func(_ int, r *http.Request) (*http.Response, error) {
			return wiretest.Response(302, "", "Location", r.URL.Path), nil
		}}
		err := newClient(t, config(service)).get(t.Context())
		if err == nil || !strings.Contains(err.Error(), "in a circle") || len(service.Requests()) > 10 {
			t.Errorf("%d requests, error %v", len(service.Requests()), err)
		}
	})
}
