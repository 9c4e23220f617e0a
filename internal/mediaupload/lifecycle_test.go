package mediaupload_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	mib     = 1 << 20
	address = "vodlive_media_upload.file"
)

// media writes a file of pseudo-random bytes and returns its SHA-256.
func media(t *testing.T, path string, size int, seed uint64) string {
	t.Helper()
	content := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = source.Read(content)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return sumOf(content)
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// world is a service, a working folder and one file in it.
type world struct {
	*acctest.CLI
	server *acctest.Server
	path   string
	sum    string
}

func newWorld(t *testing.T, size int) *world {
	t.Helper()
	server := acctest.Start(t, simulator.Options{})
	w := &world{CLI: acctest.NewCLI(t, server), server: server}
	w.path = filepath.Join(w.Dir, "media.mp4")
	w.sum = media(t, w.path, size, 1)
	return w
}

// upload configures the resource with arguments besides source, a line each.
func (w *world) upload(arguments ...string) {
	w.Config(fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = \"media.mp4\"\n  %s\n}\n", strings.Join(arguments, "\n  ")))
}

func (w *world) apply() acctest.Result { return w.Must("apply", "-auto-approve") }

// onlyObject returns the one object that the service must hold.
func onlyObject(t *testing.T, server *acctest.Server) simulator.Object {
	t.Helper()
	objects := server.Objects()
	if len(objects) != 1 {
		t.Fatalf("%d objects at the service, want 1: %+v\n%s", len(objects), objects, server.JournalText())
	}
	return objects[0]
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func contains(t *testing.T, r acctest.Result, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Flat(), part) {
			t.Errorf("the output lacks %q:\n%s", part, r.Output)
		}
	}
}

func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for _, tc := range []struct {
		argument string
		value    any
		texts    []string
	}{
		{"file_name", "a/b.mp4", []string{`"a/b.mp4", which holds a slash`}},
		{"file_name", " ", []string{"is blank"}},
		{"file_name", "..", []string{"names a folder"}},
		{"content_type", "mp4", []string{`"mp4", which is not a media type`, "video/mp4"}},
		{"sha256", "abc", []string{"must be 64 hexadecimal digits"}},
		{"sha256", strings.Repeat("ab", 32) + "\n", []string{"error sha256: Invalid SHA-256", "\\n\"; it must be 64", "only \"" + strings.Repeat("ab", 32) + "\" is a SHA-256"}},
		{"sha256", "sha256:" + strings.Repeat("ab", 32), []string{"regex("}},
		{"source", "media.mp4\n", []string{"error source: Invalid path", "ends with a blank or a line break", "trimspace()"}},
		{"method", "parallel", []string{`"auto"`, `"single"`, `"multipart"`}},
		{"part_size", 5242879, []string{"`part_size` is 5242879; it must be a number of bytes from 5242880 (5 MiB)"}},
		{"part_size", 64, []string{"`part_size` is 64;", "For 64 MiB, write 64 * 1024 * 1024."}},
		{"part_size", 1, []string{"For 5 MiB, write 5 * 1024 * 1024."}},
		{"part_size", 5120, []string{"For 5120 MiB, write 5120 * 1024 * 1024."}},
		{"change_detection", "mtime", []string{`"stat"`, `"content"`}},
		{"timeouts", acctest.Attrs{"create": "soon"}, []string{"Invalid value", "`timeouts.create` is \"soon\""}},
		{"timeouts", acctest.Attrs{"create": "99999999h"}, []string{"The longest is 2562047h."}},
		{"timeouts", acctest.Attrs{"create": "2d"}, []string{"A day is 24h."}},
		{"timeouts", acctest.Attrs{"create": "0s"}, []string{"Invalid value", `is "0s"; it must be a duration longer than 0`}},
	} {
		diags := p.Validate(resourceType, acctest.Attrs{"source": "media.mp4", tc.argument: tc.value})
		want(t, fmt.Sprintf("failure of %s = %v", tc.argument, tc.value), diags.Failed(), true)
		for _, text := range tc.texts {
			if !strings.Contains(diags.String(), text) {
				t.Errorf("%s = %v: the diagnostics lack %q: %s", tc.argument, tc.value, text, diags)
			}
		}
	}
}

// TestPathsThatAreNone say what to write in their place.
func TestPathsThatAreNone(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for given, parts := range map[string][]string{
		"~/promo.mp4": {"is \"~/promo.mp4\"", "write pathexpand(\"~/promo.mp4\")"},
		"https://cdn.example.com/promo.mp4?sig=1": {"is a URL, not a path on this machine", "download the file first"},
		"s3://bucket/promo.mp4":                   {"is a URL"},
		"media/*.mp4":                             {"is \"media/*.mp4\", and a path is no pattern"},
		" ":                                       {"is blank"},
	} {
		for typ, argument := range map[string]string{"vodlive_media_upload": "source", "vodlive_media_folder": "source_dir"} {
			text := p.Validate(typ, acctest.Attrs{argument: given}).String()
			for _, part := range append(parts, "error "+argument+": Invalid path: `"+argument+"` ") {
				if !strings.Contains(text, part) || strings.Contains(text, "sig=1") {
					t.Errorf("%s %s lacks %q: %s", argument, given, part, text)
				}
			}
		}
	}
	for _, given := range []string{"~promo.mp4", "a/~/promo.mp4", `C:\media\promo.mp4`, "media/promo?.mp4", "c:/x://y"} {
		p.Validate("vodlive_media_upload", acctest.Attrs{"source": given}).Must(t)
	}
}

// TestRewrittenFileIsReadAgain plans a large file that was rewritten under its size and
// modification time.
func TestRewrittenFileIsReadAgain(t *testing.T) {
	t.Parallel()
	m := newMachine(t, 5*mib)
	m.config = acctest.Attrs{"source": m.path}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(m.path, old, old); err != nil {
		t.Fatal(err)
	}
	want(t, "planned sha256", m.plan().Attrs()["sha256"], m.sum) // remembered on this machine
	sum := media(t, m.path, 5*mib, 6)
	if err := os.Chtimes(m.path, old, old); err != nil {
		t.Fatal(err)
	}
	m.mustApply()
	want(t, "SHA-256", onlyObject(t, m.Server).SHA256, sum)
}

// age waits until the file is older than the times of file systems are exact.
func (m *machine) age() {
	m.t.Helper()
	info, err := os.Stat(m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	<-time.After(time.Until(info.ModTime().Add(time.Hour)))
}
