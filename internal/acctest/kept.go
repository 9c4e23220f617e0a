package acctest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

var writeBuild = flag.Bool("write-build", false, "write what this build keeps of instances into new files of testdata, which every later build must read")

// Builds reads, each in a bubble of testing/synctest, the files testdata/name-*.json, in which each
// build so far has kept an instance with Keep. A build that keeps it in another form adds a file,
// written with the flag -write-build. The files that are there never change.
func Builds(t *testing.T, name string, write, read func(t *testing.T, path string)) {
	t.Helper()
	builds, err := filepath.Glob(filepath.Join("testdata", name+"-*.json"))
	if *writeBuild {
		builds = append(builds, filepath.Join("testdata", fmt.Sprintf("%s-%d.json", name, len(builds)+1)))
		synctest.Test(t, func(t *testing.T) { write(t, builds[len(builds)-1]) })
	}
	if err != nil || len(builds) == 0 {
		t.Fatalf("there are %q: %v", builds, err)
	}
	for _, build := range builds {
		t.Run(filepath.Base(build), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { read(t, build) })
		})
	}
}

// kept is what Terraform keeps of an instance between its runs.
type kept struct {
	Version  int64                      `json:"schema_version,omitempty"`
	State    json.RawMessage            `json:"state"`
	Private  map[string]json.RawMessage `json:"private,omitempty"`
	Identity Attrs                      `json:"identity,omitempty"`
	Tainted  bool                       `json:"tainted,omitempty"`
}

// Keep writes an instance into a file. names are what only this machine has, such as the path of a
// folder, each followed by what stands for it in the file.
func (p *Provider) Keep(o Instance, path string, names ...string) {
	p.tb.Helper()
	k := kept{Version: p.Schema.ResourceSchemas[o.Type].Version, Tainted: o.Tainted, Private: map[string]json.RawMessage{}}
	var private map[string][]byte
	state, err := json.Marshal(o.Attrs())
	if err == nil && len(o.Private) > 0 {
		err = json.Unmarshal(o.Private, &private)
	}
	k.State = state
	for key, value := range private {
		k.Private[key] = value
	}
	if o.Identity != nil {
		k.Identity = p.IdentityOf(o)
	}
	content, _ := json.MarshalIndent(k, "", "  ")
	if err == nil {
		err = os.WriteFile(path, []byte(strings.NewReplacer(names...).Replace(string(content))+"\n"), 0o600)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
}

// Kept is an instance that Keep has written, as Terraform reads it: upgraded and refreshed. names
// are what stands for what only this machine has, each followed by that.
func (p *Provider) Kept(typ, path string, names ...string) Instance {
	p.tb.Helper()
	content, err := os.ReadFile(path)
	var k kept
	if err == nil {
		err = json.Unmarshal([]byte(strings.NewReplacer(names...).Replace(string(content))), &k)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
	private := map[string][]byte{}
	for key, value := range k.Private {
		private[key] = value
	}
	o := p.New(typ)
	o.Tainted = k.Tainted
	o.Private, _ = json.Marshal(private)
	if k.Identity != nil {
		o.Identity = &tfprotov6.ResourceIdentityData{IdentityData: p.Dynamic(Value(p.identityType(typ), k.Identity))}
	}
	resp := must(p, p.Server.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: typ, Version: k.Version, RawState: &tfprotov6.RawState{JSON: k.State},
	})
	Diagnostics(resp.Diagnostics).Must(p.tb)
	o.State = p.value(p.Schema.ResourceSchemas[typ], resp.UpgradedState)
	o, diags := p.Read(o)
	diags.Must(p.tb)
	return o
}
