package mediafolder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestScaleProfile(t *testing.T) {
	w := acctest.NewWorld(t, simulator.Options{})
	dir := t.TempDir()
	for i := range scaleN() {
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("clip%05d.mp4", i)), []byte(fmt.Sprint(i)), 0o600)
	}
	p := w.Provider(nil)
	config := acctest.Attrs{"source_dir": dir}
	lap, used := time.Now(), cpu()
	say := func(what string) { t.Log(what, time.Since(lap), "cpu", cpu()-used); lap, used = time.Now(), cpu() }
	o, diags := p.Create("vodlive_media_folder", config)
	diags.Must(t)
	say("create")
	o, _ = p.Read(o)
	say("read")
	pl := p.Plan(o, config)
	say("plan " + string(pl.Action))
	os.WriteFile(filepath.Join(dir, "clip00000.mp4"), []byte("changed"), 0o600)
	pl = p.Plan(o, config)
	say("plan " + string(pl.Action))
	p.Apply(pl)
	say("apply")
}

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func scaleN() int { n, _ := strconv.Atoi(os.Getenv("SCALE")); return n }
