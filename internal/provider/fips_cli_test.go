package provider_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestFIPS runs the provider's binary in the mode in which Go refuses every MD5. The lanes, whole
// files and files that a plan has read before are hashed by different code.
func TestFIPS(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	c := acctest.NewCLI(t, server)
	c.Setenv("GODEBUG", "fips140=only")
	c.Write("single.vtt", "WEBVTT")
	c.Write("parts.mp4", strings.Repeat("0123456789abcdef", 17<<16))
	c.Write("media/a.mp4", "a")
	c.Write("media/b/c.mp4", "c")
	c.Config(`
resource "vodlive_media_upload" "single" {
  source = "single.vtt"
}
resource "vodlive_media_upload" "parts" {
  source    = "parts.mp4"
  method    = "multipart"
  part_size = 5 * 1024 * 1024
}
resource "vodlive_media_folder" "media" {
  source_dir = "media"
}`)
	c.Must("apply", "-auto-approve")
	if objects := server.Objects(); len(objects) != 4 {
		t.Errorf("%d objects: %+v", len(objects), objects)
	}
	c.AssertNoChanges()
}
