// Plants puts one defect after another into the provider, plays histories until one finds it, and
// prints how many that took. A defect that is not found in time, or that cannot be put in any more,
// is a failure.
//
// plants.txt has the defects. Each begins with a line "# what is wrong", and then has the name of a
// file and the lines to replace in it, which must occur there once, each after "-", and those to
// put there, each after "+".
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed plants.txt
var list string

// plant is a defect.
type plant struct {
	title, file  string
	old, planted string
}

func main() {
	limit := flag.Duration("limit", 5*time.Minute, "time to find one defect")
	only := flag.String("only", "", "regular expression for the defects to play")
	check := flag.Bool("check", false, "only compile with each defect")
	overlay := flag.String("overlay", "", "overlay of go build that each defect is added to")
	flag.Parse()
	if err := run(*limit, *check, *overlay, regexp.MustCompile(*only)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(limit time.Duration, check bool, overlay string, only *regexp.Regexp) error {
	plants, err := parse(list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	missed := 0
	fmt.Println("| defect | histories until it is found | seconds |\n|---|--:|--:|")
	for _, p := range plants {
		if !only.MatchString(p.title) {
			continue
		}
		binary, err := p.build(dir, overlay)
		if err != nil {
			return fmt.Errorf("%s: %w", p.title, err)
		}
		if check {
			continue
		}
		begun := time.Now()
		histories, err := play(binary, limit)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.title, err)
		}
		if histories == "" {
			missed++
			histories = "not found"
		}
		fmt.Printf("| %s | %s | %.0f |\n", p.title, histories, time.Since(begun).Seconds())
	}
	if missed > 0 {
		return fmt.Errorf("%d defects were not found within %s", missed, limit)
	}
	return nil
}

func parse(list string) (plants []plant, err error) {
	for line := range strings.Lines(list) {
		var p *plant
		if len(plants) > 0 {
			p = &plants[len(plants)-1]
		}
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# "):
			plants = append(plants, plant{title: text[2:]})
		case text == "":
		case p == nil:
			return nil, fmt.Errorf("plants.txt begins with %q, not with a title", text)
		case line[0] == '-':
			p.old += line[1:]
		case line[0] == '+':
			p.planted += line[1:]
		default:
			p.file = text
		}
	}
	return plants, nil
}

// build compiles the histories with the defect. The tree stays as it is: the compiler reads one
// file elsewhere.
func (p plant) build(dir, base string) (binary string, err error) {
	content, err := os.ReadFile(p.file)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(content), p.old); n != 1 {
		return "", fmt.Errorf("%s has these lines %d times:\n%s", p.file, n, p.old)
	}
	file, err := filepath.Abs(p.file)
	if err != nil {
		return "", err
	}
	planted, overlay, binary := filepath.Join(dir, "planted.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "acctest.test")
	all := struct {
		Replace map[string]string `json:"Replace"`
	}{map[string]string{}}
	if base != "" {
		text, err := os.ReadFile(base) // #nosec G304 -- named by the caller
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil {
			return "", err
		}
	}
	all.Replace[file] = planted
	replace, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(overlay, replace, 0o600)
	}
	if err == nil {
		err = os.WriteFile(planted, []byte(strings.Replace(string(content), p.old, p.planted, 1)), 0o600) // #nosec G703 -- in a folder of its own
	}
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(context.Background(), "go", "test", "-c", "-tags=stdlibmd5", "-overlay="+overlay, "-o", binary, "./internal/acctest")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

var found = regexp.MustCompile(`^a failure after (\d+) histories`)

// play plays histories until one fails, and returns how many that took; "" if none failed within
// the limit.
func play(binary string, limit time.Duration) (histories string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	soak := exec.CommandContext(ctx, binary, "-test.run=^TestSoak$", "-test.timeout=0")
	soak.Dir = "internal/acctest"
	soak.Env = append(os.Environ(), "HISTORY_SOAK="+limit.String())
	out, err := soak.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := soak.Start(); err != nil {
		return "", err
	}
	var said strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if m := found.FindStringSubmatch(lines.Text()); m != nil {
			cancel()
			_ = soak.Wait()
			return m[1], nil
		}
	}
	_, _ = io.Copy(io.Discard, out)
	if err := soak.Wait(); err != nil {
		return "", fmt.Errorf("the histories ended without a failure that they could repeat: %w\n%s", err, said.String())
	}
	return "", nil
}
