package credential_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFileToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	source := credential.FileToken(path, nil) // reads nothing yet
	write(t, path, "first\n")
	check := func(rejected, want string) {
		t.Helper()
		if got, err := source.Token(t.Context(), rejected); err != nil || got != want {
			t.Errorf("Token(%q) is %q, %v; want %q", rejected, got, err, want)
		}
	}
	check("", "first")
	write(t, path, "  second \r\n")
	check("", "first")
	check("first", "second")
	check("first", "second")
	check("", "second")
	check("second", "second")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("", "second")
	if _, err := source.Token(t.Context(), "second"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
}

// TestFileTokenOfHangingFile: a call that ends does not wait for the file, and the next call reads
// it.
func TestFileTokenOfHangingFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hanging := make(chan struct{})
		var reads atomic.Int32
		source := credential.FileTokenBy(func() (string, error) {
			if reads.Add(1) == 1 {
				<-hanging
			}
			return "token", nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := source.Token(ctx, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the call", err)
		}
		if token, err := source.Token(t.Context(), ""); err != nil || token != "token" {
			t.Errorf("got %q, %v", token, err)
		}
		close(hanging)
	})
}

func TestFileTokenProblems(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	write(t, path("empty"), "")
	write(t, path("blank"), " \n\n")
	write(t, path("large"), strings.Repeat("secret-", 10<<20/7))
	write(t, path("lines"), "secret-1\nsecret-2\n")
	write(t, path("binary"), "secret\x00\x01")
	write(t, path("unreadable"), "secret-3")
	if err := os.Chmod(path("unreadable"), 0); err != nil {
		t.Fatal(err)
	}
	belowAFile := "the file " + path("blank/below") + " cannot be read: not a directory"
	if runtime.GOOS == "windows" {
		belowAFile = "the file " + path("blank/below") + " does not exist"
	}
	for name, want := range map[string]string{
		"missing":          "the file " + path("missing") + " does not exist",
		"missing/below":    "the file " + path("missing/below") + " does not exist",
		"blank/below":      belowAFile,
		".":                "the path " + folder + " is a folder, not a file",
		"empty":            "the file " + path("empty") + " is empty",
		"blank":            "the file " + path("blank") + " is empty",
		"large":            "the file " + path("large") + " is longer than 64 KiB: it does not hold a token alone",
		"lines":            "the file " + path("lines") + ": the token contains a line break, another control character or a character outside ASCII, which a header cannot carry",
		"binary":           "the file " + path("binary") + ": the token contains a line break, another control character or a character outside ASCII, which a header cannot carry",
		"unreadable":       "the file " + path("unreadable") + " cannot be read: permission denied",
		"../../dev/../dev": "does not exist",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "unreadable" && os.Geteuid() <= 0 { // -1 on Windows
				t.Skip("root reads everything, and on Windows no mode keeps anybody from reading")
			}
			_, err := credential.FileToken(path(name), nil).Token(t.Context(), "")
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the content is shown: %v", err)
			}
			text := (&credential.TokenError{Err: err}).Error()
			if shown := redact.New().Text(text); shown != text {
				t.Errorf("masked as %s", shown)
			}
		})
	}
}

// TestFileTokenOfPowerShell reads what a redirection of its output writes.
func TestFileTokenOfPowerShell(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"utf-8":    "\xef\xbb\xbfthe-token\r\n",
		"utf-16le": "\xff\xfet\x00h\x00e\x00-\x00t\x00o\x00k\x00e\x00n\x00\r\x00\n\x00",
	} {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, content)
		if got, err := credential.FileToken(path, nil).Token(t.Context(), ""); got != "the-token" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
