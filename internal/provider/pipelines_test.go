package provider_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// blocks are the code blocks of a language in a guide.
func blocks(t *testing.T, name, language string) (found []string) {
	t.Helper()
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(guide(t, name), -1) {
		found = append(found, match[1])
	}
	return found
}

// pipeline decodes the pipeline whose first line is a comment with this name. Keys that out does
// not have are an error.
func pipeline(t *testing.T, name string, out any) {
	t.Helper()
	for _, text := range blocks(t, "pipelines.md", "yaml") {
		if strings.HasPrefix(text, "# "+name+"\n") {
			decoder := yaml.NewDecoder(strings.NewReader(text))
			decoder.KnownFields(true)
			if err := decoder.Decode(out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return
		}
	}
	t.Fatalf("the guide has no %s", name)
}

// assertTerraform checks the commands of a job: how Terraform is called, and that the last command
// is one on the plan file.
func assertTerraform(t *testing.T, commands []string, last string) {
	t.Helper()
	initialized := false
	for _, command := range commands {
		if !strings.Contains(command, "terraform ") {
			continue
		}
		if !strings.Contains(command, " -input=false") {
			t.Errorf("%q may ask for input", command)
		}
		initialized = initialized || strings.Contains(command, "terraform init ") && strings.Contains(command, " -lockfile=readonly")
	}
	if !initialized {
		t.Errorf("no init with a read-only lock file in %q", commands)
	}
	if got := commands[len(commands)-1]; !strings.HasSuffix(got, last) {
		t.Errorf("the last command is %q, want %q", got, last)
	}
	if strings.Contains(last, "apply") && !regexp.MustCompile(`timeout (--foreground )?(-s |--signal=)INT (-k |--kill-after=)300 `).MatchString(commands[len(commands)-1]) {
		t.Errorf("%q gives Terraform no time to save the state", commands[len(commands)-1])
	}
}

func TestPipelineOfGitHub(t *testing.T) {
	t.Parallel()
	type job struct {
		Needs          string
		RunsOn         string `yaml:"runs-on"`
		TimeoutMinutes int    `yaml:"timeout-minutes"`
		Environment    string
		Permissions    map[string]string
		Env            map[string]string
		Steps          []struct {
			Uses, Run string
			With      map[string]any
		}
	}
	var workflow struct {
		Name        string
		On          map[string]any
		Permissions map[string]string
		Concurrency map[string]any
		Env         map[string]string
		Jobs        map[string]job
	}
	pipeline(t, ".github/workflows/terraform.yml", &workflow)
	if workflow.Concurrency["cancel-in-progress"] != false || len(workflow.Permissions) != 0 || len(workflow.Jobs) != 2 {
		t.Errorf("concurrency %v, permissions %v, %d jobs", workflow.Concurrency, workflow.Permissions, len(workflow.Jobs))
	}
	plan, apply := workflow.Jobs["plan"], workflow.Jobs["apply"]
	if apply.Needs != "plan" || apply.Environment == "" || plan.Environment != "" {
		t.Errorf("apply needs %q and runs in %q, plan in %q", apply.Needs, apply.Environment, plan.Environment)
	}
	first, check := workflow, workflow
	check.On, check.Env, check.Jobs, check.Permissions = nil, nil, nil, nil
	pipeline(t, ".github/workflows/terraform-check.yml", &check)
	if _, schedule := check.On["schedule"]; !schedule || len(check.On) != 2 || len(check.Jobs) != 1 || len(check.Permissions) != 0 {
		t.Errorf("the check runs on %v, with the permissions %v", check.On, check.Permissions)
	}
	for name, value := range check.Env {
		if first.Env[name] != value {
			t.Errorf("the check has another %s", name)
		}
	}
	jobs := map[string]job{"plan": plan, "apply": apply, "check": check.Jobs["check"]}
	passed := map[string]any{}
	for name, last := range map[string]string{"plan": "plan -input=false -out=tfplan", "apply": "apply -input=false tfplan", "check": "'-detailed-exitcode' || '' }}"} {
		var commands []string
		for _, step := range jobs[name].Steps {
			action, commit, _ := strings.Cut(step.Uses, "@")
			switch {
			case step.Run != "":
				commands = append(commands, step.Run)
			case !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(commit):
				t.Errorf("%s is not pinned to a commit", step.Uses)
			case strings.HasPrefix(action, "actions/cache") && step.With["path"] != workflow.Env["TF_PLUGIN_CACHE_DIR"]:
				t.Errorf("%s caches %v", name, step.With["path"])
			case strings.HasSuffix(action, "load-artifact"):
				passed[action] = step.With["name"]
				if strings.Contains(action, "upload") && step.With["path"] != "tfplan" {
					t.Errorf("the artifact is %v", step.With["path"])
				}
			}
		}
		if !slices.Contains(commands, "sh ci/id-token.sh") || jobs[name].Permissions["id-token"] != "write" {
			t.Errorf("%s gets no identity token", name)
		}
		assertTerraform(t, commands, last)
	}
	if len(passed) != 2 || passed["actions/upload-artifact"] != passed["actions/download-artifact"] {
		t.Errorf("artifacts: %v", passed)
	}

	scripts := blocks(t, "pipelines.md", "sh")
	at := slices.IndexFunc(scripts, func(s string) bool { return strings.Contains(s, "# ci/id-token.sh\n") })
	if at < 0 || !strings.Contains(scripts[at], "VODLIVE_ID_TOKEN_FILE") || workflow.Env["VODLIVE_ID_TOKEN_FILE"] == "" {
		t.Fatalf("no script writes the token: %q", scripts)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to read the script")
	}
	command := exec.Command(sh, "-n")
	command.Stdin = strings.NewReader(scripts[at])
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("ci/id-token.sh: %v: %s", err, out)
	}
}

func TestPipelineOfGitLab(t *testing.T) {
	t.Parallel()
	type job struct {
		Extends, Stage, Environment, Timeout string
		ResourceGroup                        string `yaml:"resource_group"`
		Interruptible                        *bool
		IDTokens                             map[string]map[string]string `yaml:"id_tokens"`
		Cache                                struct {
			Key   map[string][]string
			Paths []string
		}
		BeforeScript []string `yaml:"before_script"`
		Rules        []map[string]string
		Script       []string
		Artifacts    struct {
			Paths    []string
			Access   string
			ExpireIn string `yaml:"expire_in"`
		}
	}
	var ci struct {
		Image     map[string]any
		Stages    []string
		Variables map[string]string
		Common    job `yaml:".terraform"`
		Plan      job
		Apply     job
	}
	pipeline(t, ".gitlab-ci.yml", &ci)
	for name, j := range map[string]job{"plan": ci.Plan, "apply": ci.Apply} {
		if j.Extends != ".terraform" || j.Stage != name || len(j.Rules) != 1 {
			t.Errorf("%s extends %q in stage %q with the rules %v", name, j.Extends, j.Stage, j.Rules)
		}
	}
	if ci.Common.Interruptible == nil || *ci.Common.Interruptible || ci.Apply.ResourceGroup == "" || ci.Apply.Rules[0]["when"] != "manual" {
		t.Errorf("an apply may be cancelled, run twice at a time or start by itself: %+v", ci.Apply)
	}
	if !slices.Equal(ci.Plan.Artifacts.Paths, []string{"tfplan"}) || ci.Plan.Artifacts.Access != "developer" {
		t.Errorf("artifacts %+v", ci.Plan.Artifacts)
	}
	if len(ci.Common.Cache.Paths) != 1 || "$CI_PROJECT_DIR/"+ci.Common.Cache.Paths[0] != ci.Variables["TF_PLUGIN_CACHE_DIR"] {
		t.Errorf("the cache %v is not that of the plugins", ci.Common.Cache.Paths)
	}
	for name := range ci.Common.IDTokens {
		if !slices.ContainsFunc(ci.Common.BeforeScript, func(line string) bool {
			return strings.Contains(line, `"$`+name+`" > "$VODLIVE_ID_TOKEN_FILE"`)
		}) {
			t.Errorf("no command writes %s to the file of the token", name)
		}
	}
	if len(ci.Common.IDTokens) != 1 || ci.Variables["VODLIVE_ID_TOKEN_FILE"] == "" || ci.Variables["TF_HTTP_LOCK_ADDRESS"] == "" {
		t.Errorf("tokens %v, variables %v", ci.Common.IDTokens, ci.Variables)
	}
	assertTerraform(t, append(slices.Clone(ci.Common.BeforeScript), ci.Plan.Script...), "plan -input=false -out=tfplan")
	assertTerraform(t, append(slices.Clone(ci.Common.BeforeScript), ci.Apply.Script...), "apply -input=false tfplan")
}
