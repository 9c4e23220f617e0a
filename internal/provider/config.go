package provider

import (
	"crypto/x509"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
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
	disk    disk.Hook
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
	return "The environment variable " + v.env
}

// source is origin within a sentence.
func (v value) source() string { return strings.Replace(v.origin(), "The env", "the env", 1) }

func (r *resolver) resolve(m model) *settings {
	s := &settings{data: &providerdata.Data{}}
	s.data.SkipRegionValidation = m.SkipRegionValidation.ValueBool()
	r.unknown = m.SkipRegionValidation.IsUnknown()

	s.data.LiveAddress = r.address(r.required("base_url", m.BaseURL, "VODLIVE_BASE_URL", &s.data.MissingLive))
	id := r.required("access_token_id", m.AccessTokenID, "VODLIVE_ACCESS_TOKEN_ID", &s.data.MissingLive)
	key := r.required("secret_key", m.SecretKey, "VODLIVE_SECRET_KEY", &s.data.MissingLive)
	s.api.LiveBaseURL, s.api.AccessTokenID, s.api.SecretKey = s.data.LiveAddress, r.secret(id), r.secret(key)
	if strings.Contains(s.api.AccessTokenID, ":") {
		r.fail(id, "contains a colon", "An access token id cannot contain a colon, which ends the user name in HTTP basic credentials. If the value is `id:key`, move the part after the colon to `secret_key`.")
	}
	s.data.LiveAccount = s.api.AccessTokenID
	s.upload.Address = r.address(r.required("vod_base_url", m.VODBaseURL, "VODLIVE_VOD_BASE_URL", &s.data.MissingUpload))
	s.api.VODBaseURL, s.data.UploadAddress = s.upload.Address, s.upload.Address
	r.token(m, s)

	s.api.MaxRetries = int(r.number("max_retries", m.MaxRetries, "", 5, 0, 100))
	s.api.RequestTimeout = r.duration("request_timeout", m.RequestTimeout, 30*time.Second)
	s.api.RootCAs = r.authorities(m.CABundleFile)

	r.proxies()
	s.engine.MaxRetries = s.api.MaxRetries
	s.engine.StallTimeout = r.duration("stall_timeout", m.StallTimeout, 60*time.Second)
	s.engine.Concurrency = int(r.number("upload_concurrency", m.UploadConcurrency, "VODLIVE_UPLOAD_CONCURRENCY", 0, 1, 64))
	s.engine.Bandwidth = r.number("upload_bandwidth", m.UploadBandwidth, "", 0, 1, 1<<50)

	s.upload.AllowedCustomers = r.customers(m.AllowedCustomerIDs)
	dir, isChosen := r.resumeDir(m.ResumeDir)
	s.upload.Resume = resume.New(dir)
	if isChosen && dir != "" {
		if err := s.upload.Resume.Check(); err != nil {
			r.diags.AddWarning("The folder of `resume_dir` is not used", fmt.Sprintf("%s. Uploads work without the folder, but one that is killed is sent again. "+
				"Set `resume_dir` to a folder that belongs to you and that nobody else can write to.", err))
		}
	}
	s.engine.Files = r.disk
	s.upload.ProgressFile = r.progressFile()
	s.data.Unknown = r.unknown
	return s
}

// progressFile warns if progress cannot be shown: a pipeline has no /dev/tty.
func (r *resolver) progressFile() string {
	file, _ := r.env("VODLIVE_PROGRESS")
	if file == "" {
		return ""
	}
	if err := upload.CheckProgressFile(file); err != nil {
		r.diags.AddWarning("The progress of uploads is not shown", fmt.Sprintf("VODLIVE_PROGRESS names `%s`, which cannot be written to: %s. "+
			"Uploads work nevertheless. Without a terminal, as in most pipelines, name a file, and follow it with `tail -f`.", file, err))
	}
	return file
}

// proxies checks the variables from which net/http takes proxies. It would take a part of a
// malformed one for a host.
func (r *resolver) proxies() {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		proxy, _ := r.env(name)
		if proxy == "" {
			continue
		}
		if problem := wire.CheckProxy(proxy); problem != "" {
			r.fail(value{env: name}, problem, "Write it like `http://proxy.example.com:3128`. User name and password stand before the host, with a colon between them and an at sign behind them. "+
				"Escape characters of the user name and the password that have a meaning in URLs, such as `/` as `%2F`. The value may be a secret, so it is not shown here.")
		}
	}
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

func (r *resolver) fail(v value, problem, remedy string) {
	summary := "Invalid provider configuration"
	detail := v.origin() + " " + problem + ". " + remedy
	if v.attr != "" {
		r.diags.AddAttributeError(path.Root(v.attr), summary, detail)
		return
	}
	r.diags.AddError(summary, detail)
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

// secret validates a sensitive value without showing it. It returns "" if the value is unknown.
func (r *resolver) secret(t value) string {
	switch {
	case !t.known:
	case strings.TrimSpace(t.text) == "":
		r.fail(t, "is blank", "Set a value, or remove it.")
	case strings.ContainsFunc(t.text, unicode.IsControl):
		r.fail(t, "contains a control character, such as a line break", "Remove it from the value, as `trimspace()` does in a configuration. The value is a secret and so not shown here.")
	}
	return t.text
}

// number reads a whole number within bounds.
func (r *resolver) number(attr string, v types.Int64, env string, byDefault, low, high int64) int64 {
	t := r.text(attr, v, env)
	if !t.known {
		return byDefault
	}
	n, err := strconv.ParseInt(strings.TrimSpace(t.text), 10, 64)
	remedy := fmt.Sprintf("Set a number from %d to %d.", low, high)
	switch {
	case err != nil:
		r.fail(t, fmt.Sprintf("is %q, which is not a whole number", t.text), remedy)
	case n < low || n > high:
		r.fail(t, fmt.Sprintf("is %d", n), remedy)
	}
	return n
}

func (r *resolver) duration(attr string, v types.String, byDefault time.Duration) time.Duration {
	t := r.text(attr, v, "")
	if !t.known {
		return byDefault
	}
	d, err := time.ParseDuration(t.text)
	switch {
	case err != nil:
		r.fail(t, fmt.Sprintf("is %q, which is not a duration", t.text), "Write a number with a unit, such as `\"30s\"` or `\"2m\"`.")
	case d <= 0 || d > 24*time.Hour:
		r.fail(t, "is "+t.text, "Set a duration longer than 0 and of at most 24 hours.")
	}
	return d
}

// customers reads `allowed_customer_ids`; nil if it is not set.
func (r *resolver) customers(set types.Set) []string {
	v := value{attr: "allowed_customer_ids"}
	ids := r.strings(v, set)
	switch {
	case ids == nil:
	case len(ids) == 0:
		r.fail(v, "is empty", "Name at least one customer id, or remove it to allow every customer.")
	case slices.ContainsFunc(ids, func(id string) bool { return strings.TrimSpace(id) == "" || strings.Contains(id, "/") }):
		r.fail(v, "contains a text that is blank or has a slash", "Every element must be a customer id, the third part of a key path.")
	}
	return ids
}

// collection is a list or a set.
type collection interface {
	attr.Value
	Elements() []attr.Value
}

// strings reads the elements of a collection. They are nil if it is not set, not known, or has an
// element that is null.
func (r *resolver) strings(v value, c collection) []string {
	if !r.text(v.attr, c, "").known {
		return nil
	}
	texts := []string{}
	for _, e := range c.Elements() {
		t := r.text(v.attr, e, "")
		switch {
		case !t.set:
			r.fail(v, "contains null", "Every element must be a string.")
			return nil
		case !t.known:
			return nil
		}
		texts = append(texts, t.text)
	}
	return texts
}

// isPath reports whether a value can be meant as a path on this machine; otherwise it is an error.
func (r *resolver) isPath(t value) bool {
	problem, remedy := providerdata.PathProblem(t.text), "It must be a path on this machine."
	if problem != "" && t.attr == "" && strings.HasPrefix(t.text, "~") { // Terraform's functions are for the configuration
		problem = fmt.Sprintf("is %q, and neither Terraform nor the provider replaces the ~ by a home folder", t.text)
		remedy = "Write $HOME in place of ~, as in export " + t.env + "=\"$HOME" + t.text[1:] + "\"."
	}
	if problem != "" {
		r.fail(t, problem, remedy)
	}
	return problem == ""
}

// authorities adds the bundle to the certificate pool of the system.
func (r *resolver) authorities(v types.String) *x509.CertPool {
	t := r.text("ca_bundle_file", v, "VODLIVE_CA_BUNDLE_FILE")
	if !t.known || !r.isPath(t) || r.withoutFiles {
		return nil
	}
	const remedy = "Set the path of a PEM file with at least one certificate."
	content, err := readBundle(t.text)
	if err != nil {
		r.fail(t, fmt.Sprintf("names %q, which cannot be read: %s", t.text, err), remedy)
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(content) {
		r.fail(t, fmt.Sprintf("names %q, which contains no certificate in PEM format", t.text), remedy)
		return nil
	}
	return pool
}

// bundleLimit, in bytes, is the size of the largest bundle that is read.
const bundleLimit = 8 << 20

// readBundle reads a file. Its errors lack the path.
func readBundle(name string) ([]byte, error) {
	f, info, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > bundleLimit {
		return nil, fmt.Errorf("it has %d bytes, more than the limit of %d", info.Size(), bundleLimit)
	}
	content, err := io.ReadAll(io.LimitReader(f, bundleLimit))
	return content, disk.Cause(err)
}

// resumeDir returns the folder for upload records, and whether the user has chosen it. Unlike in
// other settings, an empty value counts: it turns the records off.
func (r *resolver) resumeDir(v types.String) (dir string, isChosen bool) {
	if t := r.text("resume_dir", v, ""); t.set {
		if t.known && t.text != "" {
			r.isPath(t)
		}
		return t.text, true
	}
	if dir, ok := r.env("VODLIVE_RESUME_DIR"); ok {
		if dir != "" {
			r.isPath(value{text: dir, env: "VODLIVE_RESUME_DIR"})
		}
		return dir, true
	}
	return userCacheDir(r.env), false
}

// userCacheDir is os.UserCacheDir with an injected environment, in which a relative XDG_CACHE_HOME
// is not an error. It is "" without a home folder, as in some containers.
func userCacheDir(env Environment) string {
	variable, below := "HOME", ".cache"
	switch runtime.GOOS {
	case "windows":
		variable, below = "LocalAppData", ""
	case "darwin":
		below = "Library/Caches"
	default:
		if dir, _ := env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
			return dir
		}
	}
	if dir, _ := env(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, below)
	}
	return ""
}

// userAgent names the provider and the CLI, and appends TF_APPEND_USER_AGENT, as HashiCorp's SDK
// does, without what a header cannot contain.
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
