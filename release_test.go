package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReleaseLinksToItsTag builds the provider with the linker flags of a release. Its errors link
// to the documentation of that release.
func TestReleaseLinksToItsTag(t *testing.T) {
	t.Parallel()
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if testing.Short() || cli == "" {
		t.Skip("builds the provider and starts a CLI, TF_ACC_TERRAFORM_PATH")
	}
	release, err := os.ReadFile(".goreleaser.yml")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`(?m)^ *- '(-s -w .*)'$`).FindStringSubmatch(string(release))
	if flags == nil {
		t.Fatal(".goreleaser.yml has no linker flags")
	}
	dir := t.TempDir()
	for version, ref := range map[string]string{"0.1.0": "v0.1.0", "0.1.0-rc.1": "v0.1.0-rc.1", "0.1.1-snapshot": "main"} {
		ld := strings.NewReplacer("{{ .Version }}", version, `{{ printf "%.12s" .FullCommit }}`, "0123456789ab").Replace(flags[1])
		if strings.Contains(ld, "{{") {
			t.Fatalf("unknown template in %s", ld)
		}
		bin := filepath.Join(dir, version)
		build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", ld, "-o", filepath.Join(bin, "terraform-provider-vodlive"), ".")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for name, text := range map[string]string{
			"main.tf": `terraform {
  required_providers {
    vodlive = { source = "vodlive/vodlive" }
  }
}
resource "vodlive_batch_job" "x" {
  paths         = ["vod/input/c/u/a.mp4"]
  service_modes = ["video_optimizer", "video_optimizer"]
}
`,
			"cli.tfrc": "provider_installation {\n  dev_overrides { \"vodlive/vodlive\" = \"" + filepath.ToSlash(bin) + "\" }\n}\n",
		} {
			if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		validate := exec.CommandContext(t.Context(), cli, "validate", "-no-color")
		validate.Dir = bin
		validate.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(bin, "cli.tfrc"))
		out, err := validate.CombinedOutput()
		if want := "/blob/" + ref + "/docs/resources/batch_job.md#schema"; err == nil || !strings.Contains(string(out), want) {
			t.Errorf("version %s: no %s in %s", version, want, out)
		}
	}
}
