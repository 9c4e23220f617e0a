package credential_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

// asCommand, as first argument, makes this test binary a token command that does what the other
// arguments say, in turn.
const asCommand = "token-command"

func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != asCommand {
		os.Exit(m.Run())
	}
	for _, step := range os.Args[2:] {
		what, argument, _ := strings.Cut(step, " ")
		if err := doStep(what, argument); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
	}
}

func doStep(what, argument string) error {
	var err error
	switch what {
	case "print":
		_, err = os.Stdout.WriteString(argument)
	case "complain": // backwards, because arguments are masked in what a command complains of
		_, err = os.Stderr.WriteString(backwards(argument))
	case "flood": // standard output; Windows takes no argument as long as that
		_, err = os.Stdout.WriteString(strings.Repeat("h", 100_000))
	case "wail": // the same, to standard error
		_, err = os.Stderr.WriteString(strings.Repeat("no way\n", 100_000))
	case "count": // the runs, in a file
		var runs []byte
		if runs, err = os.ReadFile(argument); err != nil && !os.IsNotExist(err) {
			return err
		}
		runs = append(runs, '.')
		if err = os.WriteFile(argument, runs, 0o600); err == nil {
			_, err = fmt.Printf("token-%d", len(runs)) //nolint:forbidigo // the output of the command
		}
	case "child": // a process that does one step, and that nobody waits for
		child := exec.Command(os.Args[0], asCommand, argument)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		err = child.Start()
	case "connect": // to the test, and wait for it to close the connection
		var conn net.Conn
		if conn, err = net.Dial("tcp", argument); err == nil {
			_, err = io.Copy(io.Discard, conn)
		}
	case "killed":
		var self *os.Process
		if self, err = os.FindProcess(os.Getpid()); err == nil {
			err = self.Kill()
		}
	case "exit":
		var code int
		if code, err = strconv.Atoi(argument); err == nil {
			os.Exit(code)
		}
	default:
		err = fmt.Errorf("no step %q", what)
	}
	return err
}

func backwards(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}

// complain is the step that writes a text to standard error.
func complain(text string) string { return "complain " + backwards(text) }

func command(steps ...string) []string { return append([]string{os.Args[0], asCommand}, steps...) }

// commands accepts the connections of the processes that connect to it.
func commands(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// accept waits until a process has connected. It is let go when the test ends.
func accept(t *testing.T, listener net.Listener) net.Conn {
	t.Helper()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestRenewalIsShared asks for a new token by many callers whose token was rejected: the command
// runs once for all of them.
func TestRenewalIsShared(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "runs")
	source := credential.CommandToken(command("count " + count)) // each run prints the number of runs so far
	if _, err := os.Stat(count); err == nil {
		t.Fatal("the command ran before a token was needed")
	}
	for _, step := range []struct{ rejected, want string }{{"", "token-1"}, {"token-1", "token-2"}, {"token-1", "token-2"}} {
		var callers sync.WaitGroup
		for range 16 {
			callers.Go(func() {
				if got, err := source.Token(t.Context(), step.rejected); err != nil || got != step.want {
					t.Errorf("Token(%q) is %q, %v; want %s", step.rejected, got, err, step.want)
				}
			})
		}
		callers.Wait()
	}
	runs, err := os.ReadFile(count)
	if err != nil || len(runs) != 2 {
		t.Errorf("the command ran %d times, want 2 (%v)", len(runs), err)
	}
}

func TestCommandToken(t *testing.T) {
	t.Parallel()
	if got, err := credential.CommandToken(command("print  a b \n")).Token(t.Context(), ""); err != nil || got != "a b" {
		t.Errorf("got %q, %v", got, err)
	}
	// No shell: what would be one's syntax is passed on.
	if got, err := credential.CommandToken(command("print $HOME;`id`")).Token(t.Context(), ""); err != nil || got != "$HOME;`id`" {
		t.Errorf("got %q, %v", got, err)
	}
	// A program left behind holds the output open until the test ends; the token is there.
	listener := commands(t)
	if got, err := credential.CommandToken(command("child connect "+listener.Addr().String(), "print tok")).Token(t.Context(), ""); err != nil || got != "tok" {
		t.Fatalf("got %q, %v", got, err)
	}
	accept(t, listener)
}

func TestCommandTokenProblems(t *testing.T) {
	t.Parallel()
	self, folder := filepath.Base(os.Args[0]), t.TempDir()
	notFound, isFolder, killed := "executable file not found in $PATH", "permission denied", "signal: killed"
	if runtime.GOOS == "windows" {
		notFound = "executable file not found in %PATH%"
		isFolder, killed = notFound, "exit status 1"
	}
	for name, test := range map[string]struct {
		argv []string
		want string
	}{
		"unknown":          {[]string{"no-such-program-7", "argument"}, "the command no-such-program-7 could not be run: " + notFound},
		"a folder":         {[]string{folder}, "the command " + filepath.Base(folder) + " could not be run: " + isFolder},
		"exit status":      {command("print hidden\n", complain("log in first\n"), "exit 3"), "the command " + self + " failed with exit status 3: log in first"},
		"killed":           {command("killed"), "the command " + self + " failed with " + killed},
		"nothing printed":  {command(complain("not logged in\n")), "the command " + self + " printed no token: not logged in"},
		"too much printed": {command("flood"), "the command " + self + " printed more than 64 KiB: it does not print a token alone"},
		"two lines":        {command("print hidden\nalso hidden"), "the command " + self + ": the token contains a line break, another control character or a character outside ASCII, which a header cannot carry"},
		"stdout in stderr": {command("print hidden1\n", complain("cannot store hidden1\n"), "exit 1"), "the command " + self + " failed with exit status 1: cannot store ***"},
		"arguments in stderr": {
			command(complain("usage: token --user media-admin --password=pa55-word7 -c 'read s3cret-7x9 now' ./tool "+folder+" short7x\n"), "exit 1",
				"--user", "media-admin", "--password=pa55-word7", "-c", "read s3cret-7x9 now", "./tool", folder, "short7x"),
			"the command " + self + " failed with exit status 1: usage: token --user *** --password=*** -c '***' ./tool " + folder + " short7x",
		},
		"a trace of the shell": {
			command(complain("+ curl -u joe:hunter22x https://sso.example.com/token\n"), "exit 1", "curl -u joe:hunter22x https://sso.example.com/token"),
			"the command " + self + " failed with exit status 1: + ***",
		},
		"secrets in stderr": {command(complain("GET https://joe:hidden@sso.example.com/t?code=hidden\n Authorization: Bearer hiddenhiddenhiddenhidden\n"), "exit 1"), "the command " + self + " failed with exit status 1: GET https://***@sso.example.com/t?*** Authorization: Bearer ***"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := credential.CommandToken(test.argv).Token(t.Context(), "")
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	t.Run("long stderr", func(t *testing.T) {
		t.Parallel()
		_, err := credential.CommandToken(command("wail", "exit 1")).Token(t.Context(), "")
		if err == nil || len(err.Error()) > 600 || !strings.Contains(err.Error(), "no way no way") {
			t.Errorf("got %v", err)
		}
	})
}

// TestCommandTokenIsStopped: with its children, where the system has process groups, when the
// caller gives up and when the time is over.
func TestCommandTokenIsStopped(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"caller", "limit"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			listener := commands(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			limited, over := context.WithCancel(t.Context())
			defer over()
			source := credential.CommandTokenWithin(
				command("print hidden\n", complain("waiting for the browser\n"), "child connect "+listener.Addr().String(), "connect "+listener.Addr().String()),
				func(ctx context.Context) (context.Context, context.CancelFunc) {
					run, end := context.WithCancel(ctx)
					context.AfterFunc(limited, end)
					return run, end
				})
			result := make(chan error, 1)
			go func() {
				_, err := source.Token(ctx, "")
				result <- err
				_ = listener.Close() // wait for no process that could not be started
			}()
			conns := []net.Conn{accept(t, listener), accept(t, listener)}
			if by == "caller" {
				cancel()
				if err := <-result; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			} else {
				over()
				want := "the command " + filepath.Base(os.Args[0]) + " did not end within 10s and was stopped: waiting for the browser"
				if err := <-result; err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
			if runtime.GOOS == "windows" {
				return // the child goes on
			}
			for _, conn := range conns { // both processes have ended when both connections have
				_, _ = io.Copy(io.Discard, conn)
			}
		})
	}
}
