package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const secret = "a-very-secret-value"

// TestConfigureRefuses holds every rule of the provider configuration: what is said, and which
// attribute or variable it names. No text may show a sensitive value.
func TestConfigureRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	notPEM := filepath.Join(folder, "not.pem")
	if err := os.WriteFile(notPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(folder, "huge.pem")
	if err := os.WriteFile(huge, make([]byte, 8<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		env       map[string]string
		config    attrs
		attribute string // "" = the diagnostic has no path
		detail    []string
	}{
		"base_url without scheme":       {config: attrs{"base_url": "api.example.com"}, attribute: "base_url", detail: []string{"`base_url` is not a usable address", "https://"}},
		"base_url plain http":           {config: attrs{"base_url": "http://api.example.com"}, attribute: "base_url", detail: []string{"`base_url`", "https"}},
		"base_url with query":           {config: attrs{"base_url": "https://api.example.com/?x=" + secret}, attribute: "base_url", detail: []string{"query"}},
		"base_url with user info":       {config: attrs{"base_url": "https://u:" + secret + "@api.example.com"}, attribute: "base_url", detail: []string{"`base_url`"}},
		"base_url blank":                {config: attrs{"base_url": "  "}, attribute: "base_url", detail: []string{"`base_url`"}},
		"VODLIVE_BASE_URL bad":          {env: map[string]string{"VODLIVE_BASE_URL": "ftp://x"}, detail: []string{"The environment variable VODLIVE_BASE_URL is not a usable address"}},
		"vod_base_url bad":              {config: attrs{"vod_base_url": "https://"}, attribute: "vod_base_url", detail: []string{"`vod_base_url`"}},
		"access_token_id blank":         {config: attrs{"access_token_id": ""}, attribute: "access_token_id", detail: []string{"`access_token_id` is blank"}},
		"access_token_id colon":         {config: attrs{"access_token_id": "id:" + secret}, attribute: "access_token_id", detail: []string{"colon", "`secret_key`"}},
		"secret_key line break":         {config: attrs{"secret_key": secret + "\r\nX-Evil: 1"}, attribute: "secret_key", detail: []string{"control character"}},
		"VODLIVE_SECRET_KEY blank":      {env: map[string]string{"VODLIVE_SECRET_KEY": "   "}, detail: []string{"The environment variable VODLIVE_SECRET_KEY is blank"}},
		"id_token line break":           {config: attrs{"id_token": secret + "\n"}, attribute: "id_token", detail: []string{"control character", "trimspace()"}},
		"VODLIVE_ID_TOKEN line break":   {env: map[string]string{"VODLIVE_ID_TOKEN": secret + "\nx"}, detail: []string{"The environment variable VODLIVE_ID_TOKEN contains a control character"}},
		"two token sources":             {config: attrs{"id_token": secret, "id_token_file": "f"}, attribute: "id_token_file", detail: []string{"`id_token` and `id_token_file` are set together"}},
		"token and command":             {config: attrs{"id_token": secret, "id_token_command": []string{"p"}}, attribute: "id_token_command", detail: []string{"set together"}},
		"two token variables":           {env: map[string]string{"VODLIVE_ID_TOKEN": secret, "VODLIVE_ID_TOKEN_FILE": "f"}, detail: []string{"VODLIVE_ID_TOKEN and VODLIVE_ID_TOKEN_FILE are both set"}},
		"id_token_file blank":           {config: attrs{"id_token_file": " "}, attribute: "id_token_file", detail: []string{"is blank"}},
		"id_token_command empty":        {config: attrs{"id_token_command": []string{}}, attribute: "id_token_command", detail: []string{"names no program"}},
		"id_token_command null element": {config: attrs{"id_token_command": []any{"p", nil}}, attribute: "id_token_command", detail: []string{"contains null"}},
		"id_token_file below ~":         {config: attrs{"id_token_file": "~/token"}, attribute: "id_token_file", detail: []string{"`id_token_file` is \"~/token\"", "pathexpand(\"~/token\")"}},
		"resume_dir below ~":            {config: attrs{"resume_dir": "~/resume"}, attribute: "resume_dir", detail: []string{"pathexpand(\"~/resume\")"}},
		"ca_bundle_file as a URL":       {config: attrs{"ca_bundle_file": "https://" + secret + "/ca.pem"}, attribute: "ca_bundle_file", detail: []string{"`ca_bundle_file` is a URL"}},
		"VODLIVE_ID_TOKEN_FILE below ~": {env: map[string]string{"VODLIVE_ID_TOKEN_FILE": "~/token"}, detail: []string{"The environment variable VODLIVE_ID_TOKEN_FILE is \"~/token\""}},
		"id_token_command as one text":  {config: attrs{"id_token_command": []string{"vault read -field=token media/id"}}, attribute: "id_token_command", detail: []string{"names the program \"vault read -field=token media/id\"", "separate elements", "begin it with `./`"}},
		"id_token_command with ~":       {config: attrs{"id_token_command": []string{"~/token.sh"}}, attribute: "id_token_command", detail: []string{"~", "pathexpand("}},
		"max_retries negative":          {config: attrs{"max_retries": -1}, attribute: "max_retries", detail: []string{"`max_retries` is -1", "from 0 to 100"}},
		"HTTPS_PROXY with a slash":      {env: map[string]string{"HTTPS_PROXY": "http://joe:" + secret + "/x@proxy.example.com:3128"}, detail: []string{"The environment variable HTTPS_PROXY is not the URL of a proxy", "`%2F`"}},
		"http_proxy without a host":     {env: map[string]string{"http_proxy": "http://:3128"}, detail: []string{"The environment variable http_proxy is not the URL of a proxy"}},
		"max_retries huge":              {config: attrs{"max_retries": int64(1 << 40)}, attribute: "max_retries", detail: []string{"from 0 to 100"}},
		"request_timeout no unit":       {config: attrs{"request_timeout": "30"}, attribute: "request_timeout", detail: []string{"`request_timeout` is \"30\", which is not a duration"}},
		"request_timeout zero":          {config: attrs{"request_timeout": "0s"}, attribute: "request_timeout", detail: []string{"longer than 0"}},
		"stall_timeout no unit":         {config: attrs{"stall_timeout": "x"}, attribute: "stall_timeout", detail: []string{"`stall_timeout` is \"x\", which is not a duration"}},
		"stall_timeout negative":        {config: attrs{"stall_timeout": "-5s"}, attribute: "stall_timeout", detail: []string{"longer than 0"}},
		"stall_timeout huge":            {config: attrs{"stall_timeout": "999h"}, attribute: "stall_timeout", detail: []string{"24 hours"}},
		"upload_concurrency zero":       {config: attrs{"upload_concurrency": 0}, attribute: "upload_concurrency", detail: []string{"from 1 to 64"}},
		"concurrency variable no digit": {env: map[string]string{"VODLIVE_UPLOAD_CONCURRENCY": "many"}, detail: []string{`The environment variable VODLIVE_UPLOAD_CONCURRENCY is "many"`}},
		"concurrency variable huge":     {env: map[string]string{"VODLIVE_UPLOAD_CONCURRENCY": "1000"}, detail: []string{"from 1 to 64"}},
		"upload_bandwidth zero":         {config: attrs{"upload_bandwidth": 0}, attribute: "upload_bandwidth", detail: []string{"`upload_bandwidth` is 0"}},
		"allowed_customer_ids empty":    {config: attrs{"allowed_customer_ids": []string{}}, attribute: "allowed_customer_ids", detail: []string{"`allowed_customer_ids` is empty"}},
		"allowed_customer_ids blank":    {config: attrs{"allowed_customer_ids": []string{" "}}, attribute: "allowed_customer_ids", detail: []string{"blank or has a slash"}},
		"allowed_customer_ids key path": {config: attrs{"allowed_customer_ids": []string{"vod/input/c"}}, attribute: "allowed_customer_ids", detail: []string{"blank or has a slash"}},
		"allowed_customer_ids null":     {config: attrs{"allowed_customer_ids": []any{nil}}, attribute: "allowed_customer_ids", detail: []string{"contains null"}},
		"ca_bundle_file missing":        {config: attrs{"ca_bundle_file": filepath.Join(folder, "none.pem")}, attribute: "ca_bundle_file", detail: []string{"cannot be read", "no such file"}},
		"ca_bundle_file folder":         {config: attrs{"ca_bundle_file": folder}, attribute: "ca_bundle_file", detail: []string{"which cannot be read: it is a folder"}},
		"ca_bundle_file device":         {config: attrs{"ca_bundle_file": os.DevNull}, attribute: "ca_bundle_file", detail: []string{"which cannot be read: it is not a regular file"}},
		"ca_bundle_file huge":           {config: attrs{"ca_bundle_file": huge}, attribute: "ca_bundle_file", detail: []string{"it has 8388609 bytes, more than the limit of 8388608"}},
		"ca_bundle_file no certificate": {config: attrs{"ca_bundle_file": notPEM}, attribute: "ca_bundle_file", detail: []string{"contains no certificate"}},
		"VODLIVE_CA_BUNDLE_FILE":        {env: map[string]string{"VODLIVE_CA_BUNDLE_FILE": notPEM}, detail: []string{"The environment variable VODLIVE_CA_BUNDLE_FILE names"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := acctest.NewProvider(t, tc.env).Configure(tc.config)
			if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityError {
				t.Fatalf("want one error, got %s", diags)
			}
			d := diags[0]
			// Validating finds the same, but for what the environment and the disk decide.
			validated := acctest.NewProvider(t, tc.env).ValidateProvider(tc.config)
			if tc.attribute == "" || strings.Contains(d.Detail, "`ca_bundle_file` names") {
				validated.Must(t)
			} else if len(validated) != 1 || validated[0].Summary != d.Summary || !validated[0].Attribute.Equal(d.Attribute) {
				t.Errorf("validating says %s, configuring %s", validated, diags)
			}
			for _, part := range tc.detail {
				if !strings.Contains(d.Detail, part) {
					t.Errorf("the detail lacks %q: %s", part, d.Detail)
				}
			}
			var want *tftypes.AttributePath
			if tc.attribute != "" {
				want = tftypes.NewAttributePath().WithAttributeName(tc.attribute)
			}
			if !d.Attribute.Equal(want) {
				t.Errorf("attribute path %s, want %s", d.Attribute, want)
			}
			if strings.Contains(d.Summary+d.Detail, secret) {
				t.Errorf("the text shows a secret: %s", d.Detail)
			}
		})
	}
}

// TestConfigureAccepts holds what must not be refused: halves of a configuration, unknown values,
// precedence that makes a bad variable irrelevant.
func TestConfigureAccepts(t *testing.T) {
	t.Parallel()
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	writeCertificate(t, bundle)
	for name, tc := range map[string]struct {
		env    map[string]string
		config attrs
	}{
		"nothing":                    {},
		"live only":                  {config: attrs{"base_url": "https://a.example", "access_token_id": "i", "secret_key": "s"}},
		"upload only":                {config: attrs{"vod_base_url": "https://a.example:8443/prefix/", "id_token": "t"}},
		"loopback http":              {config: attrs{"base_url": "http://127.0.0.1:8080", "vod_base_url": "http://localhost:1"}},
		"unknown everything":         {config: attrs{"base_url": acctest.Unknown, "secret_key": acctest.Unknown, "id_token": acctest.Unknown, "resume_dir": acctest.Unknown, "request_timeout": acctest.Unknown}},
		"unknown customers":          {config: attrs{"allowed_customer_ids": acctest.Unknown}},
		"unknown customer":           {config: attrs{"allowed_customer_ids": []any{"a", acctest.Unknown}}},
		"a program with a blank":     {config: attrs{"id_token_command": []string{"/opt/my tools/token", "media"}}},
		"unknown command":            {config: attrs{"id_token_command": acctest.Unknown}},
		"configuration over bad env": {env: map[string]string{"VODLIVE_BASE_URL": "nonsense", "VODLIVE_UPLOAD_CONCURRENCY": "many"}, config: attrs{"base_url": "https://a.example", "upload_concurrency": 2}},
		"source in configuration over both in env": {env: map[string]string{"VODLIVE_ID_TOKEN": "a", "VODLIVE_ID_TOKEN_FILE": "b"}, config: attrs{"id_token_command": []string{"p"}}},
		"empty variables count as unset":           {env: map[string]string{"VODLIVE_BASE_URL": "", "VODLIVE_SECRET_KEY": "", "VODLIVE_ID_TOKEN": ""}},
		"ca bundle":                                {config: attrs{"ca_bundle_file": bundle}},
		"missing token file is not read here":      {config: attrs{"id_token_file": "/nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := acctest.NewProvider(t, tc.env).ValidateProvider(tc.config); len(diags) != 0 {
				t.Errorf("validating says %s", diags)
			}
			if diags := acctest.NewProvider(t, tc.env).Configure(tc.config); len(diags) != 0 {
				t.Errorf("want no diagnostics, got %s", diags)
			}
		})
	}
}

// TestDefaultResumeDir: a relative XDG_CACHE_HOME does not count, and does not turn the records
// off.
func TestDefaultResumeDir(t *testing.T) {
	t.Parallel()
	for _, cache := range []string{"", "relative"} {
		w := acctest.NewWorld(t, simulator.Options{})
		home := t.TempDir()
		delete(w.Env, "VODLIVE_RESUME_DIR")
		w.Env["HOME"], w.Env["LocalAppData"], w.Env["XDG_CACHE_HOME"] = home, home, cache
		if diags := upload(t, w.Provider(nil), "multipart"); len(diags) > 0 {
			t.Fatal(diags)
		}
		found := false
		_ = filepath.WalkDir(home, func(_ string, d fs.DirEntry, _ error) error {
			found = found || d.Name() == resume.Folder
			return nil
		})
		if !found {
			t.Errorf("XDG_CACHE_HOME=%q: no folder of records is below the home folder", cache)
		}
	}
}

// TestAppendedUserAgent: what a header cannot carry is percent-encoded, and stops nothing.
func TestAppendedUserAgent(t *testing.T) {
	t.Parallel()
	for appended, want := range map[string]string{
		"":                            "",
		"ci/7 (job a; b)":             " ci/7 (job a; b)",
		"Zürich/1 50%":                " Z%C3%BCrich/1 50%",
		" a\r\nX-Evil: 1\x00\t\x7fb ": " a X-Evil: 1 b",
		"\xff\xfe":                    " %FF%FE",
		"\u0085":                      "",
	} {
		t.Run(fmt.Sprintf("%q", appended), func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			w.Env["TF_APPEND_USER_AGENT"] = appended
			if _, diags := w.Provider(nil).Open("vodlive_upload_url", attrs{"file_name": "a.mp4"}); len(diags) != 0 {
				t.Fatal(diags)
			}
			agent := w.Journal()[0].Header.Get("User-Agent")
			if _, got, _ := strings.Cut(agent, " Terraform/"); strings.TrimLeft(got, "0123456789.") != want {
				t.Errorf("got %q, want it to end in %q", agent, want)
			}
		})
	}
}

func writeCertificate(t *testing.T, path string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
