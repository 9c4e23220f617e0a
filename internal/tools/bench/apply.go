package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// curl is the script in curl.sh, which needs curl, in front of the same service as an apply.
func (b *bench) curl(ctx context.Context, st store, path string) (*apply, error) {
	s, err := startService(ctx, st.url())
	if err != nil {
		return nil, err
	}
	a := &apply{service: s}
	a.name = "curl script"
	a.what = "a shell script with curl (curl.sh): the file split into parts of 16 MiB, sent one after the other, nothing verified; the memory is the shell's"
	a.command = func(ctx context.Context, _ int) (*exec.Cmd, error) {
		dir, err := os.MkdirTemp(b.work, "curl-")
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, "sh", "curl.sh", s.url, path, strconv.FormatInt(16*mebibyte, 10), dir), nil
	}
	return a, nil
}

// apply is the provider through a whole "terraform apply" in a folder of its
// own, or the same with a provider that does nothing, for the CLI's own time.
type apply struct {
	contender
	service *service
}

const (
	providerApply = "provider, apply"
	cliAlone      = "CLI alone"
)

func (b *bench) apply(ctx context.Context, st store, name string, paths []string, _ sums) (*apply, error) {
	s, err := startService(ctx, st.url())
	if err != nil {
		return nil, err
	}
	a := &apply{service: s}
	a.name, a.provider = name, true
	a.what = "a whole apply with the provider at its defaults: plan, hashing included, and upload; the memory is the provider's"
	binary := b.options.provider
	if name == cliAlone {
		a.what = "the same apply with a provider of the same schema that does nothing (idle/): what the CLI takes by itself"
		binary = b.tools.idle
	}
	a.command = func(ctx context.Context, _ int) (*exec.Cmd, error) {
		dir, err := os.MkdirTemp(b.work, "apply-")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration(paths)), 0o600); err != nil {
			return nil, err
		}
		rc := filepath.Join(dir, "cli.tfrc")
		override := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"registry.terraform.io/vodlive/vodlive\" = %[1]s\n    \"registry.opentofu.org/vodlive/vodlive\" = %[1]s\n  }\n}\n",
			quoted(filepath.Dir(binary)))
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

func configuration(paths []string) string {
	var list strings.Builder
	for _, p := range paths {
		list.WriteString("    " + quoted(p) + ",\n")
	}
	return `terraform {
  required_providers {
    vodlive = { source = "vodlive/vodlive" }
  }
}

locals {
  files = toset([
` + list.String() + `  ])
}

resource "vodlive_media_upload" "file" {
  for_each = local.files
  source   = each.value
}
`
}
