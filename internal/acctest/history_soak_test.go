package acctest

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// alone tells whether this process is one for histories that are the same each time: it has one P,
// collects garbage between histories only, and was built with the overlay of internal/tools/seeded.
func alone() bool { return os.Getenv("HISTORY_ALONE") != "" }

// runAlone runs a test in a process of its own that is alone, and calls each for each line that it
// prints.
func runAlone(t *testing.T, name string, shard int, each func(line string)) {
	t.Helper()
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool { return !strings.HasPrefix(arg, "-rapid.") })
	args = append(args, "-test.run=^"+name+"$", "-test.timeout=0")
	if profile := coverProfile(); profile != "" {
		args = append(args, fmt.Sprintf("-test.coverprofile=%s.%s.%d", profile, name, shard))
	}
	child := exec.CommandContext(t.Context(), os.Args[0], args...)
	child.Env = append(os.Environ(), "HISTORY_ALONE="+strconv.Itoa(shard), "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=1GiB")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe() // it ends with this process
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for err == nil {
		var line string
		line, err = lines.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" && line != "PASS" && !strings.HasPrefix(line, "coverage: ") {
			each(line)
		}
	}
	if err := child.Wait(); err != nil {
		t.Errorf("process %d: %v", shard, err)
	}
}

// coverProfile is the file that go test has this process write, "" if none.
func coverProfile() string { return flag.Lookup("test.coverprofile").Value.String() }

// mergeCoverage adds what the processes of runAlone have covered to the profile of this one.
func mergeCoverage() {
	if coverProfile() == "" || alone() {
		return
	}
	parts, _ := filepath.Glob(coverProfile() + ".*")
	all, err := os.OpenFile(coverProfile(), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer all.Close()
	for _, part := range parts {
		profile, _ := os.ReadFile(part)
		_, blocks, _ := strings.Cut(string(profile), "\n") // after the mode
		_, _ = all.WriteString(blocks)
	}
}

// report is a line in which a shard says what it has played since the line before.
type report struct {
	Played  int            `json:"played"`
	Reached map[string]int `json:"reached"`
}

const failureFound = "a failure: shrinking it"

// enough histories reach every heading that histories can reach.
const enough = 20_000

// TestSoak plays histories for the time that HISTORY_SOAK names, in a process for each processor,
// and prints what they have reached.
func TestSoak(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("HISTORY_SOAK"))
	if err != nil {
		t.Skip("HISTORY_SOAK has no duration: run make soak")
	}
	if alone() {
		soak(t, duration)
		return
	}
	t.Parallel()
	var mu sync.Mutex
	played, met, begun := 0, reached{times: map[string]int{}}, time.Now()
	follow := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		var r report
		switch {
		case strings.HasPrefix(line, `{"played":`) && json.Unmarshal([]byte(line), &r) == nil:
			played += r.Played
			for heading, n := range r.Reached {
				met.times[heading] += n
			}
			fmt.Fprintf(os.Stdout, "%d histories, %.0f a minute\n", played, float64(played)/time.Since(begun).Minutes())
		case line == failureFound:
			fmt.Fprintf(os.Stdout, "a failure after %d histories: shrinking it\n", played)
		default:
			fmt.Fprintln(os.Stdout, line)
		}
	}
	var shards sync.WaitGroup
	for i := range runtime.GOMAXPROCS(0) {
		shards.Go(func() { runAlone(t, "TestSoak", i, follow) })
	}
	shards.Wait()
	missing := met.missing(t)
	if played >= enough && len(missing) > 0 {
		t.Errorf("%d histories never reached headings that testdata/unreachable.txt does not name: %s", played, strings.Join(missing, ", "))
	}
	fmt.Fprintf(os.Stdout, "%d histories reached these headings of the troubleshooting guide, so often:\n%snever: %s\n", played, &met, strings.Join(missing, ", "))
}

// soak plays the histories of a shard, until one fails.
func soak(t *testing.T, duration time.Duration) {
	t.Helper()
	go func() { // the process that started this one has gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	shard, _ := strconv.Atoi(os.Getenv("HISTORY_ALONE"))
	s := &searched{}
	tell := func() {
		r := report{int(s.played.Swap(0)), s.reached.taken()}
		line, _ := json.Marshal(r)
		fmt.Fprintf(os.Stdout, "%s\n", line)
	}
	s.found = func() {
		tell()
		fmt.Fprintln(os.Stdout, failureFound)
	}
	begun := time.Now()
	for n := 0; time.Since(begun) < duration; n++ {
		fine := t.Run(strconv.Itoa(n), func(t *testing.T) { search(t, shard, s) })
		tell()
		if !fine {
			return
		}
	}
}
