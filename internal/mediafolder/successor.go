package mediafolder

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// privatePlanned is the key of the planned successor.
const privatePlanned = "planned"

// successor is what the Delete of a replacement knows of the folder that is created in its place:
// that Create does not see the state.
type successor struct {
	Group   string             `json:"group,omitempty"`    // Selection.group
	Sends   bool               `json:"sends,omitempty"`    // it may send a file
	Dir     string             `json:"dir,omitempty"`      // the folder, if it was there while planning
	Select  patterns           `json:"select,omitzero"`    // what selects its files
	Files   string             `json:"files,omitempty"`    // digest of their names and sizes
	InParts map[string]string  `json:"in_parts,omitempty"` // hashes of files to send, by name
	Adopted map[string]adopted `json:"adopted,omitempty"`  // by name
}

type adopted struct {
	KeyPath string `json:"key_path"`
	SHA256  string `json:"sha256"`
}

// adoptedOf is what is stored under names.
func adoptedOf[V any](names map[string]V, stored map[string]entry) map[string]adopted {
	all := map[string]adopted{}
	for name := range names {
		if e, ok := stored[name]; ok {
			all[name] = adopted{e.KeyPath, e.SHA256}
		}
	}
	return all
}

func (p *planner) successor(ctx context.Context) successor {
	next := successor{Group: p.plan.group(ctx), Sends: p.files == nil || p.uploads}
	if p.state != nil {
		next.Adopted = adoptedOf(p.plan.Adopt.Elements(), p.stored)
		return next
	}
	if p.files == nil {
		return next
	}
	next.Dir, next.Select, next.Adopted = p.plan.dir(), p.plan.patterns(), map[string]adopted{}
	sizes := map[string]int64{}
	for name, e := range p.files {
		sizes[name] = e.Size
		if !e.unsent() {
			next.Adopted[name] = adopted{e.KeyPath, e.SHA256}
		}
	}
	next.Files, next.InParts = listed(sizes), p.plan.inParts(p.files)
	return next
}

// inParts are the hashes of the files to upload that are sent in parts, by name.
func (m *model) inParts(files map[string]entry) map[string]string {
	sums := map[string]string{}
	for name, e := range files {
		if e.unsent() && m.file(name, "", e).InParts() {
			sums[name] = e.SHA256
		}
	}
	return sums
}

// listed is a digest of files by their names and sizes.
func listed(sizes map[string]int64) string {
	list, _ := json.Marshal(sizes) // in the order of the names
	return fmt.Sprintf("%x", sha256.Sum256(list))
}

// changed reports whether the folder has other files than it had while planning.
func (next successor) changed() bool {
	found, _, _ := walk(next.Dir, next.Select)
	sizes := map[string]int64{}
	for name, file := range found {
		if info, err := os.Stat(file); err == nil {
			sizes[name] = info.Size()
		}
	}
	return listed(sizes) != next.Files
}

// refuses returns why a folder must not be replaced by the successor: a saved plan may be applied
// where the folder is not, and `adopt` would name the content of before for a file that changed.
func (next successor) refuses(stored map[string]entry) (diags diag.Diagnostics) {
	if _, err := os.Stat(next.Dir); next.Dir != "" && errors.Is(err, fs.ErrNotExist) {
		diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded",
			next.Dir+" does not exist, so nothing was replaced and the state is as it was. Plan again where the folder is, and apply that plan.")
		return diags
	}
	if next.Dir != "" && next.changed() {
		diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded",
			next.Dir+" has other files than when the replacement was planned, so nothing was replaced and the state is as it was. Plan again where all files are, and apply that plan.")
	}
	return append(diags, next.refusesAdopted(adoptedOf(next.Adopted, stored))...)
}

// refusesAdopted returns why a folder that has, or had, other files under names that the successor
// adopts must not be replaced by it.
func (next successor) refusesAdopted(had map[string]adopted) (diags diag.Diagnostics) {
	var names []string
	for name, now := range next.Adopted {
		if was, ok := had[name]; ok && was != now {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		diags.AddAttributeError(path.Root("adopt"), "The folder cannot be uploaded",
			"These files have changed since they were adopted, and the folder that replaces this one would take them for what is stored under the key paths in `adopt`. Remove their names from `adopt`, and apply again:\n"+providerdata.List(names))
	}
	return diags
}
