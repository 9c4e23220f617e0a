package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestGettingStarted does what the guide says: installs the provider into a filesystem mirror,
// initializes from it, and applies the configuration of the first session, then that of the upload.
func TestGettingStarted(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the commands of the guide need a POSIX shell")
	}
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	home := t.TempDir()

	overrides, err := os.ReadFile(cli.Env("TF_CLI_CONFIG_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	built := regexp.MustCompile(`vodlive/vodlive" = "(.*)"`).FindSubmatch(overrides)
	commands, config := "", ""
	for _, block := range blocks(t, "getting-started.md", "sh") {
		if strings.Contains(block, "mirror=") {
			commands = block
		}
	}
	for _, block := range blocks(t, "getting-started.md", "hcl") {
		config = strings.Replace(block, "/home/me/", filepath.ToSlash(home)+"/", 1)
	}
	commands, ok := strings.CutPrefix(commands, "make build VERSION=0.1.0\n")
	if !ok || built == nil || config == "" {
		t.Fatalf("the guide has changed: %q, %q, %q", commands, built, config)
	}
	commands = strings.NewReplacer(".cache/bin", string(built[1]), "$HOME", home).Replace(commands)
	if out, err := exec.CommandContext(t.Context(), sh, "-euc", commands).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cli.Setenv("TF_CLI_CONFIG_FILE", cli.Write("mirror.tfrc", config))

	configurations := blocks(t, "getting-started.md", "terraform")
	cli.Write("main.tf", configurations[0])
	cli.Must("init")
	cli.Must("apply", "-auto-approve")
	if out := cli.Must("output", "-raw", "ingest").Output; !strings.HasPrefix(out, "rtmp://") {
		t.Errorf("ingest is %q", out)
	}
	cli.Write("media/promo.mp4", "promo")
	cli.Write("promo.tf", configurations[1])
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	server.AssertCalls(t, simulator.CallCreateSession, 1)
	server.AssertCalls(t, simulator.CallPutObject, 1)
	server.AssertCalls(t, simulator.CallBatch, 1)
}
