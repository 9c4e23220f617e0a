package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// secrets are the texts that may show nowhere, by what they are.
type secrets map[string]string

// credentials are the forms in which the credentials of the simulator's defaults might show.
func credentials() secrets {
	return credentialForms(simulator.DefaultAccessTokenID, simulator.DefaultSecretKey, simulator.DefaultIDToken)
}

func credentialForms(id, key, token string) secrets {
	s := secrets{}
	for name, value := range map[string]string{"access token id": id, "secret key": key, "id:key": id + ":" + key, "id token": token} {
		s.add(name, value)
	}
	return s
}

// add adds a secret in every form in which a text might hold it.
func (s secrets) add(name, value string) {
	if value == "" {
		return
	}
	s[name] = value
	s[name+", escaped"] = url.QueryEscape(value)
	s[name+", base64"] = base64.StdEncoding.EncodeToString([]byte(value))
	s[name+", base64 without padding"] = base64.RawStdEncoding.EncodeToString([]byte(value))
	s[name+", base64 for URLs"] = base64.URLEncoding.EncodeToString([]byte(value))
	if len(value) >= 24 {
		s[name+", its beginning"] = value[:16] // a text that is cut off shows no half of a secret either
	}
	if quoted, err := json.Marshal(value); err == nil {
		s[name+", in JSON"] = string(quoted[1 : len(quoted)-1])
	}
}

// addStream adds the secret part of an rtmp URL: its path, and the last part of that.
func (s secrets) addStream(name, address string) {
	u, err := url.Parse(address)
	if err != nil || len(u.Path) < 2 {
		return
	}
	s.add(name, u.Path[1:])
	s.add(name+", key", u.Path[strings.LastIndexByte(u.Path, '/')+1:])
}

// addQuery adds what makes a presigned query secret.
func (s secrets) addQuery(query url.Values) {
	s.add("presigned signature", query.Get("X-Amz-Signature"))
	s.add("presigned credential", query.Get("X-Amz-Credential"))
}

// addIssued adds the signatures and the stream keys that a service has handed out and seen so far.
func (s secrets) addIssued(service *simulator.Service) {
	for _, r := range service.Journal() {
		s.addQuery(r.Query)
	}
	for _, r := range service.Sessions() {
		for name, address := range map[string]string{
			"input endpoint": r.InputEndpointA, "input endpoint b": r.InputEndpointB, "output endpoint": r.OutputEndpointA,
			"output endpoint b": r.OutputEndpointB, "source": r.InputSourceA, "destination": r.OutputDestinationA,
		} {
			s.addStream(name+" of "+r.ID, address)
		}
	}
}

// absentFrom fails the test where a text shows a secret, and says where.
func (s secrets) absentFrom(tb testing.TB, what, text string) {
	tb.Helper()
	for name, value := range s {
		if at := strings.Index(text, value); at >= 0 {
			tb.Errorf("%s shows a secret (%s): ...%s...", what, name, text[max(0, at-200):min(len(text), at+len(value)+100)])
		}
	}
}
