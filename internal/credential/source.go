package credential

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// tokenLimit, in bytes, is the size of the largest file that is read.
	tokenLimit = 64 << 10
	// commandTimeout bounds one run of a token command.
	commandTimeout = 10 * time.Second
	// commandGrace is how long a process that the program started may keep its output open after
	// the program has ended.
	commandGrace = time.Second
	// shortestArgument, in bytes, is the shortest argument of a command that is masked.
	shortestArgument = 8
)

// FileToken reads the token, without surrounding white space, from a file, and again when rejected.
func FileToken(path string) TokenSource {
	return &renewing{get: func(context.Context) (string, error) { return readToken(path) }}
}

func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case info.Size() > tokenLimit:
		return "", fmt.Errorf("the file %s is longer than %d KiB: it does not hold a token alone", path, tokenLimit>>10)
	}
	content, err := os.ReadFile(path) // #nosec G304 -- the user names it
	token := strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff"))
	if err == nil && token == "" {
		err = fmt.Errorf("the file %s is empty", path)
	}
	return token, err
}

// CommandToken runs a program and its arguments, without a shell, which print the token, and runs
// them again when the token is rejected. A run may take 10 seconds. Its error shows the exit status
// and, masked, the standard error, but never the standard output or the arguments.
func CommandToken(argv []string) TokenSource {
	return &renewing{get: func(ctx context.Context) (string, error) { return runToken(ctx, argv) }}
}

func runToken(ctx context.Context, argv []string) (string, error) {
	name := filepath.Base(argv[0])
	limited, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...) // #nosec G204 -- the user names it
	cmd.WaitDelay = commandGrace
	stdout, err := cmd.Output()
	token := strings.TrimSpace(string(stdout))
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the command %s was stopped: %w", name, ctx.Err())
	case limited.Err() != nil:
		return "", fmt.Errorf("the command %s did not end within %s and was stopped", name, commandTimeout)
	case exited:
		return "", fmt.Errorf("the command %s failed with %s: %s", name, exit.ProcessState, complaint(argv, exit.Stderr, token))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a process that goes on, such as an agent
		return "", fmt.Errorf("the command %s could not be run: %w", name, err)
	case token == "":
		return "", fmt.Errorf("the command %s printed no token", name)
	}
	return token, nil
}

// complaint returns what a command wrote to its standard error. Usage errors and "set -x" repeat
// arguments, so these are masked, and so is what was printed.
func complaint(argv []string, stderr []byte, printed string) string {
	secrets := []string{printed}
	for _, argument := range argv[1:] {
		if _, value, found := strings.Cut(argument, "="); found {
			argument = value
		}
		if len(argument) >= shortestArgument && !strings.HasPrefix(argument, "-") {
			secrets = append(secrets, argument)
		}
	}
	return redact.New(secrets...).Line(string(stderr))
}
