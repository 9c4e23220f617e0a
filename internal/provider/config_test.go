package provider_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// configure runs Configure through the protocol server, as Terraform does, and returns its diagnostics.
func configure(t *testing.T, env map[string]string, attributes map[string]tftypes.Value) []*tfprotov6.Diagnostic {
	t.Helper()
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	server := provider.NewServer(provider.NewWithEnvironment("test", lookup)(), provider.Logged)
	schema, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	object, ok := schema.Provider.ValueType().(tftypes.Object)
	if !ok {
		t.Fatalf("the provider schema is a %T", schema.Provider.ValueType())
	}
	values := map[string]tftypes.Value{}
	for name, typ := range object.AttributeTypes {
		values[name] = tftypes.NewValue(typ, nil)
	}
	maps.Copy(values, attributes)
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: &config})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

func text(s string) tftypes.Value  { return tftypes.NewValue(tftypes.String, s) }
func number(n int64) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
func list(s ...any) tftypes.Value {
	elements := make([]tftypes.Value, len(s))
	for i, v := range s {
		elements[i] = tftypes.NewValue(tftypes.String, v)
	}
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, elements)
}

const secret = "a-very-secret-value"

// TestConfigureRefuses holds every rule of the provider configuration: what is said, and which attribute or variable it
// names. No text may show a sensitive value.
func TestConfigureRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	notPEM := filepath.Join(folder, "not.pem")
	if err := os.WriteFile(notPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		env       map[string]string
		config    map[string]tftypes.Value
		attribute string // "" = the diagnostic has no path
		detail    []string
	}{
		"base_url without scheme":       {config: map[string]tftypes.Value{"base_url": text("api.example.com")}, attribute: "base_url", detail: []string{"`base_url` is not an address that can be used", "https://"}},
		"base_url plain http":           {config: map[string]tftypes.Value{"base_url": text("http://api.example.com")}, attribute: "base_url", detail: []string{"`base_url`", "https"}},
		"base_url with query":           {config: map[string]tftypes.Value{"base_url": text("https://api.example.com/?x=" + secret)}, attribute: "base_url", detail: []string{"query"}},
		"base_url with user info":       {config: map[string]tftypes.Value{"base_url": text("https://u:" + secret + "@api.example.com")}, attribute: "base_url", detail: []string{"`base_url`"}},
		"base_url blank":                {config: map[string]tftypes.Value{"base_url": text("  ")}, attribute: "base_url", detail: []string{"`base_url`"}},
		"VODLIVE_BASE_URL bad":          {env: map[string]string{"VODLIVE_BASE_URL": "ftp://x"}, detail: []string{"The environment variable VODLIVE_BASE_URL is not an address"}},
		"vod_base_url bad":              {config: map[string]tftypes.Value{"vod_base_url": text("https://")}, attribute: "vod_base_url", detail: []string{"`vod_base_url`"}},
		"access_token_id blank":         {config: map[string]tftypes.Value{"access_token_id": text("")}, attribute: "access_token_id", detail: []string{"`access_token_id` is blank"}},
		"access_token_id colon":         {config: map[string]tftypes.Value{"access_token_id": text("id:" + secret)}, attribute: "access_token_id", detail: []string{"colon", "`secret_key`"}},
		"secret_key line break":         {config: map[string]tftypes.Value{"secret_key": text(secret + "\r\nX-Evil: 1")}, attribute: "secret_key", detail: []string{"control character"}},
		"VODLIVE_SECRET_KEY blank":      {env: map[string]string{"VODLIVE_SECRET_KEY": "   "}, detail: []string{"The environment variable VODLIVE_SECRET_KEY is blank"}},
		"id_token line break":           {config: map[string]tftypes.Value{"id_token": text(secret + "\n")}, attribute: "id_token", detail: []string{"control character"}},
		"VODLIVE_ID_TOKEN line break":   {env: map[string]string{"VODLIVE_ID_TOKEN": secret + "\nx"}, detail: []string{"The environment variable VODLIVE_ID_TOKEN contains a control character"}},
		"two token sources":             {config: map[string]tftypes.Value{"id_token": text(secret), "id_token_file": text("f")}, attribute: "id_token_file", detail: []string{"`id_token` and `id_token_file` are set together"}},
		"token and command":             {config: map[string]tftypes.Value{"id_token": text(secret), "id_token_command": list("p")}, attribute: "id_token_command", detail: []string{"set together"}},
		"two token variables":           {env: map[string]string{"VODLIVE_ID_TOKEN": secret, "VODLIVE_ID_TOKEN_FILE": "f"}, detail: []string{"VODLIVE_ID_TOKEN and VODLIVE_ID_TOKEN_FILE are both set"}},
		"id_token_file blank":           {config: map[string]tftypes.Value{"id_token_file": text(" ")}, attribute: "id_token_file", detail: []string{"is blank"}},
		"id_token_command empty":        {config: map[string]tftypes.Value{"id_token_command": list()}, attribute: "id_token_command", detail: []string{"names no program"}},
		"id_token_command null element": {config: map[string]tftypes.Value{"id_token_command": list("p", nil)}, attribute: "id_token_command", detail: []string{"contains null"}},
		"max_retries negative":          {config: map[string]tftypes.Value{"max_retries": number(-1)}, attribute: "max_retries", detail: []string{"`max_retries` is -1", "from 0 to 100"}},
		"max_retries huge":              {config: map[string]tftypes.Value{"max_retries": number(1 << 40)}, attribute: "max_retries", detail: []string{"from 0 to 100"}},
		"request_timeout no unit":       {config: map[string]tftypes.Value{"request_timeout": text("30")}, attribute: "request_timeout", detail: []string{"`request_timeout` is \"30\", which is not a duration"}},
		"request_timeout zero":          {config: map[string]tftypes.Value{"request_timeout": text("0s")}, attribute: "request_timeout", detail: []string{"longer than 0"}},
		"stall_timeout no unit":         {config: map[string]tftypes.Value{"stall_timeout": text("x")}, attribute: "stall_timeout", detail: []string{"`stall_timeout` is \"x\", which is not a duration"}},
		"stall_timeout negative":        {config: map[string]tftypes.Value{"stall_timeout": text("-5s")}, attribute: "stall_timeout", detail: []string{"longer than 0"}},
		"stall_timeout huge":            {config: map[string]tftypes.Value{"stall_timeout": text("999h")}, attribute: "stall_timeout", detail: []string{"24 hours"}},
		"upload_concurrency zero":       {config: map[string]tftypes.Value{"upload_concurrency": number(0)}, attribute: "upload_concurrency", detail: []string{"from 1 to 64"}},
		"concurrency variable no digit": {env: map[string]string{"VODLIVE_UPLOAD_CONCURRENCY": "many"}, detail: []string{`The environment variable VODLIVE_UPLOAD_CONCURRENCY is "many"`}},
		"concurrency variable huge":     {env: map[string]string{"VODLIVE_UPLOAD_CONCURRENCY": "1000"}, detail: []string{"from 1 to 64"}},
		"upload_bandwidth zero":         {config: map[string]tftypes.Value{"upload_bandwidth": number(0)}, attribute: "upload_bandwidth", detail: []string{"`upload_bandwidth` is 0"}},
		"ca_bundle_file missing":        {config: map[string]tftypes.Value{"ca_bundle_file": text(filepath.Join(folder, "none.pem"))}, attribute: "ca_bundle_file", detail: []string{"cannot be read", "no such file"}},
		"ca_bundle_file folder":         {config: map[string]tftypes.Value{"ca_bundle_file": text(folder)}, attribute: "ca_bundle_file", detail: []string{"it is a folder"}},
		"ca_bundle_file no certificate": {config: map[string]tftypes.Value{"ca_bundle_file": text(notPEM)}, attribute: "ca_bundle_file", detail: []string{"contains no certificate"}},
		"VODLIVE_CA_BUNDLE_FILE":        {env: map[string]string{"VODLIVE_CA_BUNDLE_FILE": notPEM}, detail: []string{"The environment variable VODLIVE_CA_BUNDLE_FILE names"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := configure(t, tc.env, tc.config)
			if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityError {
				t.Fatalf("want one error, got %s", show(diags))
			}
			d := diags[0]
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

func show(diags []*tfprotov6.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "\n%s: %s: %s", d.Severity, d.Summary, d.Detail)
	}
	return b.String()
}

// TestConfigureAccepts holds what must not be refused: halves of a configuration, unknown values, precedence that makes
// a bad variable irrelevant.
func TestConfigureAccepts(t *testing.T) {
	t.Parallel()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	writeCertificate(t, bundle)
	for name, tc := range map[string]struct {
		env    map[string]string
		config map[string]tftypes.Value
	}{
		"nothing":                    {},
		"live only":                  {config: map[string]tftypes.Value{"base_url": text("https://a.example"), "access_token_id": text("i"), "secret_key": text("s")}},
		"upload only":                {config: map[string]tftypes.Value{"vod_base_url": text("https://a.example:8443/prefix/"), "id_token": text("t")}},
		"loopback http":              {config: map[string]tftypes.Value{"base_url": text("http://127.0.0.1:8080"), "vod_base_url": text("http://localhost:1")}},
		"unknown everything":         {config: map[string]tftypes.Value{"base_url": unknown, "secret_key": unknown, "id_token": unknown, "resume_dir": unknown, "request_timeout": unknown}},
		"unknown command":            {config: map[string]tftypes.Value{"id_token_command": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, tftypes.UnknownValue)}},
		"configuration over bad env": {env: map[string]string{"VODLIVE_BASE_URL": "nonsense", "VODLIVE_UPLOAD_CONCURRENCY": "many"}, config: map[string]tftypes.Value{"base_url": text("https://a.example"), "upload_concurrency": number(2)}},
		"source in configuration over both in env": {env: map[string]string{"VODLIVE_ID_TOKEN": "a", "VODLIVE_ID_TOKEN_FILE": "b"}, config: map[string]tftypes.Value{"id_token_command": list("p")}},
		"empty variables count as unset":           {env: map[string]string{"VODLIVE_BASE_URL": "", "VODLIVE_SECRET_KEY": "", "VODLIVE_ID_TOKEN": ""}},
		"ca bundle":                                {config: map[string]tftypes.Value{"ca_bundle_file": text(bundle)}},
		"missing token file is not read here":      {config: map[string]tftypes.Value{"id_token_file": text("/nowhere")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := configure(t, tc.env, tc.config); len(diags) != 0 {
				t.Errorf("want no diagnostics, got %s", show(diags))
			}
		})
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
			server := acctest.Start(t, simulator.Options{})
			protocol := server.Protocol(t, map[string]string{"TF_APPEND_USER_AGENT": appended})
			if _, diags := protocol.Open(t.Context(), "vodlive_upload_url", map[string]tftypes.Value{"file_name": acctest.Text("a.mp4")}); len(diags) != 0 {
				t.Fatal(acctest.Diagnostics(diags))
			}
			agent := server.Journal()[0].Header.Get("User-Agent")
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
