package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// builtVersion is the version of a provider built here. It is not a pre-release, because init
// without a version constraint ignores these.
const builtVersion = "0.0.1"

// install writes the provider to a filesystem mirror and the configuration to the working folder.
func (d *demo) install(ctx context.Context) error {
	found, err := filepath.Glob("examples/demo/*.tf")
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("there is no examples/demo/*.tf here; run the demo in the root of the repository")
	}
	for _, file := range found {
		if err := copyFile(file, d.workDir()); err != nil {
			return err
		}
	}
	config := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.ToSlash(d.mirrorDir()))
	if err := os.WriteFile(d.cliConfig(), []byte(config), 0o600); err != nil {
		return err
	}
	if d.release != "" {
		return d.installRelease()
	}
	return d.installBuild(ctx)
}

func (d *demo) workDir() string   { return filepath.Join(d.dir, "configuration") }
func (d *demo) mirrorDir() string { return filepath.Join(d.dir, "mirror") }
func (d *demo) cliConfig() string { return filepath.Join(d.dir, "cli.tfrc") }

// mirror copies a file to a subfolder of the provider's folders in the mirror: those for the
// default registries of Terraform and OpenTofu.
func (d *demo) mirror(file, subfolder string) error {
	var errs []error
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		errs = append(errs, copyFile(file, filepath.Join(d.mirrorDir(), host, "vodlive", "vodlive", subfolder)))
	}
	return errors.Join(errs...)
}

func (d *demo) installBuild(ctx context.Context) error {
	d.say("Build the provider (the first time about a minute)")
	d.version = builtVersion
	binary := filepath.Join(d.dir, "terraform-provider-vodlive_v"+d.version)
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -X main.version="+d.version, "-o", binary, ".")
	build.Stdout, build.Stderr = os.Stdout, os.Stdout
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the provider: %w", err)
	}
	return d.mirror(binary, filepath.Join(d.version, runtime.GOOS+"_"+runtime.GOARCH))
}

// installRelease checks the archive for this machine and installs it as a registry would serve it.
func (d *demo) installRelease() error {
	d.say("Install the release's archive for " + runtime.GOOS + "_" + runtime.GOARCH)
	const prefix = "terraform-provider-vodlive_"
	suffix := "_" + runtime.GOOS + "_" + runtime.GOARCH + ".zip"
	found, err := filepath.Glob(filepath.Join(d.release, prefix+"*"+suffix))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("%s has %d archives %s*%s, want one", d.release, len(found), prefix, suffix)
	}
	archive := filepath.Base(found[0])
	d.version = strings.TrimSuffix(strings.TrimPrefix(archive, prefix), suffix)
	if err := checkRelease(d.release, "terraform-registry-manifest.json", archive, prefix+d.version); err != nil {
		return err
	}
	fmt.Printf("%s: checksum, manifest and file names are right\n", archive)
	if err := d.mirror(found[0], ""); err != nil {
		return err
	}
	pin := fmt.Sprintf("terraform {\n  required_providers {\n    vodlive = {\n      source  = \"vodlive/vodlive\"\n      version = \"= %s\"\n    }\n  }\n}\n", d.version)
	return os.WriteFile(filepath.Join(d.workDir(), "release_override.tf"), []byte(pin), 0o600)
}

// checkRelease checks a release as a registry does: the checksums of the archive and of the
// manifest, and the name of the binary.
func checkRelease(dir, manifest, archive, base string) error {
	sums, err := os.ReadFile(filepath.Join(dir, base+"_SHA256SUMS"))
	if err != nil {
		return err
	}
	for name, path := range map[string]string{archive: filepath.Join(dir, archive), base + "_manifest.json": manifest} {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name); !strings.Contains(string(sums), line) {
			return fmt.Errorf("%s_SHA256SUMS has no line %q", base, line)
		}
	}
	return checkArchive(filepath.Join(dir, archive), "terraform-provider-vodlive_v"+strings.TrimPrefix(base, "terraform-provider-vodlive_"))
}

// checkArchive looks for the provider, and for the mock data that users copy.
func checkArchive(path, binary string) error {
	reader, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	for _, name := range []string{binary, "vodlive.tfmock.hcl"} {
		if !slices.ContainsFunc(reader.File, func(f *zip.File) bool { return strings.TrimSuffix(f.Name, ".exe") == name }) {
			return fmt.Errorf("%s has no %s", path, name)
		}
	}
	return nil
}

// copyFile copies a file to a folder, which it creates.
func copyFile(file, folder string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, filepath.Base(file)), content, 0o700) //nolint:gosec // one is a program
}
