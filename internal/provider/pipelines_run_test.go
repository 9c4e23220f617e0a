package provider_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// machine is a machine that follows the guide: a home folder, temporary files and a checkout of its
// own. Nothing but what the guide passes on gets from one machine to another.
type machine struct {
	checkout, home, temporary string
	env                       map[string]string
}

// run runs a command of the guide in a shell, as a pipeline does.
func (m machine) run(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", strings.ReplaceAll(command, "/tmp/", m.temporary+"/"))
	cmd.Dir = m.checkout
	cmd.Env = []string{"HOME=" + m.home, "TMPDIR=" + m.temporary, "CHECKPOINT_DISABLE=1"}
	for name, value := range m.env {
		cmd.Env = append(cmd.Env, name+"="+os.Expand(value, func(name string) string { return m.env[name] }))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// house is what the machines of the guide share: the package registry, the repository of the
// configuration, the state, and the service.
type house struct {
	server   *acctest.Server
	packages string            // address of the registry and of the issuer of tokens
	sum      string            // SHA-256 of the mirror's archive
	files    map[string]string // the repository
	path     string            // PATH of every machine
}

func (h *house) machine(t *testing.T, env map[string]string) machine {
	t.Helper()
	m := machine{checkout: t.TempDir(), home: t.TempDir(), temporary: t.TempDir()}
	m.env = map[string]string{
		"PATH": h.path, "VODLIVE_ACCESS_TOKEN_ID": simulator.DefaultAccessTokenID, "VODLIVE_SECRET_KEY": simulator.DefaultSecretKey,
	}
	for name, value := range env {
		m.env[name] = strings.NewReplacer("https://packages.example.com", h.packages, "https://live.example.com", h.server.URL,
			"https://vod.example.com", h.server.URL, strings.Repeat("0", 64), h.sum, "/tmp/", m.temporary+"/").Replace(value)
	}
	for name, content := range h.files {
		writeFile(t, filepath.Join(m.checkout, name), content)
	}
	return m
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// newHouse follows the first section of the guide: builds the mirror, publishes its archive and
// writes the lock file.
func newHouse(t *testing.T) *house {
	t.Helper()
	for _, tool := range []string{"sh", "wget", "curl", "jq", "tar", "sha256sum", "timeout"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS != "linux" {
			t.Skipf("the pipelines need Linux and %s", tool)
		}
	}
	h := &house{server: acctest.Start(t, simulator.Options{})}
	cli := acctest.NewCLI(t, h.server)
	built := regexp.MustCompile(`vodlive/vodlive" = "(.*)"`).FindStringSubmatch(readFile(t, cli.Env("TF_CLI_CONFIG_FILE")))[1]
	tools := t.TempDir()
	if err := os.Symlink(acctest.FindCLI(), filepath.Join(tools, "terraform")); err != nil {
		t.Fatal(err)
	}
	// What the tests have built stands for what make builds for this platform.
	writeFile(t, filepath.Join(tools, "make"), "#!/bin/sh\nmkdir -p .cache/bin && cd .cache/bin && rm -f terraform-provider-vodlive\n"+
		"if test $GOOS = darwin; then echo another platform > terraform-provider-vodlive; else cp '"+built+"/terraform-provider-vodlive' .; fi\n")
	if err := os.Chmod(filepath.Join(tools, "make"), 0o700); err != nil {
		t.Fatal(err)
	}
	// The mirror has tens of megabytes, and nobody waits for its transfer here.
	writeFile(t, filepath.Join(tools, "gzip"), "#!/bin/sh\nPATH=${PATH#*:} exec gzip -1 \"$@\"\n")
	if err := os.Chmod(filepath.Join(tools, "gzip"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.path = tools + string(os.PathListSeparator) + os.Getenv("PATH")

	scripts := blocks(t, "pipelines.md", "sh")
	script := func(mark string) string {
		i := slices.IndexFunc(scripts, func(s string) bool { return strings.Contains(s, mark) })
		if i < 0 {
			t.Fatalf("the guide has no script with %q", mark)
		}
		return scripts[i]
	}
	h.files = map[string]string{
		"ci/provider.sh": script("# ci/provider.sh\n"),
		// The loop that asks for further tokens would outlive the test.
		"ci/id-token.sh":  strings.Replace(script("# ci/id-token.sh\n"), "while sleep 240;", "while false;", 1),
		"media/promo.mp4": "promo",
		"main.tf": blocks(t, "pipelines.md", "terraform")[1] + `
resource "vodlive_media_upload" "promo" {
  source = "media/promo.mp4"
}
resource "vodlive_live_session" "studio" {
  name         = "studio"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}
`,
	}
	desk := h.machine(t, nil)
	build := strings.Replace(script("make build VERSION=$version"), "platform in linux_amd64", "platform in linux_"+runtime.GOARCH, 1)
	desk.run(t, build)
	archive := readFile(t, filepath.Join(desk.checkout, "vodlive-mirror-0.1.0.tar.gz"))
	sum := sha256.Sum256([]byte(archive))
	h.sum = hex.EncodeToString(sum[:])
	desk.run(t, strings.Replace(script("terraform providers lock"), "platform=linux_amd64", "platform=linux_"+runtime.GOARCH, 1))
	h.files[".terraform.lock.hcl"] = readFile(t, filepath.Join(desk.checkout, ".terraform.lock.hcl"))
	h.packages = others(t, archive)
	return h
}

// others is a server for all that is neither the provider's service nor Terraform: the package
// registry, the issuer of identity tokens, the backend of the state.
func others(t *testing.T, archive string) string {
	t.Helper()
	var mu sync.Mutex
	state, lock := "", ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/vodlive-mirror-0.1.0.tar.gz":
			_, _ = io.WriteString(w, archive)
		case r.URL.Path == "/token" && r.Header.Get("Authorization") == "bearer request-token":
			_, _ = fmt.Fprintf(w, `{"value":%q}`, simulator.DefaultIDToken)
		case strings.HasSuffix(r.URL.Path, "/lock") && r.Method == http.MethodPost && lock == "":
			lock = string(body)
		case strings.HasSuffix(r.URL.Path, "/lock") && r.Method == http.MethodDelete:
			lock = ""
		case strings.HasSuffix(r.URL.Path, "/state/media") && r.Method == http.MethodPost:
			state = string(body)
		case strings.HasSuffix(r.URL.Path, "/state/media") && r.Method == http.MethodGet && state != "":
			_, _ = io.WriteString(w, state)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// follow runs the commands of the plan on one machine, and those of the apply on another, which
// gets the plan. A third machine plans again.
func (h *house) follow(t *testing.T, env map[string]string, plan, apply []string) {
	t.Helper()
	planner, applier, later := h.machine(t, env), h.machine(t, env), h.machine(t, env)
	for _, command := range plan {
		planner.run(t, command)
	}
	writeFile(t, filepath.Join(applier.checkout, "tfplan"), readFile(t, filepath.Join(planner.checkout, "tfplan")))
	for _, command := range apply {
		applier.run(t, command)
	}
	h.server.AssertCalls(t, simulator.CallCreateSession, 1)
	h.server.AssertCalls(t, simulator.CallPutObject, 1)
	out := ""
	for _, command := range plan {
		out = later.run(t, command)
	}
	if !strings.Contains(out, "No changes.") {
		t.Errorf("another machine plans a change:\n%s", out)
	}
}

// TestFollowingThePipelineOfGitHub runs the commands of both workflows as the guide has them.
func TestFollowingThePipelineOfGitHub(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	type workflow struct {
		Env  map[string]string
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	read := func(name string) (w workflow) {
		pipelineText(t, ".github/workflows/"+name, &w)
		maps.Copy(w.Env, map[string]string{
			"ACTIONS_ID_TOKEN_REQUEST_URL": h.packages + "/token?job=1", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request-token",
			"TF_HTTP_ADDRESS": h.packages + "/state/media", // in place of S3
		})
		return w
	}
	commands := func(w workflow, job string) (found []string) {
		for _, step := range w.Jobs[job].Steps {
			if step.Run != "" {
				found = append(found, step.Run)
			}
		}
		return found
	}
	main, check := read("terraform.yml"), read("terraform-check.yml")
	h.follow(t, main.Env, commands(main, "plan"), commands(main, "apply"))

	// A pull request on a machine of its own, then the search for drift.
	const event = "${{ github.event_name == 'schedule' && '-detailed-exitcode' || '' }}"
	checker := h.machine(t, check.Env)
	steps := commands(check, "check")
	if last := steps[len(steps)-1]; !strings.HasSuffix(last, " "+event) {
		t.Fatalf("the check ends with %q", last)
	}
	for _, options := range []string{"", "-detailed-exitcode"} {
		out := ""
		for _, command := range steps {
			out = checker.run(t, strings.Replace(command, event, options, 1))
		}
		if !strings.Contains(out, "No changes.") {
			t.Errorf("the check plans a change:\n%s", out)
		}
	}
}

// TestFollowingThePipelineOfGitLab is the same for GitLab, with its state.
func TestFollowingThePipelineOfGitLab(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	type job struct {
		BeforeScript []string `yaml:"before_script"`
		Script       []string
	}
	var ci struct {
		Variables map[string]string
		Common    job `yaml:".terraform"`
		Plan      job
		Apply     job
	}
	pipelineText(t, ".gitlab-ci.yml", &ci)
	maps.Copy(ci.Variables, map[string]string{
		"CI_PROJECT_DIR": ".", "CI_API_V4_URL": h.packages, "CI_PROJECT_ID": "7", "CI_JOB_TOKEN": "job-token", "IDENTITY_TOKEN": simulator.DefaultIDToken,
	})
	h.follow(t, ci.Variables, append(ci.Common.BeforeScript, ci.Plan.Script...), append(slices.Clone(ci.Common.BeforeScript), ci.Apply.Script...))

	var check struct{ Check job }
	if err := yaml.Unmarshal([]byte(recipe(t, "pipelines.md", "yaml", "check:\n")), &check); err != nil {
		t.Fatal(err)
	}
	checker := h.machine(t, ci.Variables)
	for _, source := range []string{"merge_request_event", "schedule"} {
		checker.env["CI_PIPELINE_SOURCE"] = source
		for _, command := range append(slices.Clone(ci.Common.BeforeScript), check.Check.Script...) {
			checker.run(t, command)
		}
	}
}

// pipelineText decodes the parts of a pipeline that out has.
func pipelineText(t *testing.T, name string, out any) {
	t.Helper()
	for _, text := range blocks(t, "pipelines.md", "yaml") {
		if strings.HasPrefix(text, "# "+name+"\n") {
			if err := yaml.Unmarshal([]byte(text), out); err != nil {
				t.Fatal(err)
			}
		}
	}
}
