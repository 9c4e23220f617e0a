package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestFromForEachToAFolder follows the recipe of the guide with 100 files.
func TestFromForEachToAFolder(t *testing.T) {
	t.Parallel()
	const files = 100
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.SkipBelow("removed blocks", "1.7.0", "1.10.0")
	for i := range files {
		cli.Write(fmt.Sprintf("media/%d/%d.mp4", i%7, i), fmt.Sprintf("content %d", i))
	}
	before := blocks(t, "many-files.md", "terraform")
	i := slices.IndexFunc(before, func(s string) bool { return strings.Contains(s, "fileset(") })
	steps := blocks(t, "many-files.md", "hcl")
	steps = steps[max(slices.IndexFunc(steps, func(s string) bool { return strings.Contains(s, "adopt") }), 0):]
	if i < 0 || len(steps) != 2 {
		t.Fatalf("the guide has changed: %d, %q", i, steps)
	}
	cli.Config(before[i])
	cli.Must("apply", "-auto-approve")
	server.AssertCalls(t, simulator.CallPutObject, files)

	cli.Config(before[i] + steps[0])
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()

	folder, _, found := strings.Cut(steps[0], "     adopt")
	if !found {
		t.Fatalf("the guide adopts nothing: %s", steps[0])
	}
	cli.Config(folder + "}\n" + steps[1])
	cli.Must("apply", "-auto-approve")
	cli.Config(folder + "}\n")
	cli.AssertNoChanges()
	server.AssertCalls(t, simulator.CallPutObject, files)
	stored := cli.State()["vodlive_media_folder.clips"].Values["files"].(map[string]any)
	if len(stored) != files || len(cli.State()) != 1 {
		t.Errorf("%d files in %v", len(stored), cli.State())
	}
}

// TestTreeIsCopied plans and applies in copies of a configuration, as Terragrunt and services that
// clone before each run do.
func TestTreeIsCopied(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	media := filepath.Join(t.TempDir(), "promo.mp4") // get_terragrunt_dir() and a path from there
	writeFile(t, media, "promo")
	configurations := blocks(t, "remote-runs.md", "terraform")
	module := configurations[len(configurations)-1]
	if !strings.Contains(module, "var.media") {
		t.Fatalf("the guide has changed: %s", module)
	}
	cli.Setenv("TF_VAR_media", filepath.ToSlash(media))
	fill := func() {
		cli.Config(module + `
resource "vodlive_media_upload" "copied" {
  source = "media/clip.mp4"
}
resource "vodlive_media_folder" "copied" {
  source_dir = "media"
}
`)
		cli.Write("media/clip.mp4", "clip") // a copy has its own times
	}
	fill()
	cli.Must("apply", "-auto-approve")
	server.AssertCalls(t, simulator.CallPutObject, 3)
	state := readFile(t, filepath.Join(cli.Dir, "terraform.tfstate"))
	cli.Dir = t.TempDir()
	cli.Write("terraform.tfstate", state) // in place of a backend
	fill()
	cli.AssertNoChanges()
	server.AssertCalls(t, simulator.CallPutObject, 3)
}

// TestFileFetchedFromElsewhere applies the recipe of the guide, with a command that makes the file
// in place of one that downloads it.
func TestFileFetchedFromElsewhere(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	configurations := blocks(t, "large-files.md", "terraform")
	i := slices.IndexFunc(configurations, func(s string) bool { return strings.Contains(s, "curl ") })
	if i < 0 {
		t.Fatal("the guide has changed")
	}
	recipe := strings.ReplaceAll(configurations[i], `curl -fsSL -o promo.mp4 \"$URL\"`, `printf %s \"$URL\" > promo.mp4`)
	stored := func() string { return cli.State()["vodlive_media_upload.fetched"].Values["sha256"].(string) }
	cli.Config(recipe)
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	first := stored()

	// On another runner, without the file.
	if err := os.Remove(filepath.Join(cli.Dir, "promo.mp4")); err != nil {
		t.Fatal(err)
	}
	cli.Must("plan")
	cli.Must("apply", "-auto-approve")
	server.AssertCalls(t, simulator.CallPutObject, 1)

	cli.Config(strings.ReplaceAll(recipe, "promo-2.mp4", "promo-3.mp4"))
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	server.AssertCalls(t, simulator.CallPutObject, 2)
	if stored() == first {
		t.Error("the file of the other URL was not uploaded")
	}
}
