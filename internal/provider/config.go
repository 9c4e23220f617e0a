package provider

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// Limits of the numbers. They keep a slip of the finger from becoming a run that never ends or a storm of connections.
const (
	maxRetriesLimit     = 100
	maxConcurrency      = 64
	maxTimeout          = 24 * time.Hour
	maxCABundleBytes    = 8 << 20
	defaultMaxRetries   = 5
	defaultConcurrency  = 4
	defaultRequestLimit = 30 * time.Second
	defaultStallLimit   = 60 * time.Second
)

// settings is the configuration after precedence and checks.
type settings struct {
	unknown                    bool
	baseURL, vodBaseURL        string
	accessTokenID, secretKey   string
	token                      credential.TokenSource
	checkToken                 func(context.Context, time.Time) error
	account                    func(context.Context) string
	missingLive, missingUpload []string
	maxRetries                 int
	requestTimeout             time.Duration
	stallTimeout               time.Duration
	uploadConcurrency          int
	uploadBandwidth            int64
	rootCAs                    *x509.CertPool
	skipRegionValidation       bool
	resumeDir                  string
	progressFile               string
	userAgent                  string
}

// resolver decides each value: the configuration wins over the environment. It collects what is wrong, naming the
// attribute or the variable that the value came from, and never a sensitive value.
type resolver struct {
	env     Environment
	diags   diag.Diagnostics
	unknown bool
}

// value is one setting and where it came from.
type value struct {
	text  string
	attr  string // attribute it came from, "" = environment
	env   string // variable it came from or could come from
	known bool
	set   bool
}

func (v value) origin() string {
	if v.attr != "" {
		return "`" + v.attr + "`"
	}
	return "The environment variable " + v.env
}

func (r *resolver) resolve(m model) *settings {
	s := &settings{
		maxRetries:           int(r.number("max_retries", m.MaxRetries, "", defaultMaxRetries, 0, maxRetriesLimit)),
		uploadConcurrency:    int(r.number("upload_concurrency", m.UploadConcurrency, "VODLIVE_UPLOAD_CONCURRENCY", defaultConcurrency, 1, maxConcurrency)),
		uploadBandwidth:      r.number("upload_bandwidth", m.UploadBandwidth, "", 0, 1, 1<<50),
		requestTimeout:       r.duration("request_timeout", m.RequestTimeout, defaultRequestLimit),
		stallTimeout:         r.duration("stall_timeout", m.StallTimeout, defaultStallLimit),
		skipRegionValidation: m.SkipRegionValidation.ValueBool(),
	}
	r.unknown = r.unknown || m.SkipRegionValidation.IsUnknown()
	s.baseURL = r.address("base_url", m.BaseURL, "VODLIVE_BASE_URL", &s.missingLive)
	s.accessTokenID = r.credential("access_token_id", m.AccessTokenID, "VODLIVE_ACCESS_TOKEN_ID", &s.missingLive)
	s.secretKey = r.credential("secret_key", m.SecretKey, "VODLIVE_SECRET_KEY", &s.missingLive)
	if strings.Contains(s.accessTokenID, ":") {
		r.fail(r.text("access_token_id", m.AccessTokenID, "VODLIVE_ACCESS_TOKEN_ID"),
			"holds a colon", "An access token id cannot hold one: HTTP basic credentials end the user name there. Was `id:key` given as one value? Put the part after the colon into `secret_key`.")
	}
	s.vodBaseURL = r.address("vod_base_url", m.VODBaseURL, "VODLIVE_VOD_BASE_URL", &s.missingUpload)
	r.token(m, s)
	s.rootCAs = r.authorities(m.CABundleFile)
	s.resumeDir = r.resumeDir(m.ResumeDir)
	s.progressFile, _ = r.env("VODLIVE_PROGRESS")
	s.unknown = r.unknown
	return s
}

// text finds a string in the configuration or, failing that, the environment. An unknown value counts as set. An empty
// variable counts as not set: that is what a pipeline's undefined secret looks like.
func (r *resolver) text(attr string, v types.String, env string) value {
	switch {
	case v.IsUnknown():
		r.unknown = true
		return value{attr: attr, env: env, set: true}
	case !v.IsNull():
		return value{text: v.ValueString(), attr: attr, env: env, known: true, set: true}
	}
	if env == "" {
		return value{}
	}
	if t, ok := r.env(env); ok && t != "" {
		return value{text: t, env: env, known: true, set: true}
	}
	return value{env: env}
}

func (r *resolver) fail(v value, problem, remedy string) {
	summary := "Invalid provider configuration"
	detail := v.origin() + " " + problem + ". " + remedy
	if v.attr != "" {
		r.diags.AddAttributeError(path.Root(v.attr), summary, detail)
		return
	}
	r.diags.AddError(summary, detail)
}

// absent notes that a half of the service lacks an item, in the words of providerdata.NeedLive.
func (r *resolver) absent(missing *[]string, item, env string) {
	note := item + " (or " + env + ")"
	if t, ok := r.env(env); ok && t == "" {
		note = item + " (or " + env + ", which is set but empty)"
	}
	*missing = append(*missing, note)
}

func (r *resolver) address(attr string, v types.String, env string, missing *[]string) string {
	t := r.text(attr, v, env)
	if !t.set {
		r.absent(missing, "`"+attr+"`", env)
		return ""
	}
	if !t.known {
		return ""
	}
	u, err := wire.ParseBaseURL(t.text)
	if err != nil {
		r.fail(t, "is not an address that can be used: "+err.Error(), "Write it like `https://api.example.com`.")
		return ""
	}
	return u.String() // one spelling: records of unfinished uploads are looked up by it
}

func (r *resolver) credential(attr string, v types.String, env string, missing *[]string) string {
	t := r.text(attr, v, env)
	if !t.set {
		r.absent(missing, "`"+attr+"`", env)
		return ""
	}
	return r.secret(t)
}

// secret checks a sensitive value without ever showing it. "" when it is unknown or was refused.
func (r *resolver) secret(t value) string {
	switch {
	case !t.known:
	case strings.TrimSpace(t.text) == "":
		r.fail(t, "is blank", "Give the value, or leave it out.")
	case strings.ContainsFunc(t.text, unicode.IsControl):
		r.fail(t, "holds a control character (a line break?)", "Give the value alone; it is not shown here because it is a secret.")
	default:
		return t.text
	}
	return ""
}

// number reads a whole number within bounds. The environment gives text.
func (r *resolver) number(attr string, v types.Int64, env string, byDefault, low, high int64) int64 {
	var n int64
	from := value{attr: attr, env: env}
	switch {
	case v.IsUnknown():
		r.unknown = true
		return byDefault
	case !v.IsNull():
		n = v.ValueInt64()
	default:
		t := r.text("", types.StringNull(), env)
		if !t.set {
			return byDefault
		}
		from.attr = ""
		var err error
		if n, err = strconv.ParseInt(strings.TrimSpace(t.text), 10, 64); err != nil {
			r.fail(from, fmt.Sprintf("is %q, which is not a whole number", t.text), fmt.Sprintf("Give a number from %d to %d.", low, high))
			return byDefault
		}
	}
	if n < low || n > high {
		r.fail(from, fmt.Sprintf("is %d", n), fmt.Sprintf("Give a number from %d to %d.", low, high))
		return byDefault
	}
	return n
}

func (r *resolver) duration(attr string, v types.String, byDefault time.Duration) time.Duration {
	t := r.text(attr, v, "")
	if !t.known {
		return byDefault
	}
	d, err := time.ParseDuration(t.text)
	if err != nil {
		r.fail(t, fmt.Sprintf("is %q, which is not a duration", t.text), "Write a number with a unit, such as `\"30s\"` or `\"2m\"`.")
		return byDefault
	}
	if d <= 0 || d > maxTimeout {
		r.fail(t, "is "+t.text, "Give a duration above zero and of at most 24 hours.")
		return byDefault
	}
	return d
}

// authorities adds the bundle to the system's pool. It is read here, not when first needed, so that a wrong path is
// found by the plan.
func (r *resolver) authorities(v types.String) *x509.CertPool {
	t := r.text("ca_bundle_file", v, "VODLIVE_CA_BUNDLE_FILE")
	if !t.known {
		return nil
	}
	const remedy = "Give the path of a PEM file with at least one certificate."
	content, err := readLimited(t.text, maxCABundleBytes)
	if err != nil {
		r.fail(t, fmt.Sprintf("names %q, which cannot be read: %s", t.text, err), remedy)
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(content) {
		r.fail(t, fmt.Sprintf("names %q, which holds no certificate in PEM form", t.text), remedy)
		return nil
	}
	return pool
}

// readLimited reads a regular file whose path a user gave. The path is left out of its errors: the caller names it.
func readLimited(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		if pathError, ok := errors.AsType[*os.PathError](err); ok {
			err = pathError.Err
		}
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it has %d bytes, more than the %d that are read", info.Size(), limit)
	}
	return os.ReadFile(name)
}

// resumeDir finds the folder in which the records have their own. Unlike elsewhere an empty value means something: off.
func (r *resolver) resumeDir(v types.String) string {
	switch {
	case v.IsUnknown():
		r.unknown = true
		return ""
	case !v.IsNull():
		return v.ValueString()
	}
	if dir, ok := r.env("VODLIVE_RESUME_DIR"); ok {
		return dir
	}
	return userCacheDir(r.env)
}

// userCacheDir is os.UserCacheDir over an injected environment. "" where the machine has none (no HOME in a container).
func userCacheDir(env Environment) string {
	lookup := func(name string, below ...string) string {
		if dir, _ := env(name); filepath.IsAbs(dir) {
			return filepath.Join(append([]string{dir}, below...)...)
		}
		return ""
	}
	switch runtime.GOOS {
	case "windows":
		return lookup("LocalAppData")
	case "darwin":
		return lookup("HOME", "Library", "Caches")
	}
	if dir := lookup("XDG_CACHE_HOME"); dir != "" {
		return dir
	}
	return lookup("HOME", ".cache")
}

// userAgent names the provider and the CLI, and appends what TF_APPEND_USER_AGENT holds, as HashiCorp's SDK does. Control
// characters separate words; bytes of other characters outside ASCII, which a header cannot carry, are percent-encoded.
func userAgent(version, terraformVersion string, env Environment) string {
	agent := "terraform-provider-vodlive/" + version
	if terraformVersion != "" {
		agent += " Terraform/" + terraformVersion
	}
	extra, _ := env("TF_APPEND_USER_AGENT")
	if extra = strings.TrimSpace(strings.Join(strings.FieldsFunc(extra, unicode.IsControl), " ")); extra != "" {
		agent += " " + extra
	}
	var ascii strings.Builder
	for _, b := range []byte(agent) {
		if b < utf8.RuneSelf {
			ascii.WriteByte(b)
		} else {
			fmt.Fprintf(&ascii, "%%%02X", b)
		}
	}
	return ascii.String()
}
