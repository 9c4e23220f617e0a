package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const secret = "a-very-secret-value"

// TestConfigureRefuses holds the rules of the provider configuration: what is said, and which
// attribute or variable it names. No text may show a sensitive value.
func TestConfigureRefuses(t *testing.T) {
	t.Parallel()
	env := func(name, value string) map[string]string { return map[string]string{name: value} }
	for name, test := range map[string]struct {
		env    map[string]string
		config attrs
		want   string
	}{
		"an address":                  {nil, attrs{"base_url": "http://api.example.com"}, "`base_url` is not a usable address: the address is plain http"},
		"an address with user info":   {nil, attrs{"base_url": "https://u:" + secret + "@api.example.com"}, "`base_url` is not a usable address"},
		"an address of the API":       {nil, attrs{"vod_base_url": "https://api.example.com/vod/v1"}, "remove /vod/v1"},
		"an address in a variable":    {env("VODLIVE_BASE_URL", "ftp://x"), nil, "The environment variable VODLIVE_BASE_URL is not a usable address"},
		"a blank secret":              {nil, attrs{"access_token_id": ""}, "`access_token_id` is blank"},
		"an id with its key":          {nil, attrs{"access_token_id": "id:" + secret}, "`access_token_id` contains a colon"},
		"a secret of two lines":       {nil, attrs{"secret_key": secret + "\nX-Evil: 1"}, "`secret_key` is blank, or has a line break"},
		"a variable of two lines":     {env("VODLIVE_ID_TOKEN", secret+"\nx"), nil, "The environment variable VODLIVE_ID_TOKEN is blank, or has a line break"},
		"two token sources":           {nil, attrs{"id_token": secret, "id_token_file": "f"}, "`id_token` and `id_token_file` are set together"},
		"two token variables":         {map[string]string{"VODLIVE_ID_TOKEN": secret, "VODLIVE_ID_TOKEN_FILE": "f"}, nil, "VODLIVE_ID_TOKEN and VODLIVE_ID_TOKEN_FILE are both set"},
		"a home folder":               {nil, attrs{"id_token_file": "~/token"}, `pathexpand("~/token")`},
		"a home folder in a variable": {env("VODLIVE_ID_TOKEN_FILE", "~/token"), nil, "The environment variable VODLIVE_ID_TOKEN_FILE is \"~/token\""},
		"an empty command":            {nil, attrs{"id_token_command": []string{}}, "must contain at least 1 elements"},
		"a command line":              {nil, attrs{"id_token_command": []string{"vault read media/id"}}, "Program and arguments are separate elements"},
		"a number":                    {nil, attrs{"max_retries": -1}, "Set a whole number from 0 to 100"},
		"a number in a variable":      {env("VODLIVE_UPLOAD_CONCURRENCY", "many"), nil, `The environment variable VODLIVE_UPLOAD_CONCURRENCY is "many"`},
		"a duration":                  {nil, attrs{"request_timeout": "30"}, "Write a number with a unit"},
		"no customer":                 {nil, attrs{"allowed_customer_ids": []string{}}, "must contain at least 1 elements"},
		"a key path as a customer":    {nil, attrs{"allowed_customer_ids": []string{"vod/input/c"}}, "must be a customer id"},
		"no bundle":                   {nil, attrs{"ca_bundle_file": "/no/such/file"}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := acctest.NewProvider(t, test.env)
			diags := p.Configure(test.config)
			if !diags.Failed() || !strings.Contains(diags.String(), test.want) || strings.Contains(diags.String(), secret) {
				t.Errorf("got %s, want %s", diags, test.want)
			}
		})
	}
}

// TestConfigureAccepts configures a provider with what is unusual, but right.
func TestConfigureAccepts(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]attrs{
		"nothing":        nil,
		"unknown values": {"base_url": acctest.Unknown, "id_token": acctest.Unknown, "id_token_command": acctest.Unknown, "allowed_customer_ids": acctest.Unknown, "max_retries": acctest.Unknown},
		"no records":     {"resume_dir": ""},
		"all":            {"base_url": "https://a.example.com/x/", "vod_base_url": "https://b.example.com", "access_token_id": "i", "secret_key": "k", "id_token": "t", "max_retries": 0, "request_timeout": "1s", "upload_concurrency": 64},
	} {
		p := acctest.NewProvider(t, map[string]string{"VODLIVE_UPLOAD_CONCURRENCY": "8"})
		if diags := p.Configure(config); len(diags) > 0 {
			t.Errorf("%s: %s", name, diags)
		}
	}
}

// certificate returns a certificate in PEM format.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1)}, &x509.Certificate{}, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestBundle: a bundle is read whole, or refused by its block.
func TestBundle(t *testing.T) {
	t.Parallel()
	one := certificate(t)
	damaged := strings.Replace(one, "MI", "M!", 1)
	private := strings.ReplaceAll(one, "CERTIFICATE", "PRIVATE KEY")
	for content, want := range map[string]string{
		one + "# a comment\n" + one:  "",
		"\ufeff" + one:               "",
		strings.TrimSpace(one) + one: "",
		"hello":                      "it has no block",
		one + damaged:                "block 2",
		one + private:                "block 2 (PRIVATE KEY) is no certificate",
		strings.ReplaceAll(one, "CERTIFICATE", "TRUSTED CERTIFICATE"): "block 1 (TRUSTED CERTIFICATE)",
		one + "-----BEGIN CERTIFICATE-----\nTUlJ":                     "block 2 is damaged",
	} {
		path := filepath.Join(t.TempDir(), "ca.pem")
		writeFile(t, path, content)
		diags := acctest.NewProvider(t, map[string]string{"VODLIVE_CA_BUNDLE_FILE": path}).Configure(nil)
		if diags.Failed() != (want != "") || !strings.Contains(diags.String(), want) {
			t.Errorf("%.40q…: got %s, want %s", content, diags, want)
		}
	}
}

// TestResumeDir: a folder that the user has set, and that cannot be used, is a warning.
func TestResumeDir(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	shared := filepath.Join(open, "terraform-provider-vodlive")
	if err := os.MkdirAll(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil { // #nosec G302 -- what is refused
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	for dir, warns := range map[string]bool{t.TempDir(): false, "": false, open: true, file: true} {
		diags := acctest.NewProvider(t, nil).Configure(attrs{"resume_dir": dir})
		if diags.Failed() || (len(diags) == 1 && diags[0].Severity == tfprotov6.DiagnosticSeverityWarning) != warns {
			t.Errorf("%s: %s", dir, diags)
		}
	}
}

// TestMissingSettings: what is missing is named by whatever needs it, with its variable.
func TestMissingSettings(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, map[string]string{"VODLIVE_SECRET_KEY": ""})
	p.Configure(nil).Must(t)
	for typ, wants := range map[string][]string{
		"vodlive_regions": {"`base_url` (or VODLIVE_BASE_URL)", "`secret_key` (or VODLIVE_SECRET_KEY, which is set but empty)"},
	} {
		for _, want := range wants {
			if got := read(p, typ, nil).String(); !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s", typ, got, want)
			}
		}
	}
}

// TestTrimmedSecrets: a line break at the end of a variable is none of the secret.
func TestTrimmedSecrets(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for _, name := range []string{"VODLIVE_SECRET_KEY", "VODLIVE_ACCESS_TOKEN_ID", "VODLIVE_ID_TOKEN"} {
		w.Env[name] += " \r\n"
	}
	p := w.Provider(nil)
	append(read(p, "vodlive_regions", nil), upload(t, p, "single")...).Must(t)
}

// token is a JWT that expires after some time.
func token(lifetime time.Duration) string {
	claims := fmt.Appendf(nil, `{"exp":%d}`, time.Now().Add(lifetime).Unix())
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString(claims) + ".c2ln"
}

// TestExpiredToken: a plan that needs the identity token says when it has expired.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.Env["VODLIVE_ID_TOKEN"] = token(-time.Minute)
		p := w.Provider(nil)
		config := clip(t, "single")
		diags := p.Plan(p.New("vodlive_media_upload"), config).Diags
		want := "The environment variable VODLIVE_ID_TOKEN has a token that expired at " + time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
		if !diags.Failed() || !strings.Contains(strings.ToLower(diags.String()), strings.ToLower(want)) {
			t.Errorf("got %s, want %s", diags, want)
		}
	})
}

// TestRenewedToken has the token of a file expire and be renewed during an upload.
func TestRenewedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, renewed := token(time.Minute), token(time.Hour)
		file := filepath.Join(t.TempDir(), "token")
		writeFile(t, file, first)
		w := acctest.NewWorld(t, simulator.Options{IDToken: first})
		delete(w.Env, "VODLIVE_ID_TOKEN")
		p := w.Provider(attrs{"id_token_file": file, "stall_timeout": "1h"})
		w.Hook(simulator.CallPutObject, func(*http.Request) {
			w.SetIDToken(renewed)
			writeFile(t, file, renewed)
			<-time.After(2 * time.Minute)
		})
		upload(t, p, "single").Must(t)
		batch(p, w.Objects()[0].KeyPath).Must(t)
		for _, r := range w.Journal() {
			if got := r.Header.Get("User-Agent"); !strings.HasPrefix(got, "terraform-provider-vodlive/") {
				t.Errorf("%s has the user agent %q", r.Call, got)
			}
		}
	})
}
