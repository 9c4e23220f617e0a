package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// located are the variables that say where a backend keeps the state, by its type, in place of an
// argument that `terraform init` notes. Other tools use some of them, too.
var located = map[string][]string{
	"cloud":      {"TF_CLOUD_HOSTNAME", "TF_CLOUD_ORGANIZATION"},
	"consul":     {"CONSUL_HTTP_ADDR"},
	"http":       {"TF_HTTP_ADDRESS"},
	"kubernetes": {"KUBE_NAMESPACE", "KUBE_CTX"},
	"pg":         {"PG_CONN_STR", "PG_SCHEMA_NAME"},
}

// credentials are the arguments of backends that say who asks, not where the state is. With
// -backend-config, they may differ from run to run. "hash" is the CLI's own, of all arguments.
var credentials = []string{
	"access_key", "access_token", "client_certificate_password", "client_certificate_pem", "client_key", "client_private_key_pem", "client_secret",
	"credentials", "hash", "http_auth", "oidc_request_token", "oidc_request_url", "oidc_token", "password", "sas_token", "secret_id", "secret_key",
	"security_token", "session_name", "token", "username", "web_identity_token",
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
	kind, chosen := backend(data)
	for _, name := range located[kind] {
		if value, _ := m.Env(name); value != "" {
			chosen += "\n" + name + "=" + withoutUser(value)
		}
	}
	return resume.Owner{Folder: folder, Workspace: m.workspace(data), Backend: chosen, Run: m.Run}
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

// backend returns the type and the arguments of the backend that `terraform init` has noted in the
// data folder, "" for the local one without arguments.
func backend(data string) (kind, arguments string) {
	const stateLimit = 1 << 20 // bytes
	content, _ := readSome(filepath.Join(data, "terraform.tfstate"), stateLimit)
	var noted struct {
		Backend map[string]any `json:"backend"`
	}
	if json.Unmarshal(content, &noted) != nil || noted.Backend == nil {
		return "", ""
	}
	kind, _ = noted.Backend["type"].(string)
	place := placeOf(noted.Backend)
	if reflect.DeepEqual(place, map[string]any{"type": "local", "config": map[string]any{}}) {
		return kind, ""
	}
	text, _ := json.Marshal(place) // was JSON
	return kind, string(text)
}

// placeOf is what a backend's arguments, or a part of them, say of where the state is.
func placeOf(value any) any {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(name string, part any) bool { return part == nil || slices.Contains(credentials, name) })
		for name, part := range value {
			value[name] = placeOf(part)
		}
	case []any:
		for i, part := range value {
			value[i] = placeOf(part)
		}
	case string:
		return withoutUser(value)
	}
	return value
}

// withoutUser is a URL, as that of a database, without its user and password; any other text is as
// it was.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	u.User = nil
	return u.String()
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
	pid := os.Getppid()
	if started := startOf(pid); started != "" {
		return fmt.Sprintf("%d %s", pid, started)
	}
	return ""
}
