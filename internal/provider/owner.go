package provider

import (
	"path/filepath"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

// owner is whose lines of the ledger a process writes and takes: the folder of the root module, in
// which the CLI starts its providers, and the workspace.
func (m Machine) owner() string {
	folder := m.Dir
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folder = resolved
	}
	return folder + "\n" + m.workspace(folder)
}

// workspace is the workspace that the CLI has selected. Before the first `workspace new`, the data
// folder names none.
func (m Machine) workspace(folder string) string {
	if name, _ := m.Env("TF_WORKSPACE"); name != "" {
		return name
	}
	data, _ := m.Env("TF_DATA_DIR")
	if data == "" {
		data = ".terraform"
	}
	if !filepath.IsAbs(data) {
		data = filepath.Join(folder, data)
	}
	const nameLimit = 1 << 10 // bytes
	content := make([]byte, nameLimit)
	if file, _, err := regularfile.Open(filepath.Join(data, "environment")); err == nil {
		n, _ := file.Read(content)
		_ = file.Close()
		if name := strings.TrimSpace(string(content[:n])); name != "" {
			return name
		}
	}
	return "default"
}
