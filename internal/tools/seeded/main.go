// Seeded makes what happens in a bubble of testing/synctest the same each time: it writes files of
// Go's standard library, changed in a few lines, into a folder, and beside them overlay.json for
// the flag -overlay of go build.
//
// A test that is built with it has in each bubble the same random numbers, of math/rand and
// crypto/rand, the same order of maps and of goroutines, and the same choices of select, if it has
// one P (GOMAXPROCS=1), no garbage collection meanwhile, and does the same itself. To have others,
// draw numbers of math/rand/v2 first: what follows is then another part of the one stream.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// change replaces lines that a file of the standard library has once.
type change struct{ why, file, old, changed string }

var changes = []change{
	{
		"a bubble has a stream of random numbers (splitmix64), which begins with the same one", "runtime/synctest.go",
		"	active  int // other sources of activity\n}\n",
		`	active  int // other sources of activity

	chance atomic.Uint64
}

//go:nosplit
func (bubble *synctestBubble) random() uint64 { return mixed(bubble.chance.Add(-0x61c8864680b583eb)) }

//go:nosplit
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

//go:linkname drawn
func drawn() uint64 {
	if bubble := getg().bubble; bubble != nil {
		return bubble.random()
	}
	return rand()
}
`,
	},
	{"math/rand", "math/rand/rand.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.drawn\n"},
	{"math/rand", "math/rand/v2/rand.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.drawn\n"},
	{"names of temporary files", "os/tempfile.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.drawn\n"},
	{
		"the order of maps depends on the bubble's time only: which maps there are depends on caches, so on what was played before", "runtime/rand.go",
		"	mp := getg().m\n	c := &mp.chacha8\n",
		`	if bubble := getg().bubble; bubble != nil {
		return mixed(uint64(bubble.now))
	}
	mp := getg().m
	c := &mp.chacha8
`,
	},
	{
		"the hashes of keys of maps, in every process", "runtime/rand.go",
		"	globalRand.state.Init(*seed)\n",
		"	clear(seed[:])\n	globalRand.state.Init(*seed)\n",
	},
	{
		"crypto/rand", "crypto/internal/sysrand/rand.go",
		"func Read(b []byte) {\n",
		`func Read(b []byte) {
	if synctest.IsInBubble() {
		for i := range b {
			b[i] = byte(random() >> 56)
		}
		return
	}
`,
	},
	{
		"crypto/rand", "crypto/internal/sysrand/rand.go",
		"import (\n	\"os\"\n",
		"import (\n	\"internal/synctest\"\n	\"os\"\n",
	},
	{
		"crypto/rand", "crypto/internal/sysrand/rand.go",
		"var firstUse atomic.Bool\n",
		"//go:linkname random runtime.drawn\nfunc random() uint64\n\nvar firstUse atomic.Bool\n",
	},
	{
		"which case of a select", "runtime/select.go",
		"		j := cheaprandn(uint32(norder + 1))\n",
		`		j := cheaprandn(uint32(norder + 1))
		if gp.bubble != nil {
			j = uint32(gp.bubble.random() % uint64(norder+1))
		}
`,
	},
	{
		"which timer of those of one instant", "runtime/time.go",
		"			t.rand = cheaprand()\n",
		"			t.rand = uint32(getg().bubble.random())\n",
	},
	{
		"which goroutine runs next: drawn, as with the race detector, so that histories meet many orders", "runtime/proc.go",
		"	if randomizeScheduler && next && randn(2) == 0 {\n",
		"	if next && gp.bubble != nil && gp.bubble.random()&1 == 0 {\n",
	},
	{
		"no goroutine loses its turn because the machine is slow, unless it may wait for another one's file lock", "runtime/proc.go",
		"		// Drop allpLock so we can take sched.lock.\n		unlock(&allpLock)\n",
		`		if bubbled && pd.schedwhen+1e9 > now {
			continue
		}

		// Drop allpLock so we can take sched.lock.
		unlock(&allpLock)
`,
	},
	{
		"no goroutine loses its turn", "runtime/proc.go",
		"		} else if pd.schedwhen+forcePreemptNS <= now {\n",
		"		} else if pd.schedwhen+forcePreemptNS <= now && (!bubbled || pd.schedwhen+1e9 <= now) {\n",
	},
	{
		"no goroutine loses its turn", "runtime/proc.go",
		"		sysretake := false\n",
		`		sysretake := false
		mp := pp.m.ptr()
		bubbled := gomaxprocs == 1 && mp != nil && mp.curg != nil && mp.curg.bubble != nil
`,
	},
	{
		"a mutex measures how long it is waited for in the bubble's time", "runtime/sema.go",
		"func internal_sync_nanotime() int64 {\n",
		`func internal_sync_nanotime() int64 {
	if bubble := getg().bubble; bubble != nil {
		return bubble.now
	}
`,
	},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: seeded FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the overlay into a folder.
func write(dir string) error {
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	files, err := changed(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err == nil {
		err = os.MkdirAll(dir, 0o750) // #nosec G703 -- named by the caller
	}
	replace := map[string]string{}
	for file, content := range files {
		replace[file] = filepath.Join(dir, filepath.Base(filepath.Dir(file))+"_"+filepath.Base(file))
		if err == nil {
			err = os.WriteFile(replace[file], []byte(content), 0o600)
		}
	}
	overlay, _ := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600) // #nosec G703 -- named by the caller
	}
	return err
}

// changed returns the files of the standard library in src that change, by their paths.
func changed(src string) (map[string]string, error) {
	files := map[string]string{}
	for _, c := range changes {
		path := filepath.Join(src, filepath.FromSlash(c.file))
		content, known := files[path]
		if !known {
			read, err := os.ReadFile(path) // #nosec G304 -- of the standard library
			if err != nil {
				return nil, err
			}
			content = string(read)
		}
		if n := strings.Count(content, c.old); n != 1 {
			return nil, fmt.Errorf("%s has these lines %d times, which are for: %s\n%s", path, n, c.why, c.old)
		}
		files[path] = strings.Replace(content, c.old, c.changed, 1)
	}
	return files, nil
}
