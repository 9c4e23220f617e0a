package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// reasons says why the provider has each of its direct dependencies.
var reasons = map[string]string{
	"github.com/cenkalti/backoff/v5":                             "intervals between repeats: exponential, with jitter",
	"github.com/gabriel-vasile/mimetype":                         "media type of a file whose extension tells none, from its first bytes",
	"github.com/gofrs/flock":                                     "lock of an upload's record, so that two runs on a machine do not continue the same upload",
	"github.com/golang-jwt/jwt/v5":                               "expiry time of an identity token that is a JWT, so that a plan reports it",
	"github.com/hashicorp/terraform-plugin-framework":            "what a provider is made with",
	"github.com/hashicorp/terraform-plugin-framework-timeouts":   "the `timeouts` attribute",
	"github.com/hashicorp/terraform-plugin-framework-validators": "common validators of attributes",
	"github.com/hashicorp/terraform-plugin-go":                   "the plugin protocol",
	"github.com/hashicorp/terraform-plugin-log":                  "the provider's log",
	"github.com/minio/md5-simd":                                  "MD5 of up to 16 parts at once, several times as fast as one after the other",
	"golang.org/x/sync":                                          "groups of goroutines that end together",
	"golang.org/x/time":                                          "the limit of `upload_bandwidth`",
	"github.com/google/go-cmp":                                   "only in tests",
	"github.com/hashicorp/terraform-json":                        "only in tests",
	"github.com/hashicorp/terraform-plugin-testing":              "only in tests",
	"pgregory.net/rapid":                                         "only in tests",
}

// module is one module in the released binary.
type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Reason  string `json:"reason,omitempty"` // of a direct dependency
}

// modules is part 5: what is in the released binary.
func (b *bench) modules(s *section) error {
	info, err := buildinfo.ReadFile(b.cli.provider)
	if err != nil {
		return err
	}
	direct, err := b.direct()
	if err != nil {
		return err
	}
	*s = section{
		Part:  s.Part,
		Title: "Modules in the released binary",
		Text:  []string{"Direct dependencies first, each with its reason; the others come with them."},
		Table: table{Head: []string{"module", "version", "reason"}},
	}
	var chosen, indirect []module
	for _, dep := range info.Deps {
		m := module{Path: dep.Path, Version: dep.Version}
		if !slices.Contains(direct, dep.Path) {
			indirect = append(indirect, m)
			continue
		}
		if m.Reason = reasons[dep.Path]; m.Reason == "" {
			return fmt.Errorf("the direct dependency %s has no reason: give it one in modules.go", dep.Path)
		}
		chosen = append(chosen, m)
	}
	all := slices.Concat(chosen, indirect)
	for _, m := range all {
		s.Table.add("`"+m.Path+"`", m.Version, m.Reason)
	}
	s.Data = all
	fmt.Printf("\n%s", s.Table.text())
	return nil
}

// direct are the modules that the provider's own go.mod requires.
func (b *bench) direct() ([]string, error) {
	cmd := exec.CommandContext(b.ctx, "go", "list", "-m", "-f", "{{if not (or .Indirect .Main)}}{{.Path}}{{end}}", "all")
	cmd.Dir = "../../.."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return strings.Fields(string(out)), err
}
