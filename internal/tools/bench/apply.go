package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// apply is the provider through a whole "terraform apply" in a folder of its
// own, or the same without the provider, for the CLI's own time.
type apply struct {
	contender
	service *service
}

const cliAlone = "CLI alone"

func (b *bench) apply(ctx context.Context, st store, name string, paths []string, _ sums) (*apply, error) {
	s, err := startService(ctx, st.url())
	if err != nil {
		return nil, err
	}
	a := &apply{service: s}
	a.name, a.provider = name, name != cliAlone
	a.what = "a whole apply with the provider at its defaults: plan, hashing included, and upload; the memory is the provider's"
	if !a.provider {
		a.what = "an apply of as many terraform_data resources: what the CLI takes by itself"
	}
	a.command = func(ctx context.Context, _ int) (*exec.Cmd, error) {
		dir, err := os.MkdirTemp(b.work, "apply-")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration(paths, a.provider)), 0o600); err != nil {
			return nil, err
		}
		rc := filepath.Join(dir, "cli.tfrc")
		override := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"registry.terraform.io/vodlive/vodlive\" = %[1]s\n    \"registry.opentofu.org/vodlive/vodlive\" = %[1]s\n  }\n}\n",
			quoted(filepath.Dir(b.options.provider)))
		if err := os.WriteFile(rc, []byte(override), 0o600); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, b.options.cli, "apply", "-auto-approve", "-input=false", "-no-color")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(),
			"TF_CLI_CONFIG_FILE="+rc, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
			"VODLIVE_VOD_BASE_URL="+s.url, "VODLIVE_ID_TOKEN=bench", "VODLIVE_RESUME_DIR="+filepath.Join(dir, "resume"))
		return cmd, nil
	}
	return a, nil
}

func (a *apply) close() { a.service.close() }

func configuration(paths []string, provider bool) string {
	var list strings.Builder
	for _, p := range paths {
		list.WriteString("    " + quoted(p) + ",\n")
	}
	resource := "resource \"terraform_data\" \"file\" {\n  for_each = local.files\n  input    = each.value\n}\n"
	if provider {
		resource = "resource \"vodlive_media_upload\" \"file\" {\n  for_each = local.files\n  source   = each.value\n}\n"
	}
	required := ""
	if provider {
		required = "terraform {\n  required_providers {\n    vodlive = { source = \"vodlive/vodlive\" }\n  }\n}\n\n"
	}
	return required + "locals {\n  files = toset([\n" + list.String() + "  ])\n}\n\n" + resource
}
