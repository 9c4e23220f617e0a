package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const guides = "../../templates/guides"

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// blocks are the code blocks of a language in a page.
func blocks(t *testing.T, page, language string) (found []string) {
	t.Helper()
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(readFile(t, page), -1) {
		found = append(found, match[1])
	}
	return found
}

// TestEveryConfigurationOfAGuidePlans plans the configurations in the guides and in the README, as
// a user would who copies them.
func TestEveryConfigurationOfAGuidePlans(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(guides, "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("guides found: %v, %v", pages, err)
	}
	for _, page := range append(pages, "../../README.md") {
		for i, config := range blocks(t, page, "terraform") {
			t.Run(filepath.Base(page)+" "+strconv.Itoa(i+1), func(t *testing.T) {
				t.Parallel()
				planGuide(t, config)
			})
		}
	}
}

func planGuide(t *testing.T, config string) {
	t.Helper()
	cli := exampleFolder(t)
	// What a guide leaves out of a session.
	config = strings.Replace(config, "# ...", `
  name         = "channel"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }`, 1)
	switch {
	case strings.HasPrefix(config, "action "):
		cli.SkipBelow("actions", "1.14.1", "")
	case strings.HasPrefix(config, "list "):
		cli.SkipBelow("queries", "1.14.1", "")
		cli.Write("guide.tfquery.hcl", config)
		cli.Must("query")
		return
	case strings.Contains(config, "provider::"):
		cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	case strings.HasPrefix(config, "removed "):
		cli.SkipBelow("removed blocks", "1.7.0", "1.10.0")
	case strings.HasPrefix(config, "terraform "):
		if err := os.Remove(filepath.Join(cli.Dir, "main.tf")); err != nil { // it has the requirement itself
			t.Fatal(err)
		}
	}
	if strings.Contains(config, "use_lockfile") {
		cli.SkipBelow("use_lockfile of the S3 backend", "1.10.0", "1.10.0")
	}
	cli.Write("guide.tf", config)
	if strings.Contains(config, ".example.com") || strings.Contains(config, "backend ") { // there is no service, or no backend
		cli.Must("validate")
		return
	}
	cli.Must("plan")
}
