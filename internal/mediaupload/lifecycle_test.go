package mediaupload_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	mib     = 1 << 20
	address = "vodlive_media_upload.file"
)

// media writes a file of pseudo-random bytes and returns its SHA-256.
func media(t *testing.T, path string, size int, seed uint64) string {
	t.Helper()
	content := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = source.Read(content)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return sumOf(content)
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// world is a service, a working folder and one file in it.
type world struct {
	*acctest.CLI
	server *acctest.Server
	path   string
	sum    string
}

func newWorld(t *testing.T, size int) *world {
	t.Helper()
	server := acctest.Start(t, simulator.Options{})
	w := &world{CLI: acctest.NewCLI(t, server), server: server}
	w.path = filepath.Join(w.Dir, "media.mp4")
	w.sum = media(t, w.path, size, 1)
	return w
}

// upload configures the resource with arguments besides source, a line each.
func (w *world) upload(arguments ...string) {
	w.Config(fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = \"media.mp4\"\n  %s\n}\n", strings.Join(arguments, "\n  ")))
}

func (w *world) apply() acctest.Result { return w.Must("apply", "-auto-approve") }

// onlyObject returns the one object that the service must hold.
func onlyObject(t *testing.T, server *acctest.Server) simulator.Object {
	t.Helper()
	objects := server.Objects()
	if len(objects) != 1 {
		t.Fatalf("%d objects at the service, want 1: %+v\n%s", len(objects), objects, server.JournalText())
	}
	return objects[0]
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func contains(t *testing.T, r acctest.Result, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Flat(), part) {
			t.Errorf("the output lacks %q:\n%s", part, r.Output)
		}
	}
}

func TestSingleUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 300_000)
	w.upload()
	w.apply()
	object := onlyObject(t, w.server)
	state := w.State()[address].Values
	want(t, "the object's SHA-256", object.SHA256, w.sum)
	want(t, "its content type", object.ContentType, "video/mp4")
	for name, value := range map[string]any{
		"id": object.KeyPath, "key_path": object.KeyPath, "sha256": w.sum, "size": 300_000, "file_name": "media.mp4",
		"content_type": "video/mp4", "part_count": 0, "etag": object.ETag, "incomplete_upload": nil, "location": nil, "method": "auto",
	} {
		want(t, name, state[name], value)
	}
	w.AssertNoChanges()
	w.server.AssertCalls(t, simulator.CallPresignURL, 1)
	w.server.AssertCalls(t, simulator.CallPutObject, 1)
	noCredentialAtStorage(t, w.server)

	r := w.Must("destroy", "-auto-approve")
	contains(t, r, "The uploaded file stays at the service", object.KeyPath)
	onlyObject(t, w.server)
}

// noCredentialAtStorage fails the test if a request to storage had a credential of either API or a
// cookie, or came without a length.
func noCredentialAtStorage(t *testing.T, server *acctest.Server) {
	t.Helper()
	for _, r := range server.Journal() {
		if r.Call != simulator.CallPutObject && r.Call != simulator.CallPutPart {
			continue
		}
		for _, name := range []string{"Authorization", "Cookie"} {
			if v := r.Header.Get(name); v != "" {
				t.Errorf("%s reached storage", name)
			}
		}
		if r.Header.Get("Content-Length") == "" {
			t.Error("a request to storage has no length")
		}
	}
}

func TestMultipartUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12*mib+5)
	w.upload(`method = "multipart"`, `part_size = 5242880`, `file_name = "promo.bin"`, `content_type = "application/mxf"`)
	w.apply()
	object := onlyObject(t, w.server)
	state := w.State()[address].Values
	want(t, "the object's SHA-256", object.SHA256, w.sum)
	want(t, "its parts", object.Parts, 3)
	want(t, "part_count", state["part_count"], 3)
	want(t, "file name", object.FileName, "promo.bin")
	want(t, "content_type", state["content_type"], "application/mxf")
	want(t, "server_side_encryption", state["server_side_encryption"], "AES256")
	if state["location"] == nil || state["bucket"] == nil || state["uploaded_at"] == nil {
		t.Errorf("state lacks what the service says of a complete upload: %v", state)
	}
	w.AssertNoChanges()
	w.server.AssertCalls(t, simulator.CallMultipartComplete, 1)
	w.server.AssertCalls(t, simulator.CallPutPart, 3)
	noCredentialAtStorage(t, w.server)
}

func TestNewContentIsANewUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	first := onlyObject(t, w.server)
	sum := media(t, w.path, 1001, 2)
	contains(t, w.Must("plan"), "must be replaced", "forces replacement", "1 to add, 0 to change, 1 to destroy")
	w.apply()
	state := w.State()[address].Values
	want(t, "sha256", state["sha256"], sum)
	if state["key_path"] == first.KeyPath || len(w.server.Objects()) != 2 {
		t.Errorf("no new object: %v", w.server.Objects())
	}
	w.AssertNoChanges()
}

func TestWhatChangesNothingAtTheService(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	before := w.State()[address].Values["key_path"]
	calls := len(w.server.Journal())
	if err := os.Rename(w.path, filepath.Join(w.Dir, "renamed.mov")); err != nil {
		t.Fatal(err)
	}
	w.Config(`resource "vodlive_media_upload" "file" {
  source           = "renamed.mov"
  method           = "multipart"
  part_size        = 5242880
  change_detection = "content"
  timeouts         = { create = "1h" }
}`)
	contains(t, w.Must("plan"), "will be updated in-place", "0 to add, 1 to change, 0 to destroy")
	w.apply()
	w.AssertNoChanges()
	state := w.State()[address].Values
	want(t, "key_path", state["key_path"], before)
	want(t, "file_name", state["file_name"], "media.mp4")
	want(t, "source", state["source"], "renamed.mov")
	want(t, "requests", len(w.server.Journal()), calls)
}

func TestNameAndTypeReplace(t *testing.T) {
	t.Parallel()
	for _, argument := range []string{`file_name = "other.mp4"`, `content_type = "video/x-other"`} {
		t.Run(argument, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1000)
			w.upload()
			w.apply()
			w.upload(argument)
			contains(t, w.Must("plan"), "must be replaced", "1 to add, 0 to change, 1 to destroy")
			w.apply()
			want(t, "objects", len(w.server.Objects()), 2)
			w.AssertNoChanges()
		})
	}
}

func TestUploadedFileThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	r := w.Run("plan", "-detailed-exitcode")
	want(t, "exit code of the plan", r.Code, 0)
	contains(t, r, "The uploaded file is not here", "media.mp4 does not exist")

	w.upload(`file_name = "other.mp4"`)
	r = w.Run("plan")
	want(t, "exit code of the plan", r.Code, 1)
	contains(t, r, "media.mp4 does not exist, and `file_name` asks for a new upload")
}

func TestFilesThatCannotBeUploaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	for name, tc := range map[string]struct {
		prepare func(path string) error
		text    string
	}{
		"missing": {func(string) error { return nil }, "does not exist"},
		"folder":  {func(path string) error { return os.Mkdir(path, 0o700) }, "is a folder, not a file"},
		"empty":   {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "is empty"},
	} {
		path := filepath.Join(w.Dir, name+".mp4")
		if err := tc.prepare(path); err != nil {
			t.Fatal(err)
		}
		w.Config(fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = %q\n}\n", name+".mp4"))
		r := w.Run("plan")
		want(t, "exit code", r.Code, 1)
		contains(t, r, name+".mp4 "+tc.text, "with vodlive_media_upload.file")
	}
	w.Config("resource \"vodlive_media_upload\" \"file\" {\n  source = \"/dev/null\"\n}\n")
	contains(t, w.Run("plan"), "is a device, not a file")
	want(t, "requests", len(w.server.Journal()), 0)
}

func TestGivenHashIsProvedWhileSending(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"single", "multipart"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 6*mib)
			w.upload(fmt.Sprintf("method = %q", method), `sha256 = "`+strings.Repeat("ab", 32)+`"`)
			w.Must("plan") // reads no content
			r := w.Run("apply", "-auto-approve")
			want(t, "exit code", r.Code, 1)
			contains(t, r, "has changed")
			want(t, "objects", len(w.server.Objects()), 0)
			w.server.AssertCalls(t, simulator.CallMultipartComplete, 0)

			w.upload(fmt.Sprintf("method = %q", method), `sha256 = "`+strings.ToUpper(w.sum)+`"`)
			w.apply()
			want(t, "the object's SHA-256", onlyObject(t, w.server).SHA256, w.sum)
			w.AssertNoChanges()
			// Taking the argument away changes nothing: the content is the same.
			w.upload(fmt.Sprintf("method = %q", method))
			w.AssertNoChanges()
		})
	}
}

func TestFileChangedAfterASavedPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.Must("plan", "-out=saved.plan")
	media(t, w.path, 1000, 9)
	r := w.Run("apply", "saved.plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "inconsistent final plan")
	want(t, "requests", len(w.server.Journal()), 0)
}

func TestFileThatChangesWhileItIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12*mib)
	w.upload(`method = "multipart"`, `part_size = 5242880`)
	remove := w.server.Hook(simulator.CallMultipartCreate, func(*http.Request) { media(t, w.path, 12*mib, 7) })
	r := w.Run("apply", "-auto-approve")
	remove()
	want(t, "exit code", r.Code, 1)
	contains(t, r, "has changed")
	w.server.AssertCalls(t, simulator.CallMultipartComplete, 0)
	want(t, "objects", len(w.server.Objects()), 0)
}

func TestStatAndContentDetection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	// Other content under the same size and modification time, as cp -p and rsync -a write it.
	info, err := os.Stat(w.path)
	if err != nil {
		t.Fatal(err)
	}
	media(t, w.path, 1000, 5)
	if err := os.Chtimes(w.path, time.Now(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	for _, detection := range []string{"stat", "content"} {
		w.upload(fmt.Sprintf("change_detection = %q", detection))
		contains(t, w.Must("plan"), "must be replaced")
	}
}

func TestSourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	config := func(trigger string) {
		w.Config(fmt.Sprintf(`
resource "terraform_data" "path" {
  input            = "media.mp4"
  triggers_replace = %q
}
resource "vodlive_media_upload" "file" {
  source = terraform_data.path.output
}`, trigger))
	}
	config("1")
	w.apply()
	first := onlyObject(t, w.server)
	want(t, "SHA-256", first.SHA256, w.sum)
	w.AssertNoChanges()

	config("2") // the path is unknown once more; the content is the same
	contains(t, w.Must("plan"), "must be replaced")
	contains(t, w.apply(), "If it is the same, the upload is kept and nothing is sent")
	want(t, "key path", w.State()[address].Values["key_path"], first.KeyPath)
	onlyObject(t, w.server)

	config("3")
	sum := media(t, w.path, 2000, 3)
	w.apply()
	want(t, "SHA-256", w.State()[address].Values["sha256"], sum)
	want(t, "objects", len(w.server.Objects()), 2)
	w.AssertNoChanges()
}

func TestImportAdoptsTheFileAtHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	key := onlyObject(t, w.server).KeyPath
	w.Must("state", "rm", address)
	calls := len(w.server.Journal())

	contains(t, w.Run("import", address, "promo.mp4"), "The import id is not a key path", "vod/input/<customer id>/<upload id>/<file name>")
	w.Must("import", address, key)
	contains(t, w.Must("plan"), "will be updated in-place", "The local file is assumed to be the imported one")
	w.apply()
	w.AssertNoChanges()
	state := w.State()[address].Values
	want(t, "key_path", state["key_path"], key)
	want(t, "sha256", state["sha256"], w.sum)
	want(t, "requests", len(w.server.Journal()), calls)

	media(t, w.path, 1000, 4)
	contains(t, w.Must("plan"), "must be replaced")
}

func TestContentTypeFromTheContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	w.Write("clip", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 100))
	w.Config("resource \"vodlive_media_upload\" \"file\" {\n  source = \"clip\"\n}\n")
	w.apply()
	want(t, "content type", onlyObject(t, w.server).ContentType, "image/png")
	w.AssertNoChanges()
}

func TestProgressIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6*mib)
	w.upload(`method = "multipart"`)
	watch := filepath.Join(t.TempDir(), "progress")
	w.Setenv("VODLIVE_PROGRESS", watch)
	w.apply()
	lines, err := os.ReadFile(watch)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(lines, []byte("media.mp4 100 %, 6.3 of 6.3 MB")) {
		t.Errorf("progress lines: %s", lines)
	}
}

func TestIncompleteProviderConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.Setenv("VODLIVE_ID_TOKEN", "")
	r := w.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "`id_token`, `id_token_file` or `id_token_command`", "needed by vodlive_media_upload")
	want(t, "requests", len(w.server.Journal()), 0)
}

func TestExpiredTokenIsFoundByThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	// {"alg":"none"} . {"exp":1700000000} . no signature
	w.Setenv("VODLIVE_ID_TOKEN", "eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.c2ln")
	r := w.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "VODLIVE_ID_TOKEN", "expired at 2023-11-14T22:13:20Z")
}

func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	for argument, texts := range map[string][]string{
		`file_name = "a/b.mp4"`:          {`"a/b.mp4", which holds a slash`},
		`file_name = " "`:                {"is blank"},
		`file_name = ".."`:               {"names a folder"},
		`content_type = "mp4"`:           {`"mp4", which is not a media type`, "video/mp4"},
		`sha256 = "abc"`:                 {"must be 64 hexadecimal digits"},
		`method = "parallel"`:            {`"auto"`, `"single"`, `"multipart"`},
		`part_size = 5242879`:            {"between 5242880 and"},
		`change_detection = "mtime"`:     {`"stat"`, `"content"`},
		`timeouts = { create = "soon" }`: {"Invalid timeouts.create", `"soon" was given`},
		`timeouts = { create = "0s" }`:   {"Invalid timeouts.create", `"0s" was given; it must be a duration longer than 0`},
	} {
		w.upload(argument)
		r := w.Run("validate")
		want(t, argument+": exit code", r.Code, 1)
		contains(t, r, texts...)
	}
	want(t, "requests", len(w.server.Journal()), 0)
}

func TestTokenThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	token := w.Env("VODLIVE_ID_TOKEN")
	w.Setenv("VODLIVE_ID_TOKEN", "")
	// The token comes from another resource: unknown while planning, used when applying.
	w.Config(fmt.Sprintf(`
resource "terraform_data" "token" {
  input = %q
}
provider "vodlive" {
  id_token = terraform_data.token.output
}
resource "vodlive_media_upload" "file" {
  source = "media.mp4"
}`, token))
	w.apply()
	want(t, "SHA-256", onlyObject(t, w.server).SHA256, w.sum)
	w.AssertNoChanges()
}

// TestArgumentsThatAreKnownOnlyAtApply changes a name or a type that comes from another resource.
func TestArgumentsThatAreKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for argument, values := range map[string][2]string{
		"content_type": {"video/mp4", "video/x-other"},
		"file_name":    {"a.mp4", "b.webm"},
	} {
		t.Run(argument, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1000)
			config := func(value, method, trigger string) {
				w.Config(fmt.Sprintf(`
resource "terraform_data" "value" {
  input            = %q
  triggers_replace = %q
}
resource "vodlive_media_upload" "file" {
  source = "media.mp4"
  method = %q
  %s = terraform_data.value.output
}`, value, trigger, method, argument))
			}
			config(values[0], "auto", "1")
			w.apply()
			want(t, argument, w.State()[address].Values[argument], values[0])
			w.AssertNoChanges()

			config(values[0], "single", "2") // not known while planning, and the same in the end
			w.apply()
			onlyObject(t, w.server)
			w.AssertNoChanges()

			config(values[1], "auto", "2")
			w.apply()
			want(t, argument, w.State()[address].Values[argument], values[1])
			want(t, "objects", len(w.server.Objects()), 2)
			w.AssertNoChanges()
		})
	}
}

// TestUpdateVouchesForNothing changes an argument in place while the file holds other content than sha256 says.
func TestUpdateVouchesForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload(`sha256 = "` + w.sum + `"`)
	w.apply()
	media(t, w.path, 1000, 8)
	w.upload(`sha256 = "`+w.sum+`"`, `part_size = 6291456`)
	w.apply()
	w.upload(`part_size = 6291456`)
	contains(t, w.Must("plan"), "must be replaced")
}

func TestPartSizeThatDoesNotFitIsFoundByThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	// A file of 50 GiB without content: its hash is given, so the plan does not read it.
	if err := os.Truncate(w.path, 50<<30); err != nil {
		t.Fatal(err)
	}
	w.upload(`part_size = 5242880`, `sha256 = "`+strings.Repeat("ab", 32)+`"`)
	r := w.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "are 10240 parts of 5242880 bytes: storage takes 10000 at most")
}

// TestRewrittenFileIsReadAgain plans a large file that was rewritten under its size and modification time.
func TestRewrittenFileIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5*mib)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(w.path, old, old); err != nil {
		t.Fatal(err)
	}
	w.upload()
	contains(t, w.Must("plan"), w.sum) // remembered on this machine
	sum := media(t, w.path, 5*mib, 6)
	if err := os.Chtimes(w.path, old, old); err != nil {
		t.Fatal(err)
	}
	w.apply()
	want(t, "SHA-256", onlyObject(t, w.server).SHA256, sum)
}
