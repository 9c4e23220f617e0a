package acctest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestUploadMachine plays random life cycles of uploads and a folder: one state, which two machines
// with the same files use in turn.
func TestUploadMachine(t *testing.T) {
	t.Parallel()
	check(t, 24, func(drawn *rapid.T) {
		service := rapid.SampledFrom(storages).Draw(drawn, "storage")
		blocks := rapid.SliceOfN(rapid.Custom(drawUploadBlock), 3, 3).Draw(drawn, "blocks")
		steps := rapid.SliceOfN(rapid.Custom(drawUploadStep), 2, 10).Draw(drawn, "steps")
		playInBubble(t, drawn, func(tb testing.TB) {
			tb.Helper()
			m := newUploadMachine(tb, service)
			for i, b := range blocks {
				m.step(uploadStep{Do: "configure", On: mediaAddresses[i], Block: b})
			}
			for _, s := range steps {
				m.step(s)
			}
			m.settle()
		})
	})
}

// storages are services whose storage proves every part, by its ETag or by a checksum. A part that
// nothing proves is sent again.
var storages = []simulator.Options{{}, {PartChecksum: "crc64nvme"}, {PartChecksum: "crc64nvme", Encryption: "aws:kms"}}

const (
	partSize     = 5 << 20
	recordedSize = 4 << 20 // smaller files have no record
)

// mediaFile is a file of the life cycles. Each has a stored name of its own.
type mediaFile struct {
	path    string
	size    int
	address string // the resource that uploads it
}

var mediaFiles = map[string]mediaFile{ // by stored name
	"long.mp4":     {"long.mp4", partSize + 40<<10, "long"}, // in two parts
	"clip.mp4":     {"clip.mp4", recordedSize + 1<<10, "clip"},
	"reel.mp4":     {"media/reel.mp4", recordedSize + 2<<10, "media"},
	"small.mp4":    {"media/small.mp4", 1 << 10, "media"},
	"sub_deep.mp4": {"media/sub/deep.mp4", 2 << 10, "media"},
}

// renamed is the stored name of clip.mp4 while the configuration renames it.
const renamed = "renamed.mp4"

var (
	mediaNames     = slices.Sorted(maps.Keys(mediaFiles))
	mediaAddresses = []string{"long", "clip", "media"}
)

// mediaBytes is what the contents of all files are made of.
var mediaBytes = sync.OnceValue(func() []byte {
	content := make([]byte, partSize+40<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	return content
})

// contentOf is a version of a file. Every part of it differs from that of other versions.
func contentOf(name string, version int) []byte {
	content := slices.Clone(mediaBytes()[:mediaFiles[name].size])
	content[0], content[len(content)-1] = byte(version), byte(version)
	copy(content[1:], name)
	return content
}

// sumOf is the SHA-256 of a version of a file.
func sumOf(name string, version int) string {
	key := fmt.Sprint(name, version)
	if sum, known := mediaSums.Load(key); known {
		return sum.(string)
	}
	sum := sha256.Sum256(contentOf(name, version))
	text := hex.EncodeToString(sum[:])
	mediaSums.Store(key, text)
	return text
}

var mediaSums sync.Map

// uploadStep is a step of a life cycle of uploads.
type uploadStep struct {
	Do      string // "configure", "run", "write", "remove", "machine", "lose records", "customer", "drop", "taint", "untaint" or "state rm"
	On      string // address
	File    string // stored name
	Version int
	Block   uploadBlock
	Run     ways
	Late    bool   // of a run: triggers that only the apply knows
	Changes string // of a run: the file that changes between plan and apply; "": none
}

// uploadBlock is what is drawn of a resource.
type uploadBlock struct {
	Gone        bool
	Hashed      bool // with `sha256`, as filesha256() gives it
	Renamed     bool // with another file_name
	CreateFirst bool
}

func drawUploadStep(t *rapid.T) uploadStep {
	verbs := []string{
		"run", "run", "run", "run", "run", "configure", "configure", "write", "write",
		"remove", "machine", "lose records", "customer", "drop", "taint", "untaint", "state rm",
	}
	rarely := rapid.SampledFrom([]bool{false, false, false, true})
	s := uploadStep{
		Do:      rapid.SampledFrom(verbs).Draw(t, "do"),
		On:      rapid.SampledFrom(mediaAddresses).Draw(t, "on"),
		File:    rapid.SampledFrom(mediaNames).Draw(t, "file"),
		Version: rapid.IntRange(1, 3).Draw(t, "version"),
	}
	switch s.Do {
	case "configure":
		s.Block = drawUploadBlock(t)
	case "run":
		s.Run = drawUploadRun(t)
		s.Late = rarely.Draw(t, "late")
		if rarely.Draw(t, "changes") {
			s.Changes = s.File
		}
	}
	return s
}

func drawUploadBlock(t *rapid.T) uploadBlock {
	rarely := rapid.SampledFrom([]bool{false, false, false, true})
	return uploadBlock{
		Gone: rarely.Draw(t, "gone"), Hashed: rarely.Draw(t, "hashed"), Renamed: rarely.Draw(t, "renamed"), CreateFirst: rarely.Draw(t, "create first"),
	}
}

func drawUploadRun(t *rapid.T) ways {
	calls := []string{
		simulator.CallPresignURL, simulator.CallPutObject, simulator.CallMultipartCreate,
		simulator.CallMultipartURL, simulator.CallPutPart, simulator.CallPutPart, simulator.CallMultipartComplete,
	}
	return ways{
		Only:    rapid.SampledFrom([]string{"", "", "", "", "plan", "refresh"}).Draw(t, "only"),
		Replace: rapid.SampledFrom([]string{"", "", "", "long", "clip", "media"}).Draw(t, "replace"),
		Death:   rapid.SampledFrom(deaths).Draw(t, "death"),
		At:      rapid.IntRange(1, 12).Draw(t, "at"),
		Faults: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fault {
			return fault{
				Call:  rapid.SampledFrom(calls).Draw(t, "call"),
				What:  rapid.SampledFrom([]string{"break before", "break after", "cut", "400", "403", "429", "500", "504 after", "NoSuchUpload", "stall"}).Draw(t, "what"),
				After: rapid.IntRange(0, 2).Draw(t, "after"),
				Times: rapid.IntRange(0, 4).Draw(t, "times"),
			}
		}), 0, 2).Draw(t, "faults"),
	}
}

// uploadMachine plays a life cycle of uploads.
type uploadMachine struct {
	*user

	folder   string
	machines [2]string
	drawn    map[string]uploadBlock // by address
	versions map[string]int         // of the files that are there, by stored name
	triggers int
	customer string
	doubted  bool // an upload was taken as complete

	mu   sync.Mutex
	puts map[string]int // PUTs of the run to storage, by stored name
}

func newUploadMachine(tb testing.TB, service simulator.Options) *uploadMachine {
	tb.Helper()
	w := acctest.NewWorld(tb, service)
	w.Quiet = true
	m := &uploadMachine{
		user: newUser(tb, w, "user", acctest.Attrs{"max_retries": 1}), folder: tb.TempDir(),
		drawn: map[string]uploadBlock{}, versions: map[string]int{}, customer: simulator.DefaultCustomerID,
	}
	m.machines = [2]string{m.machine, tb.TempDir()}
	for _, name := range mediaNames {
		m.write(name, 1)
	}
	for _, call := range []string{simulator.CallPutObject, simulator.CallPutPart} {
		w.Hook(call, func(r *http.Request) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.puts[path.Base(r.URL.Path)]++
		})
	}
	return m
}

// write writes a version of a file. The clock goes on far enough for its stamp to be remembered.
func (m *uploadMachine) write(name string, version int) {
	file := filepath.Join(m.folder, filepath.FromSlash(mediaFiles[name].path))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		m.tb.Fatal(err)
	}
	if err := os.WriteFile(file, contentOf(name, version), 0o600); err != nil {
		m.tb.Fatal(err)
	}
	if err := os.Chtimes(file, time.Now(), time.Now()); err != nil {
		m.tb.Fatal(err)
	}
	m.versions[name] = version
	<-time.After(5 * time.Second)
}

func (m *uploadMachine) step(s uploadStep) {
	o, exists := m.state[s.On]
	switch s.Do {
	case "configure":
		m.tb.Logf("configures %s: %+v", s.On, s.Block)
		if m.drawn[s.On] = s.Block; s.Block.Gone {
			delete(m.drawn, s.On)
		}
	case "run":
		m.run(s)
	case "write":
		m.tb.Logf("writes version %d of %s", s.Version, s.File)
		m.write(s.File, s.Version)
	case "remove":
		m.tb.Logf("removes %s", s.File)
		_ = os.Remove(filepath.Join(m.folder, filepath.FromSlash(mediaFiles[s.File].path)))
		delete(m.versions, s.File)
	case "machine":
		m.machine = m.machines[s.Version%2]
		m.tb.Logf("goes on with machine %d", s.Version%2)
	case "lose records":
		m.tb.Logf("loses what the machine keeps")
		if err := os.RemoveAll(m.machine); err != nil {
			m.tb.Fatal(err)
		}
	case "customer":
		m.customer = fmt.Sprint("customer-", s.Version)
		m.tb.Logf("becomes %s", m.customer)
		m.SetCustomerID(m.customer)
	case "drop":
		m.tb.Logf("the service drops all uploads")
		for _, u := range m.Uploads() {
			m.DropUpload(u.UploadID)
		}
	case "taint", "untaint":
		if exists && o.Exists() {
			m.tb.Logf("%ss %s", s.Do, s.On)
			o.Tainted = s.Do == "taint"
			m.state[s.On] = o
		}
	case "state rm":
		m.tb.Logf("removes %s from the state", s.On)
		delete(m.state, s.On)
	}
}

// configure makes the configuration of a run. A late one has triggers that only the apply knows.
func (m *uploadMachine) configure(late bool) {
	clear(m.blocks)
	for address, b := range m.drawn {
		args := acctest.Attrs{"triggers": acctest.Attrs{"made": fmt.Sprint(m.triggers)}}
		typ, name := "vodlive_media_upload", address+".mp4"
		if address == "media" {
			typ, args["source_dir"] = "vodlive_media_folder", filepath.Join(m.folder, "media")
		} else {
			args["source"] = filepath.Join(m.folder, name)
			if b.Hashed && m.versions[name] > 0 {
				args["sha256"] = sumOf(name, m.versions[name])
			}
		}
		if address == "long" {
			args["method"], args["part_size"] = "multipart", partSize
		}
		if address == "clip" && b.Renamed {
			args["file_name"] = renamed
		}
		made := block{typ: typ, args: args, createFirst: b.CreateFirst}
		if late {
			made.late = []string{"triggers"}
		}
		m.blocks[address] = made
	}
}

// storedNames are the names under which a file may be stored: a name that leaves the configuration
// stays.
func storedNames(name string) []string {
	if name == "clip.mp4" {
		return []string{name, renamed}
	}
	return []string{name}
}

// run runs Terraform and checks what holds after every run.
func (m *uploadMachine) run(s uploadStep) *run {
	if s.Late {
		m.triggers = s.Version
	}
	m.configure(s.Late)
	m.tb.Logf("late: %t", s.Late)
	m.puts = map[string]int{}
	m.ResetJournal()
	before := map[string]bool{}
	for _, o := range m.Objects() {
		before[o.KeyPath] = true
	}
	known := m.knownBefore()
	planned := m.plannedSums()
	m.between = func(r *run) {
		if s.Changes != "" {
			m.tb.Logf("writes version %d of %s between plan and apply", s.Version, s.Changes)
			m.write(s.Changes, s.Version)
		}
		for name, sum := range m.plannedSums() {
			address := strings.TrimSuffix(strings.Replace(name, renamed, "clip.mp4", 1), ".mp4")
			pl := r.plans[address] // nil for a file of the folder
			if s.Late || pl != nil && pl.Attrs()["sha256"] == acctest.Unknown {
				planned[name] = sum
			}
		}
	}
	r := m.terraform(s.Run)
	m.doubted = m.doubted || strings.Contains(r.text(), "taken as complete")
	for _, o := range m.Objects() {
		if !before[o.KeyPath] && planned[o.FileName] != o.SHA256 {
			m.tb.Errorf("object %s has a content that was not planned", o.KeyPath)
		}
	}
	m.checkState()
	m.checkSentAgain(r, known)
	m.checkMissing(r)
	return r
}

// plannedSums are the sums of the files as they are now, by stored name.
func (m *uploadMachine) plannedSums() map[string]string {
	sums := map[string]string{}
	for name, version := range m.versions {
		for _, stored := range storedNames(name) {
			sums[stored] = sumOf(name, version)
		}
	}
	return sums
}

// keyPaths are the SHA-256 of all stored files of a state, by key path.
func (m *uploadMachine) keyPaths(o acctest.Instance) map[string]string {
	sums := map[string]string{}
	for _, object := range objects(o) {
		for _, f := range stateFiles(object) {
			sums[f.KeyPath] = f.SHA256
		}
	}
	return sums
}

// stateFile is a stored file of a state.
type stateFile struct {
	KeyPath string `json:"key_path"`
	SHA256  string `json:"sha256"`
}

// stateFiles are the stored files of an object by stored name.
func stateFiles(o acctest.Instance) map[string]stateFile {
	files := map[string]stateFile{}
	if o.Type == "vodlive_media_folder" {
		byPath := map[string]stateFile{}
		if manifest := o.Text("manifest"); manifest != "" {
			if err := json.Unmarshal([]byte(manifest), &byPath); err != nil {
				panic(err)
			}
		}
		for _, f := range byPath {
			files[path.Base(f.KeyPath)] = f
		}
	} else if keyPath := o.Text("key_path"); keyPath != "" {
		files[path.Base(keyPath)] = stateFile{keyPath, o.Text("sha256")}
	}
	return files
}

// checkState: every key path of the state is an object with the content that the state says.
func (m *uploadMachine) checkState() {
	stored := map[string]string{}
	for _, o := range m.Objects() {
		stored[o.KeyPath] = o.SHA256
	}
	for address, o := range m.state {
		for keyPath, sum := range m.keyPaths(o) {
			isDoubted := m.doubted && stored[keyPath] == ""
			if stored[keyPath] != sum && !isDoubted {
				m.tb.Errorf("%s has key path %s with SHA-256 %s, and the service has %q", address, keyPath, sum, stored[keyPath])
			}
		}
	}
}

// knownUpload is what a state or a record knows of the upload of a file.
type knownUpload struct {
	sum, keyPath string
	parts        int // stored
	complete     bool
}

// record is a record as the machine keeps it.
type record struct {
	Key struct {
		SHA256   string `json:"sha256"`
		FileName string `json:"file_name"`
	} `json:"key"`
	KeyPath string            `json:"key_path"`
	Parts   []json.RawMessage `json:"parts"`
	Stored  *struct{}         `json:"stored"`
}

// knownBefore is what the state and the records know before a run, by stored name and SHA-256. A
// record wins, because only records are read.
func (m *uploadMachine) knownBefore() map[[2]string]knownUpload {
	known := map[[2]string]knownUpload{}
	for _, o := range m.state {
		if !o.Exists() {
			continue
		}
		if left, ok := o.Attrs()["incomplete_upload"].(acctest.Attrs); ok {
			name, _ := left["file_name"].(string)
			sum, _ := left["sha256"].(string)
			keyPath, _ := left["key_path"].(string)
			parts, _ := left["stored_parts"].(int)
			known[[2]string{name, sum}] = knownUpload{sum: sum, keyPath: keyPath, parts: parts}
		}
	}
	for _, r := range m.records() {
		known[[2]string{r.Key.FileName, r.Key.SHA256}] = knownUpload{
			sum: r.Key.SHA256, keyPath: r.KeyPath, parts: len(r.Parts), complete: r.Stored != nil,
		}
	}
	return known
}

func (m *uploadMachine) records() (records []record) {
	names, _ := filepath.Glob(filepath.Join(m.machine, "*", "upload-*.json"))
	for _, name := range names {
		content, err := os.ReadFile(name)
		var r record
		if err == nil && json.Unmarshal(content, &r) == nil {
			records = append(records, r)
		}
	}
	return records
}

// checkSentAgain: a run in which no request fails sends nothing that the state or a record has
// stored, unless a text says that an upload began anew.
func (m *uploadMachine) checkSentAgain(r *run, known map[[2]string]knownUpload) {
	if len(r.Faults) > 0 || strings.Contains(r.text(), "could not be continued") {
		return
	}
	for name, f := range mediaFiles {
		pl := r.plans[f.address]
		if pl == nil || m.versions[name] == 0 {
			continue
		}
		stored, sum := name, sumOf(name, m.versions[name])
		if planned, isText := pl.Attrs()["file_name"].(string); isText {
			stored = planned
		}
		isReplaced := pl.Action == acctest.Replace || pl.Action == acctest.Create
		has, isStored := stateFiles(pl.Prior)[stored]
		if isStored && has.SHA256 == sum && !isReplaced && m.puts[stored] > 0 {
			m.tb.Errorf("%s is sent again: the state of %s has it", stored, f.address)
		}
		k, isKnown := known[[2]string{stored, sum}]
		isOurs := strings.Contains(k.keyPath, "/"+m.customer+"/")
		if !isKnown || !isOurs || isStored && has.KeyPath == k.keyPath {
			continue
		}
		if rest := 2 - k.parts; k.complete && m.puts[stored] > 0 || name == "long.mp4" && !k.complete && m.puts[stored] > rest {
			m.tb.Errorf("%s is sent again, in %d PUTs: %+v\n%s", stored, m.puts[stored], k, m.JournalText())
		}
	}
}

// checkMissing: what a run has stored, and has been told so, is in the state, in a record or in a
// text. A change that fails leaves in the state what was stored before.
func (m *uploadMachine) checkMissing(r *run) {
	if r.Death != "" {
		return
	}
	has := map[string]bool{}
	for _, o := range m.state {
		for keyPath := range m.keyPaths(o) {
			has[keyPath] = true
		}
	}
	for _, rec := range m.records() {
		has[rec.KeyPath] = true
	}
	for _, o := range m.Objects() {
		if m.wasConfirmed(o.KeyPath) && !has[o.KeyPath] && !strings.Contains(r.text(), o.KeyPath) {
			m.tb.Errorf("%s was stored, and is in no state, record or text", o.KeyPath)
		}
	}
	for address, o := range r.before {
		pl := r.plans[address]
		if pl == nil || pl.Action != acctest.Update || len(r.errors(address)) == 0 {
			continue
		}
		for keyPath := range m.keyPaths(o) {
			if !has[keyPath] && m.fileOf(keyPath) && !strings.Contains(r.text(), keyPath) {
				m.tb.Errorf("a change of %s fails, and %s leaves the state", address, keyPath)
			}
		}
	}
}

// fileOf reports whether the file of a key path is there, with the stored content.
func (m *uploadMachine) fileOf(keyPath string) bool {
	return slices.ContainsFunc(m.Objects(), func(o simulator.Object) bool {
		return o.KeyPath == keyPath && m.plannedSums()[o.FileName] == o.SHA256
	})
}

// wasConfirmed reports whether the run was told last that an object is stored. A PUT that proved
// nothing is repeated.
func (m *uploadMachine) wasConfirmed(keyPath string) (confirmed bool) {
	for _, r := range m.Journal() {
		isPut := r.Call == simulator.CallPutObject && strings.HasSuffix(r.Path, keyPath)
		isComplete := r.Call == simulator.CallMultipartComplete && strings.Contains(string(r.Body), keyPath)
		if isPut || isComplete {
			confirmed = r.Status == http.StatusOK && !r.Failed
		}
	}
	return confirmed
}

// settle ends all trouble and applies until the plan is empty.
func (m *uploadMachine) settle() {
	m.tb.Logf("trouble ends")
	for _, name := range mediaNames {
		if m.versions[name] == 0 {
			m.write(name, 1)
		}
	}
	const applies = 3
	for round := 0; ; round++ {
		r := m.run(uploadStep{Run: ways{Only: "plan"}})
		if r.isEmpty() {
			break
		}
		if round == applies {
			m.tb.Fatalf("after %d applies, the plan is not empty: %s", applies, r.text())
		}
		m.run(uploadStep{})
	}
	for name, f := range mediaFiles {
		if _, configured := m.drawn[f.address]; !configured {
			continue
		}
		has := stateFiles(m.state[f.address])
		if !slices.ContainsFunc(storedNames(name), func(stored string) bool { return has[stored].SHA256 == sumOf(name, m.versions[name]) }) {
			m.tb.Errorf("the plan is empty, and %s has %+v for %s", f.address, has, name)
		}
	}
}
