package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// commandTimeout bounds one run of a token command.
	commandTimeout = 10 * time.Second
	// commandGrace is how long, after the program has ended, another that it
	// left behind may keep its output open.
	commandGrace = time.Second
	// stderrKept, in bytes, is what is kept of a token command's complaints.
	stderrKept = 8 << 10
)

// CommandToken runs a program, without a shell, that prints the token, and runs
// it again when the service rejects it. A run may take 10 seconds. Its error
// shows the exit status and what the program wrote to its standard error,
// masked; never its standard output nor its arguments.
func CommandToken(argv []string) TokenSource {
	return commandToken(argv, func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, commandTimeout)
	})
}

// limit derives the context of one run.
type limit func(context.Context) (context.Context, context.CancelFunc)

func commandToken(argv []string, within limit) TokenSource {
	argv = slices.Clone(argv)
	return &renewing{get: func(ctx context.Context) (string, error) { return runToken(ctx, argv, within) }}
}

func runToken(ctx context.Context, argv []string, within limit) (string, error) {
	if len(argv) == 0 || strings.TrimSpace(argv[0]) == "" {
		return "", errors.New("the command names no program")
	}
	name := filepath.Base(argv[0])
	limited, cancel := within(ctx)
	defer cancel()
	stdout, stderr := &capped{limit: tokenLimit}, &capped{limit: stderrKept}
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...) // #nosec G204 -- the user names it
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = commandGrace
	killWhole(cmd)
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) && limited.Err() == nil {
		// The program ended well and left another behind, as agents are.
		err = nil
	}
	if err != nil {
		return "", commandProblem(ctx, limited, name, err, complaint(stderr, stdout))
	}
	token := strings.TrimSpace(stdout.String())
	switch {
	case stdout.more:
		return "", fmt.Errorf("the command %s printed more than %d KiB: it does not print a token alone", name, tokenLimit>>10)
	case token == "":
		return "", fmt.Errorf("the command %s printed no token%s", name, complaint(stderr, stdout))
	}
	if err := CheckToken(token); err != nil {
		return "", fmt.Errorf("the command %s: %w", name, err)
	}
	return token, nil
}

func commandProblem(ctx, limited context.Context, name string, err error, complaint string) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the command %s was stopped: %w", name, ctx.Err())
	case limited.Err() != nil:
		return fmt.Errorf("the command %s did not end within %s and was stopped%s", name, commandTimeout, complaint)
	case errors.As(err, &exit):
		return fmt.Errorf("the command %s failed with %s%s", name, exit.ProcessState, complaint)
	}
	if start, ok := errors.AsType[*exec.Error](err); ok {
		err = start.Err
	}
	return fmt.Errorf("the command %s could not be run: %w", name, fileProblem(err))
}

// complaint is what a command wrote to its standard error, in a form to be
// appended to a text. What it printed besides may be a token, and is masked.
func complaint(stderr, stdout *capped) string {
	written := stderr.String()
	if stderr.more {
		written = string(redact.Cut([]byte(written), stderrKept-1))
	}
	printed := append(strings.Fields(stdout.String()), strings.TrimSpace(stdout.String()))
	if text := redact.New(printed...).Line(written); text != "" {
		return ": " + text
	}
	return ""
}

// capped keeps the beginning of what is written to it, and takes the rest too,
// so that the program is not held up.
type capped struct {
	limit int
	kept  bytes.Buffer
	more  bool
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.kept.Len(); len(p) > room {
		c.kept.Write(p[:room])
		c.more = true
	} else {
		c.kept.Write(p)
	}
	return len(p), nil
}

func (c *capped) String() string { return c.kept.String() }
