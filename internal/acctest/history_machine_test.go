package acctest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// machine has files and a resume_dir.
type machine struct {
	files, records string

	mu       sync.Mutex     // of files that an apply makes, and so of versions
	versions map[string]int // of each file; 0: there is none
	seen     map[string]seen
	own      map[string]string
	dated    map[string]time.Time // files of resume_dir
	disk     *faultyDisk
}

// seen is a file as it was when its content was compared with a version.
type seen struct {
	version int
	info    os.FileInfo
}

func newMachine(files, records string) *machine {
	m := &machine{files: files, records: records, versions: map[string]int{}, seen: map[string]seen{}, own: map[string]string{}, dated: map[string]time.Time{}, disk: newDisk(files, records)}
	for account, token := range []string{firstToken, otherToken} {
		if err := os.WriteFile(m.token(account), []byte(token+"\n"), 0o600); err != nil {
			panic(err)
		}
	}
	m.write("small.mp4", 1) // the other one is written when it is configured
	return m
}

// token is the path of the file that has the identity token of an account.
func (m *machine) token(account int) string {
	return filepath.Join(m.files, fmt.Sprint(tokenFile, account))
}

// initialized is the data folder of a machine after `terraform init` with a backend.
func (m *machine) initialized(backend string) string {
	folder := filepath.Join(m.files, ".terraform-"+backend)
	_ = os.MkdirAll(folder, 0o700)
	content := fmt.Sprintf(`{"version":3,"backend":{"type":"local","config":{"path":%q},"hash":1}}`, backend+".tfstate")
	if err := os.WriteFile(filepath.Join(folder, "terraform.tfstate"), []byte(content), 0o600); err != nil {
		panic(err)
	}
	return folder
}

func (m *machine) write(name string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
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
	_ = os.Chtimes(path, time.Now(), time.Now())
}

// sum is what filesha256() gives. That of a missing file is that of no content, where Terraform
// would fail.
func (m *machine) sum(name string) string {
	version := []byte{'0'}
	if file, err := os.Open(filepath.Join(m.files, name)); err == nil {
		defer file.Close()
		_, _ = file.ReadAt(version, versionAt) // fails for a file that is being written
	}
	return sums()[name][version[0]-'0']
}

// planned is the sum of the version that a file should have.
func (m *machine) planned(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sums()[name][m.versions[name]]
}

// intact tells whether a file is as the user left it. A file that has not changed since the last
// time is not read again.
func (m *machine) intact(name string) bool {
	path, n := filepath.Join(m.files, name), m.versions[name]
	if away := filepath.Join(m.files, mediaDir+".away"); exists(away) && strings.HasPrefix(name, mediaDir+"/") {
		path = filepath.Join(away, strings.TrimPrefix(name, mediaDir+"/"))
	}
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

// swap renames another file over a file. It has the modification time of the old one if keep is
// set.
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
	if folder := filepath.Join(m.files, mediaDir); exists(folder + ".away") {
		_ = os.RemoveAll(folder) // files that were written meanwhile
		_ = os.Rename(folder+".away", folder)
	}
	for name := range m.versions {
		path := filepath.Join(m.files, name)
		if exists(path + ".away") {
			_ = os.Rename(path+".away", path)
		}
	}
	for _, address := range slices.Sorted(maps.Keys(kinds)) {
		for _, name := range filesOf(address) {
			if needed(address) && m.versions[name] == 0 && !slices.Contains(kinds[address].needs, "file.one") {
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

// date gives what the provider has written into resume_dir the time of the bubble: after the step
// "wait", the system's own would be more than a year ago.
func (m *machine) date() {
	m.mu.Lock()
	defer m.mu.Unlock()
	names, _ := filepath.Glob(filepath.Join(m.records, "terraform-provider-vodlive", "*"))
	for _, name := range names {
		info, err := os.Lstat(name)
		if _, users := m.own[name]; users || err != nil || info.ModTime().Equal(m.dated[name]) {
			continue
		}
		now := time.Now()
		if os.Chtimes(name, now, now) == nil {
			m.dated[name] = now
		}
	}
}

// uploadRecords are the records of unfinished uploads.
func (m *machine) uploadRecords() []string {
	records, _ := filepath.Glob(filepath.Join(m.records, "terraform-provider-vodlive", "upload-"+strings.Repeat("?", 32)+"-*.json"))
	return records
}

// changeRecords does to resume_dir what a user may do.
func (m *machine) changeRecords(n int) {
	own, records := filepath.Join(m.records, "terraform-provider-vodlive"), m.uploadRecords()
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
	case 4:
		m.jump(2)
	case 5:
		m.jump(-2)
	}
}

var otherMD5 = regexp.MustCompile(`"md5":"[0-9a-f]{32}"`)
