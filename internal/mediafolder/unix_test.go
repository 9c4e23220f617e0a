//go:build unix

package mediafolder_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestPipesAndDevices: each is named, and none of them is read.
func TestPipesAndDevices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4")
	if err := syscall.Mkfifo(w.path("pipe.mp4"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, device := range map[string]string{"null.mp4": "/dev/null", "endless.mp4": "/dev/zero"} {
		if err := os.Symlink(device, w.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	pl := w.plan()
	says(t, pl.Diags, "- pipe.mp4 is a pipe, not a file", "- null.mp4 is a device, not a file", "- endless.mp4 is a device, not a file")
	want(t, "calls", w.Counts(), map[string]int{})

	w.config["exclude"] = []string{"{pipe,null,endless}.mp4"}
	w.mustApply()
	want(t, "files", w.names(), []string{"a.mp4"})
	want(t, "PUTs", w.Count(simulator.CallPutObject), 1)
}

// TestSubfolderThatCannotBeRead: its path is longer than the system takes.
func TestSubfolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4")
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll(strings.Repeat("deep/", 4096/len("deep/")), 0o700); err != nil {
		t.Fatal(err)
	}
	says(t, w.plan().Diags, "deep cannot be read: file name too long")
	want(t, "calls", w.Counts(), map[string]int{})
}

// TestLinkedFolders are left out with a warning, unless what they lead to is found anyway or is not
// asked for.
func TestLinkedFolders(t *testing.T) {
	t.Parallel()
	const warning = "warning source_dir: Linked folders are left out"
	w, volume := newWorld(t, "promo.mp4", "clips/a.mp4"), t.TempDir()
	for link, target := range map[string]string{"shoot": volume, "clips/b.mp4": volume, "clips/again": "..", "same": "clips", ".hidden": volume} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		arguments acctest.Attrs
		links     string
	}{
		"all":              {acctest.Attrs{}, "clips/b.mp4 shoot"},
		"any depth":        {acctest.Attrs{"include": []any{"*.mp4"}}, "clips/b.mp4 shoot"},
		"another folder":   {acctest.Attrs{"include": []any{"/clips/*.mp4"}}, "clips/b.mp4"},
		"excluded":         {acctest.Attrs{"exclude": []any{"shoot/", "clips/b.mp4"}}, ""},
		"all in it":        {acctest.Attrs{"exclude": []any{"/shoot/**", "b.*"}}, ""},
		"hidden, by a dot": {acctest.Attrs{"include": []any{"/.hidden/", "/promo.mp4"}}, ".hidden"},
	} {
		w.config = acctest.Attrs{"source_dir": w.dir}.With(tc.arguments)
		var links []string
		diags := w.plan().Diags
		for _, link := range []string{".hidden", "clips/again", "clips/b.mp4", "same", "shoot"} {
			if strings.Contains(diags.String(), "- "+link+" -> ") {
				links = append(links, link)
			}
		}
		want(t, name, strings.Join(links, " "), tc.links)
		if tc.links != "" {
			says(t, diags, warning)
		}
	}
	w.config = acctest.Attrs{"source_dir": w.dir, "include": []any{"*.mkv"}}
	says(t, w.plan().Diags, `has 2 files, such as "clips/a.mp4", "promo.mp4"`, "select none of them", "- shoot -> ")
}

func TestFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads every file")
	}
	w := newWorld(t, "a.mp4")
	if err := os.Chmod(w.path("a.mp4"), 0); err != nil {
		t.Fatal(err)
	}
	says(t, w.plan().Diags, "a.mp4 cannot be read")
}
