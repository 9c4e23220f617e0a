package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// builtVersion is the version of a provider built here. It is not a pre-release, because init
// without a version constraint ignores these.
const builtVersion = "0.0.1"

// hosts are the default registries of Terraform and OpenTofu.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// install writes the provider to a filesystem mirror and the configuration to the working folder.
func (d *demo) install(ctx context.Context) error {
	if err := copyFiles("examples/demo", d.workDir(), "*.tf"); err != nil {
		return err
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

func (d *demo) installBuild(ctx context.Context) error {
	d.say("Build the provider")
	d.version = builtVersion
	binary := filepath.Join(d.dir, "terraform-provider-vodlive_v"+d.version)
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -X main.version="+d.version, "-o", binary, ".")
	build.Stdout, build.Stderr = d.out, d.out
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the provider: %w", err)
	}
	for _, host := range hosts {
		target := filepath.Join(d.mirrorDir(), host, "vodlive", "vodlive", d.version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := copyFiles(d.dir, target, filepath.Base(binary)); err != nil {
			return err
		}
	}
	return nil
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
	d.printf("%s: checksum, manifest and binary name are right\n", archive)
	for _, host := range hosts {
		if err := copyFiles(d.release, filepath.Join(d.mirrorDir(), host, "vodlive", "vodlive"), archive); err != nil {
			return err
		}
	}
	pin := fmt.Sprintf("terraform {\n  required_providers {\n    vodlive = {\n      source  = \"vodlive/vodlive\"\n      version = \"= %s\"\n    }\n  }\n}\n", d.version)
	return os.WriteFile(filepath.Join(d.workDir(), "release_override.tf"), []byte(pin), 0o600)
}

// checkRelease checks a release as a registry does: the checksums of the archive and of the
// manifest, and the name of the binary.
func checkRelease(dir, manifest, archive, base string) error {
	text, err := os.ReadFile(filepath.Join(dir, base+"_SHA256SUMS"))
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			sums[fields[1]] = fields[0]
		}
	}
	for name, path := range map[string]string{archive: filepath.Join(dir, archive), base + "_manifest.json": manifest} {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); sums[name] != got {
			return fmt.Errorf("%s_SHA256SUMS says %q for %s, the file has %s", base, sums[name], name, got)
		}
	}
	return checkArchive(filepath.Join(dir, archive), "terraform-provider-vodlive_v"+strings.TrimPrefix(base, "terraform-provider-vodlive_"))
}

func checkArchive(path, binary string) (err error) {
	reader, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for _, file := range reader.File {
		if strings.TrimSuffix(file.Name, ".exe") == binary {
			return nil
		}
	}
	return fmt.Errorf("%s has no %s", path, binary)
}

// copyFiles copies the files of a folder that match a pattern, with their modes. It is an error if
// no file matches.
func copyFiles(from, to, pattern string) error {
	found, err := filepath.Glob(filepath.Join(from, pattern))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: no file matches %s; run the demo in the root of the repository", from, pattern)
	}
	if err := os.MkdirAll(to, 0o750); err != nil {
		return err
	}
	for _, name := range found {
		if err := copyFile(name, filepath.Join(to, filepath.Base(name))); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
