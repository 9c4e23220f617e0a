package credential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// commandTimeout bounds one run of a token command.
	commandTimeout = 10 * time.Second
	// commandGrace is how long a process that the program started may keep its output open after
	// the program has ended.
	commandGrace = time.Second
	// stderrKept, in bytes, is how much of the standard error of a token command is kept.
	stderrKept = 64 << 10
)

// CommandToken runs a program and its arguments, without a shell, which print the token, and runs
// them again when the token is rejected. A run may take 10 seconds. Its error shows the exit status
// and, masked, the standard error, but never the standard output or the arguments.
func CommandToken(argv []string) TokenSource {
	return commandToken(argv, func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, commandTimeout)
	})
}

// timeLimit derives the context of one run.
type timeLimit func(context.Context) (context.Context, context.CancelFunc)

func commandToken(argv []string, within timeLimit) TokenSource {
	return newRenewing(func(ctx context.Context) (string, error) { return runToken(ctx, argv, within) })
}

func runToken(ctx context.Context, argv []string, within timeLimit) (string, error) {
	name := filepath.Base(argv[0])
	limited, cancel := within(ctx)
	defer cancel()
	stdout, stderr := &capped{limit: tokenLimit}, &capped{limit: stderrKept}
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...) // #nosec G204 -- the user names it
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = commandGrace
	killWhole(cmd)
	err := cmd.Run()
	leftProcess := errors.Is(err, exec.ErrWaitDelay) && limited.Err() == nil // such as an agent
	if err != nil && !leftProcess {
		return "", commandProblem(ctx, limited, name, err, complaint(argv, stderr, stdout))
	}
	token := strings.TrimSpace(stdout.String())
	switch {
	case stdout.more:
		return "", fmt.Errorf("the command %s printed more than %d KiB: it does not print a token alone", name, tokenLimit>>10)
	case token == "":
		return "", fmt.Errorf("the command %s printed no token%s", name, complaint(argv, stderr, stdout))
	}
	if err := checkToken(token); err != nil {
		return "", fmt.Errorf("the command %s: %w", name, err)
	}
	return token, nil
}

func commandProblem(ctx, limited context.Context, name string, err error, complaint string) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the command %s was stopped: %w", name, ctx.Err())
	case limited.Err() != nil:
		return fmt.Errorf("the command %s did not end within %s and was stopped%s", name, commandTimeout, complaint)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("the command %s failed with %s%s", name, exit.ProcessState, complaint)
	}
	if start, ok := errors.AsType[*exec.Error](err); ok {
		err = start.Err
	}
	return fmt.Errorf("the command %s could not be run: %w", name, disk.Cause(err))
}

// complaint returns what a command wrote to its standard error, to be appended to an error text.
// What it printed to its standard output may be a token, and usage errors and "set -x" repeat
// arguments, so both are masked.
func complaint(argv []string, stderr, stdout *capped) string {
	secrets := append(strings.Fields(stdout.String()), strings.TrimSpace(stdout.String()))
	for _, argument := range argv[1:] {
		secrets = append(secrets, secretsOf(argument)...)
	}
	if text := redact.New(secrets...).Line(stderr.String()); text != "" {
		return ": " + text
	}
	return ""
}

// shortestArgument, in characters, is the shortest argument that is masked.
const shortestArgument = 8

// secretsOf lists what an argument and the words in it may tell of a secret: whatever has eight
// characters and more, except for paths and flags. Of a flag with a value, as in --password=x, it
// is the value.
func secretsOf(argument string) (secrets []string) {
	for _, word := range append(strings.Fields(argument), argument) {
		if strings.HasPrefix(word, "-") {
			_, word, _ = strings.Cut(word, "=")
		}
		if len(word) >= shortestArgument && !isPath(word) {
			secrets = append(secrets, word)
		}
	}
	return secrets
}

// isPath reports whether a word is an absolute path, begins like a relative one, or names a file
// that exists.
func isPath(word string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(word), "/")
	_, err := os.Lstat(word)
	return err == nil || filepath.IsAbs(word) || first == "." || first == ".." || first == "~"
}

// capped keeps the beginning of what is written to it. It accepts the rest, too, so that the
// program does not block.
type capped struct {
	limit int // bytes
	kept  bytes.Buffer
	more  bool // more than limit was written
}

func (c *capped) Write(p []byte) (int, error) {
	room := c.limit - c.kept.Len()
	c.more = c.more || len(p) > room
	c.kept.Write(p[:min(len(p), room)])
	return len(p), nil
}

func (c *capped) String() string { return c.kept.String() }
