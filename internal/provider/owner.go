package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// located are the variables that say where a backend keeps the state, in place of an argument that
// `terraform init` notes. What changes from run to run, such as a credential, is not among them.
var located = []string{
	"TF_HTTP_ADDRESS", "PG_CONN_STR", "PG_SCHEMA_NAME", "CONSUL_HTTP_ADDR", "KUBE_NAMESPACE", "KUBE_CTX", "TF_CLOUD_HOSTNAME", "TF_CLOUD_ORGANIZATION",
}

// owner is whose lines of the ledger a process writes and reads: the state of a workspace of the
// root module, in whose folder the CLI starts its providers, in the backend that `terraform init`
// and the environment have chosen.
func (m Machine) owner() resume.Owner {
	folder := m.Dir
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folder = resolved
	}
	data, _ := m.Env("TF_DATA_DIR")
	if data == "" {
		data = ".terraform"
	}
	if !filepath.IsAbs(data) {
		data = filepath.Join(folder, data)
	}
	var chosen strings.Builder
	chosen.WriteString(backend(data))
	for _, name := range located {
		if value, _ := m.Env(name); value != "" {
			chosen.WriteString("\n" + name + "=" + value)
		}
	}
	return resume.Owner{Folder: folder, Workspace: m.workspace(data), Backend: chosen.String(), Run: m.Run}
}

// workspace is the workspace that the CLI has selected. Before the first `workspace new`, the data
// folder names none.
func (m Machine) workspace(data string) string {
	if name, _ := m.Env("TF_WORKSPACE"); name != "" {
		return name
	}
	const nameLimit = 1 << 10 // bytes
	content, _ := readSome(filepath.Join(data, "environment"), nameLimit)
	if name := strings.TrimSpace(string(content)); name != "" {
		return name
	}
	return "default"
}

// backend is the backend that `terraform init` has noted in the data folder, as the CLI wrote it,
// "" if it is the local one without arguments. Only its hash is kept: it may hold credentials.
func backend(data string) string {
	const stateLimit = 1 << 20 // bytes
	content, err := readSome(filepath.Join(data, "terraform.tfstate"), stateLimit)
	if err != nil {
		return ""
	}
	var noted struct {
		Backend any `json:"backend"`
	}
	if json.Unmarshal(content, &noted) != nil || noted.Backend == nil {
		return ""
	}
	text, _ := json.Marshal(noted.Backend) // was JSON
	return string(text)
}

func readSome(path string, limit int64) ([]byte, error) {
	file, _, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, limit))
}

// parentRun identifies the process that started this one, by its id and the time of its start,
// because ids are used again. It is "" where the system does not tell that time.
func parentRun() string {
	const statLimit = 4 << 10 // bytes
	pid := os.Getppid()
	content, _ := readSome(fmt.Sprintf("/proc/%d/stat", pid), statLimit)
	_, after, _ := strings.Cut(string(content), ") ") // the name may have spaces
	const started = 19                                // of what follows the name: see proc(5), field 22
	if fields := strings.Fields(after); len(fields) > started {
		return fmt.Sprintf("%d %s", pid, fields[started])
	}
	return ""
}
