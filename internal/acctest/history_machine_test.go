package acctest

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// machine has files and a resume_dir.
type machine struct {
	files, records string

	versions map[string]int // of each file; 0: there is none
	seen     map[string]seen
	own      map[string]string
	saved    map[string][]byte // of records, when a provider was killed
}

// seen is a file as it was when its content was compared with a version.
type seen struct {
	version int
	info    os.FileInfo
}

func newMachine(files, records string) *machine {
	m := &machine{files: files, records: records, versions: map[string]int{}, seen: map[string]seen{}, own: map[string]string{}}
	m.write("small.mp4", 1) // the other one is written when it is configured
	return m
}

func (m *machine) write(name string, n int) {
	m.versions[name] = n
	path := filepath.Join(m.files, name)
	_ = os.Remove(path + ".away")
	if n == 0 {
		_ = os.Remove(path)
		return
	}
	_ = os.MkdirAll(filepath.Dir(path), 0o700)
	if err := os.WriteFile(path, content(name, n), 0o600); err != nil {
		panic(err)
	}
	m.touch(name)
}

// sum is what filesha256() gives. That of a missing file is that of no content, where Terraform would
// fail.
func (m *machine) sum(name string) string {
	version := []byte{0}
	if file, err := os.Open(filepath.Join(m.files, name)); err == nil {
		defer file.Close()
		_, _ = file.ReadAt(version, versionAt) // fails for a file that is being written
	}
	return sums()[name][version[0]]
}

// intact tells whether a file is as the user left it. A file that has not changed since the last time
// is not read again.
func (m *machine) intact(name string) bool {
	path, n := filepath.Join(m.files, name), m.versions[name]
	if exists(path + ".away") {
		path += ".away"
	}
	if n == 0 {
		return !exists(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	was, known := m.seen[name]
	if known && was.version == n && os.SameFile(was.info, info) && was.info.Size() == info.Size() && was.info.ModTime().Equal(info.ModTime()) {
		return true
	}
	got, err := os.ReadFile(path)
	m.seen[name] = seen{n, info}
	return err == nil && bytes.Equal(got, content(name, n))
}

// swap renames another file over a file. It has the modification time of the old one if keep is set.
func (m *machine) swap(name string, n int, keep bool) {
	path := filepath.Join(m.files, name)
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	at := time.Now()
	if keep {
		at = info.ModTime()
	}
	if err := errors.Join(os.WriteFile(path+".new", content(name, n), 0o600), os.Chtimes(path+".new", at, at), os.Rename(path+".new", path)); err != nil {
		panic(err)
	}
	m.versions[name] = n
}

// back undoes renames, and writes what a configuration needs.
func (m *machine) back(needed func(address string) bool) {
	for name := range m.versions {
		path := filepath.Join(m.files, name)
		if exists(path + ".away") {
			_ = os.Rename(path+".away", path)
		}
	}
	for _, address := range slices.Sorted(maps.Keys(kinds)) {
		for _, name := range filesOf(address) {
			if needed(address) && m.versions[name] == 0 {
				m.write(name, 1)
			}
		}
	}
}

func (m *machine) touch(name string) {
	if m.versions[name] > 0 {
		_ = os.Chtimes(filepath.Join(m.files, name), time.Now(), time.Now())
	}
}

// snapshot keeps the records as they are now.
func (m *machine) snapshot() {
	m.saved = map[string][]byte{}
	_ = filepath.WalkDir(m.records, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			m.saved[path], _ = os.ReadFile(path)
		}
		return nil
	})
}

// restore undoes what a killed provider has done to its records after it was killed.
func (m *machine) restore() {
	if m.saved == nil {
		return
	}
	_ = filepath.WalkDir(m.records, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && m.saved[path] == nil {
			_ = os.Remove(path)
		}
		return nil
	})
	for path, content := range m.saved {
		_ = os.WriteFile(path, content, 0o600)
	}
	m.saved = nil
}

// changeRecords does to resume_dir what a user may do.
func (m *machine) changeRecords(n int) {
	own := filepath.Join(m.records, "terraform-provider-vodlive")
	records, _ := filepath.Glob(filepath.Join(own, "upload-"+strings.Repeat("?", 32)+".json"))
	switch n {
	case 0:
		_ = os.RemoveAll(own)
		m.own = map[string]string{}
	case 1: // of a power cut
		for _, path := range records {
			content, _ := os.ReadFile(path)
			_ = os.WriteFile(path, content[:len(content)/2], 0o600)
		}
	case 2: // foreign content
		for _, path := range records {
			content, _ := os.ReadFile(path)
			_ = os.WriteFile(path, []byte(otherMD5.ReplaceAllString(string(content), `"md5":"00112233445566778899aabbccddeeff"`)), 0o600)
		}
	case 3: // files of the user, in both folders
		_ = os.MkdirAll(own, 0o700)
		for _, name := range []string{"notes.txt", "upload-notes.json", "upload.json.lock", "upload-0123.json", "hash-x.tmp"} {
			for _, dir := range []string{m.records, own} {
				path := filepath.Join(dir, name)
				_ = os.WriteFile(path, []byte("mine: "+name), 0o600)
				_ = os.Chtimes(path, time.Now().AddDate(-1, 0, 0), time.Now().AddDate(-1, 0, 0))
				m.own[path] = "mine: " + name
			}
		}
	}
}

var otherMD5 = regexp.MustCompile(`"md5":"[0-9a-f]{32}"`)

// place is a workspace: a state and a configuration, on a machine.
type place struct {
	name     string
	machine  *machine
	account  int
	variants map[string]int
	cbd      map[string]bool
	state    map[string]Instance
	serial   int
	saved    *changes
	advice   map[string]string // what was last said about an address
	adopted  Attrs             // files of folder.one that the user has found to be stored
}

// configure gives an address a variant, and its files a first version.
func (pl *place) configure(address string, n int) {
	pl.variants[address] = n
	for _, name := range filesOf(address) {
		if _, written := pl.machine.versions[name]; !written {
			pl.machine.write(name, 1)
		}
	}
}

// configured are the addresses in the configuration.
func (pl *place) configured() map[string]bool {
	all := map[string]bool{}
	for address := range pl.variants {
		if pl.variant(address) > 0 {
			all[address] = true
		}
	}
	return all
}

// variant is that of an address. A job and a text need their file, and a wait its sessions.
func (pl *place) variant(address string) int {
	switch {
	case slices.Contains(kinds[address].needs, "upload.small"):
		if pl.variants["upload.small"] == 0 {
			return 0
		}
	case kinds[address].typ == statusType:
		if pl.variants["session.a"]+pl.variants["session.b"] == 0 {
			return 0
		}
	}
	return pl.variants[address]
}

func (pl *place) configOf(address string, value func(address, attribute string) any) Attrs {
	n := pl.variant(address)
	if n == 0 {
		return nil
	}
	variants := kinds[address].variants
	config := variants[(n-1)%len(variants)](pl.machine, func(other, attribute string) any {
		if pl.variant(other) == 0 {
			return nil
		}
		return value(other, attribute)
	})
	if address == "folder.one" && len(pl.adopted) > 0 {
		config["adopt"] = pl.adopted
	}
	return config
}

// createBeforeDestroy holds for an address if it is set for it, or for what needs it.
func (pl *place) createBeforeDestroy(address string) bool {
	for other, k := range kinds {
		if slices.Contains(k.needs, address) && pl.createBeforeDestroy(other) {
			return true
		}
	}
	return pl.cbd[address]
}
