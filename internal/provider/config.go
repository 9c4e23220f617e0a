package provider

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// settings is the validated configuration, in the form in which the packages take it.
type settings struct {
	api    api.Config
	engine transfer.Config
	upload upload.Config
	data   *providerdata.Data
}

// resolver takes each value from the configuration or else from the environment. Its diagnostics
// never show a sensitive value. With an error, the values are not used.
type resolver struct {
	env     Environment
	diags   diag.Diagnostics
	unknown bool

	withoutFiles bool // leaves the files that the configuration names unread
}

// value is one setting and its origin.
type value struct {
	text  string
	attr  string // attribute of the value, "" for the environment
	env   string // variable of the value, even if the attribute is set
	known bool
	set   bool
}

func (v value) origin() string {
	if v.attr != "" {
		return "`" + v.attr + "`"
	}
	return "the environment variable " + v.env
}

func (r *resolver) resolve(m model) *settings {
	s := &settings{data: &providerdata.Data{SkipRegionValidation: m.SkipRegionValidation.ValueBool()}}
	r.unknown = m.SkipRegionValidation.IsUnknown()

	s.api.LiveBaseURL = r.address(r.required("base_url", m.BaseURL, "VODLIVE_BASE_URL", &s.data.MissingLive))
	id := r.required("access_token_id", m.AccessTokenID, "VODLIVE_ACCESS_TOKEN_ID", &s.data.MissingLive)
	s.api.AccessTokenID = r.secret(id)
	if strings.Contains(s.api.AccessTokenID, ":") {
		r.fail(id, "contains a colon", "An access token id has none. If the value is `id:key`, move the part after the colon to `secret_key`.")
	}
	s.api.SecretKey = r.secret(r.required("secret_key", m.SecretKey, "VODLIVE_SECRET_KEY", &s.data.MissingLive))
	s.api.VODBaseURL = r.address(r.required("vod_base_url", m.VODBaseURL, "VODLIVE_VOD_BASE_URL", &s.data.MissingUpload))
	r.token(m, s)
	s.data.LiveAddress, s.data.UploadAddress, s.upload.Address = s.api.LiveBaseURL, s.api.VODBaseURL, s.api.VODBaseURL

	s.api.MaxRetries = int(r.number("max_retries", m.MaxRetries, "", 5, 0, 100))
	s.api.RequestTimeout = r.duration("request_timeout", m.RequestTimeout, 30*time.Second)
	s.api.RootCAs = r.authorities(m.CABundleFile)
	s.engine.MaxRetries = s.api.MaxRetries
	s.engine.StallTimeout = r.duration("stall_timeout", m.StallTimeout, 60*time.Second)
	s.engine.Concurrency = int(r.number("upload_concurrency", m.UploadConcurrency, "VODLIVE_UPLOAD_CONCURRENCY", 0, 1, 64))
	s.engine.Bandwidth = r.number("upload_bandwidth", m.UploadBandwidth, "", 0, 1, 1<<50)

	s.upload.AllowedCustomers, _ = r.strings(m.AllowedCustomerIDs)
	s.upload.Resume = r.records(m.ResumeDir)
	s.upload.ProgressFile, _ = r.env("VODLIVE_PROGRESS")
	s.data.Unknown = r.unknown
	return s
}

// text takes a value from the configuration or else from the environment. An unknown value counts
// as set. An empty variable counts as not set, because pipelines set undefined secrets to "".
func (r *resolver) text(attr string, v attr.Value, env string) value {
	switch {
	case v.IsUnknown():
		r.unknown = true
		return value{attr: attr, env: env, set: true}
	case !v.IsNull():
		text := v.String() // of a number
		if s, ok := v.(types.String); ok {
			text = s.ValueString()
		}
		return value{text: text, attr: attr, env: env, known: true, set: true}
	case env != "":
		text, _ := r.env(env)
		return value{text: text, env: env, known: text != "", set: text != ""}
	}
	return value{}
}

const invalid = "Invalid provider configuration"

func (r *resolver) fail(v value, problem, remedy string) {
	detail := v.origin() + " " + problem + ". " + remedy
	if v.attr != "" {
		r.diags.AddAttributeError(path.Root(v.attr), invalid, detail)
		return
	}
	r.diags.AddError(invalid, strings.ToUpper(detail[:1])+detail[1:])
}

// required is text, and adds a value that is not set to missing, in the form of
// providerdata.Data.MissingLive.
func (r *resolver) required(attr string, v types.String, env string, missing *[]string) value {
	t := r.text(attr, v, env)
	if !t.set {
		*missing = append(*missing, "`"+attr+"` (or "+r.variable(env)+")")
	}
	return t
}

// variable names an environment variable that has no value.
func (r *resolver) variable(env string) string {
	if _, empty := r.env(env); empty {
		return env + ", which is set but empty"
	}
	return env
}

// address validates an address and normalizes it, because it is part of the key of upload records.
func (r *resolver) address(t value) string {
	if !t.known {
		return ""
	}
	u, err := wire.ParseBaseURL(t.text)
	if err != nil {
		r.fail(t, "is not a usable address: "+err.Error(), "Write it like `https://api.example.com`.")
		return ""
	}
	return u.String()
}

// secret validates a sensitive value without showing it. Like the content of a file, it has no white
// space around it. It returns "" if the value is unknown.
func (r *resolver) secret(t value) string {
	text := strings.TrimSpace(t.text)
	if t.known && (text == "" || strings.ContainsFunc(text, unicode.IsControl)) {
		r.fail(t, "is blank, or has a line break or another control character in it", "The value is a secret and so not shown here.")
	}
	return text
}

// number reads a whole number within bounds.
func (r *resolver) number(attr string, v types.Int64, env string, byDefault, low, high int64) int64 {
	t := r.text(attr, v, env)
	if !t.known {
		return byDefault
	}
	n, err := strconv.ParseInt(strings.TrimSpace(t.text), 10, 64)
	if err != nil || n < low || n > high {
		r.fail(t, fmt.Sprintf("is %q", t.text), fmt.Sprintf("Set a whole number from %d to %d.", low, high))
	}
	return n
}

func (r *resolver) duration(attr string, v types.String, byDefault time.Duration) time.Duration {
	t := r.text(attr, v, "")
	if !t.known {
		return byDefault
	}
	d, err := time.ParseDuration(t.text)
	if err != nil || d <= 0 || d > 24*time.Hour {
		r.fail(t, fmt.Sprintf("is %q", t.text), "Write a number with a unit, such as `\"30s\"` or `\"2m\"`, of at most 24 hours.")
	}
	return d
}

// collection is a list or a set of strings.
type collection interface {
	attr.Value
	Elements() []attr.Value
}

// strings reads the elements of a collection. known is false if it is not set, or not known.
func (r *resolver) strings(c collection) (texts []string, known bool) {
	r.unknown = r.unknown || c.IsUnknown()
	for _, e := range c.Elements() {
		text, _ := e.(types.String)
		r.unknown = r.unknown || e.IsUnknown()
		texts = append(texts, text.ValueString())
	}
	return texts, len(texts) > 0 && !r.unknown
}

// checkPath reports a value that cannot be meant as a path on this machine.
func (r *resolver) checkPath(t value) {
	if problem := providerdata.PathProblem(t.text); t.known && problem != "" {
		r.fail(t, problem, "It must be a path on this machine.")
	}
}

// authorities adds the bundle to the certificate pool of the system.
func (r *resolver) authorities(v types.String) *x509.CertPool {
	t := r.text("ca_bundle_file", v, "VODLIVE_CA_BUNDLE_FILE")
	if !t.known || r.withoutFiles {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	content, err := os.ReadFile(t.text)
	if err == nil {
		err = addCertificates(pool, content)
	}
	if err != nil {
		r.fail(t, "cannot be used: "+err.Error(), "Set the path of a PEM file of which every block is a certificate.")
	}
	return pool
}

// addCertificates reads every block of a PEM file, and fails if one is no certificate: a block that
// is left out would only show when a connection fails.
func addCertificates(pool *x509.CertPool, content []byte) error {
	const begin = "-----BEGIN "
	blocks := bytes.Split(content, []byte(begin))[1:]
	if len(blocks) == 0 {
		return errors.New("it has no block in PEM format")
	}
	for i, text := range blocks {
		block, _ := pem.Decode(append([]byte(begin), text...))
		if block == nil {
			return fmt.Errorf("block %d is damaged", i+1)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || block.Type != "CERTIFICATE" {
			return fmt.Errorf("block %d (%s) is no certificate", i+1, block.Type)
		}
		pool.AddCert(certificate)
	}
	return nil
}

// records opens the folder for upload records. Unlike in other settings, an empty value counts: it
// turns the records off. A folder that the user has not set is used if it can be.
func (r *resolver) records(v types.String) *resume.Store {
	t := r.text("resume_dir", v, "VODLIVE_RESUME_DIR")
	_, emptied := r.env("VODLIVE_RESUME_DIR")
	if !t.set && !emptied {
		t.text, _ = os.UserCacheDir() // "" without a home folder, as in some containers
		return resume.New(t.text)
	}
	if t.text != "" {
		r.checkPath(t)
	}
	store := resume.New(t.text)
	if t.text == "" || r.withoutFiles {
		return store
	}
	if err := store.Check(); err != nil {
		r.diags.AddWarning("The folder of `resume_dir` is not used", fmt.Sprintf("%s. Uploads work without the folder, but one that is killed is sent again. "+
			"Set `resume_dir` to a folder that belongs to you and that nobody else can write to.", err))
	}
	return store
}

// userAgent names the provider, and appends TF_APPEND_USER_AGENT, as HashiCorp's SDK does.
func userAgent(version string, env Environment) string {
	extra, _ := env("TF_APPEND_USER_AGENT")
	return strings.TrimSpace("terraform-provider-vodlive/" + version + " " + strings.TrimSpace(extra))
}
