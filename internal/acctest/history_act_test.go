package acctest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// invoke runs an action: 0: on a file, 1: on a folder, else a batch job on what is stored.
func (p *player) invoke(pl *place, n int) {
	modes := []any{"video_optimizer"}
	typ, config, files := "vodlive_process_media", Attrs{"source": filepath.Join(pl.machine.files, "small.mp4"), "service_modes": modes}, []string{"small.mp4"}
	switch n % 3 {
	case 1:
		config, files = Attrs{"source_dir": filepath.Join(pl.machine.files, mediaDir), "exclude": []any{"long*", "**/*.away"}, "service_modes": modes}, folderFiles
	case 2:
		var paths []any
		for _, o := range p.at[pl.account].Objects() {
			if paths = append(paths, o.KeyPath); len(paths) == 3 {
				break
			}
		}
		typ, config, files = "vodlive_submit_batch_job", Attrs{"paths": paths, "service_modes": modes}, nil
	}
	for _, name := range files {
		p.contents[pl.machine.sum(name)] = true
	}
	p.uploads += len(files)
	proc := p.process(pl)
	defer proc.over()
	account := *proc.Provider
	account.Server = proc.Server.(others).ProviderServer
	before := len(p.at.batches())
	progress, diags := account.Invoke(typ, config)
	how := "made"
	switch made := len(p.at.batches()) - before; {
	case !diags.Failed() && made != 1 && !strings.Contains(diags.String(), "The batch job of an earlier run was recorded"):
		p.rec.Errorf("%s made %d jobs and no error: %q", typ, made, progress)
	case jobLost.MatchString(diags.String()):
		how = "unsure"
	case diags.Failed():
		how = "refused"
	}
	p.submitted = append(p.submitted, how)
	p.tell(pl, typ, diags)
}

// deleteUnplanned deletes an object with what the last change has left in its private data. Only
// protection refuses it.
func (p *player) deleteUnplanned(pl *place, address string) {
	o, found := pl.state[address]
	if !found || !o.Exists() || len(o.Deposed) > 0 || o.Type == dataType || o.Type == fileType {
		return
	}
	proc := p.process(pl)
	defer proc.over()
	after, diags := proc.DestroyUnplanned(o)
	p.tell(pl, address, diags)
	if diags.Failed() && o.Attrs()["deletion_protection"] != true && pl.wrong == 0 {
		p.rec.Errorf("%s %s cannot be deleted without a plan: %s", pl.name, address, diags)
	}
	if delete(pl.state, address); after.Exists() {
		pl.state[address] = after
	}
	pl.serial++
}

// importOwn imports what exists, by id and by identity, which must give the same.
func (p *player) importOwn(pl *place, address string) {
	typ, id := kinds[address].typ, ""
	switch typ {
	case sessionType:
		if all := p.at[pl.account].Sessions(); len(all) > 0 {
			id = all[len(all)-1].ID
		}
	case uploadType:
		if all := p.at[pl.account].Objects(); len(all) > 0 {
			id = all[len(all)-1].KeyPath
		}
	}
	if id == "" {
		return
	}
	proc := p.process(pl)
	defer proc.over()
	o, diags := proc.Import(typ, id)
	p.tell(pl, "import of "+id, diags)
	if diags.Failed() || p.troubled || !o.Exists() || p.service.NoIdentities {
		return
	}
	again, diags := proc.ImportIdentity(typ, proc.IdentityOf(o))
	if diags.Failed() || fmt.Sprint(again.Attrs()) != fmt.Sprint(o.Attrs()) {
		p.rec.Errorf("%s is imported as %v by id and as %v by identity: %s", id, o.Attrs(), again.Attrs(), diags)
	}
}

// reimport removes an object from the state and takes it in again, as a user does who moves it to
// another address: by import, and the files of a folder by adopt.
func (p *player) reimport(pl *place, address string) {
	o, found := pl.state[address]
	if !found || !o.Exists() || o.Text("id") == "" || len(o.Deposed) > 0 || len(unfinished(o.Attrs())) > 0 {
		return
	}
	switch kinds[address].typ {
	case sessionType, uploadType:
		id := o.Text("id")
		if p.imported[id] || kinds[address].typ == uploadType && !p.isStored(id) || kinds[address].typ == sessionType && !p.known(pl, id) {
			return
		}
		p.forget(pl, address)
		p.adopt(pl, address, id)
	case folderType:
		if address != "folder.one" {
			return // an apply makes its files: those at hand may not be the ones of the next plan
		}
		files := Attrs{}
		for name, e := range folderEntries(o) {
			keyPath, _ := e["key_path"].(string)
			file := filepath.ToSlash(filepath.Join(filepath.Base(o.Text("source_dir")), name))
			if pl.machine.versions[file] > 0 && slices.ContainsFunc(p.at.objects(), func(object simulator.Object) bool {
				return object.KeyPath == keyPath && object.SHA256 == pl.machine.sum(file)
			}) {
				files[name] = keyPath
				p.adopted[keyPath] = true
			}
		}
		if len(files) > 0 {
			p.forget(pl, address)
			pl.adopted = map[string]Attrs{address: files}
		}
	}
}
