package mediafolder_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestExpressionForSHA256SUMS has the example read what tools write.
func TestExpressionForSHA256SUMS(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	example, err := os.ReadFile("../../examples/resources/vodlive_media_folder/resource_sha256s.tf")
	if err != nil {
		t.Fatal(err)
	}
	c := acctest.NewCLI(t, server)
	dir := filepath.Join(c.Dir, "media")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	lines.WriteString("\ufeff")
	for name, format := range map[string]string{
		"text.mxf": "%s  %s\n", "binary.mxf": "%s *%s\n", "dot.mxf": "%s  ./%s\n", "windows.mxf": "%s *%s\r\n", "two words.mxf": "\n%s  %s\r\n", "upper.mxf": "%s  ./%s\n\r\n",
	} {
		sum := hash(name)
		if name == "upper.mxf" {
			sum = strings.ToUpper(sum)
		}
		fmt.Fprintf(&lines, format, sum, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintf(&lines, "%s  other.mp4\n", hash("not selected"))
	list := filepath.Join(dir, "SHA256SUMS")
	if err := os.WriteFile(list, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Config(string(example) + "\noutput \"names\" {\n  value = length(vodlive_media_folder.masters.sha256s)\n}\n")
	c.Must("apply", "-auto-approve")
	want(t, "objects", len(server.Objects()), 6)
	if out := c.Must("output", "names").Output; !regexp.MustCompile(`\b6\b`).MatchString(out) {
		t.Error(out)
	}
	c.AssertNoChanges()
	if err := os.WriteFile(list, fmt.Appendf(nil, "SHA256 (text.mxf) = %s\n", hash("text.mxf")), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := c.Run("plan"); r.Code == 0 || !strings.Contains(r.Flat(), "no line of sha256sum") {
		t.Errorf("a list in another format: %d\n%s", r.Code, r.Output)
	}
}

func hash(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }
