package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// drive puts one load on a provider that runs in this very process, spoken to by the plugin protocol without gRPC, so
// that a profile shows the provider and nothing else. The simulated service runs in the process that starts this one.
//
//	go run . -drive refresh -n 1000 -account 1000 -cpuprofile cpu.out -memprofile mem.out
//	go tool pprof -top cpu.out
//
// What a start costs before main shows without a profile: GODEBUG=inittrace=1 on the provider's binary.
type drive struct {
	load                   string // "" = no drive
	n, account             int
	cpuProfile, memProfile string
	child                  string // the environment to run in, as JSON: this is the provider's process
}

func (d *drive) flags(flags *flag.FlagSet) {
	flags.StringVar(&d.load, "drive", "", "run one load on a provider in process: schema, validate, refresh, plan or upload")
	flags.IntVar(&d.n, "n", 1000, "with -drive: resources (with schema: how often)")
	flags.IntVar(&d.account, "account", 1000, "with -drive refresh and plan: sessions of the account")
	flags.StringVar(&d.cpuProfile, "cpuprofile", "", "with -drive: write a CPU profile")
	flags.StringVar(&d.memProfile, "memprofile", "", "with -drive: write a profile of allocations")
	flags.StringVar(&d.child, "drive-child", "", "used by -drive itself")
}

// scene is what the provider's process gets from the one that has the service.
type scene struct {
	Environment map[string]string `json:"environment"`
	Media       string            `json:"media"`
	States      []json.RawMessage `json:"states"`
}

func (d *drive) run(ctx context.Context) (err error) {
	if d.child != "" {
		return d.provider(ctx)
	}
	work, err := os.MkdirTemp("", "vodlive-scale-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	s, err := serve(simulator.Options{Latency: latency})
	if err != nil {
		return err
	}
	defer s.close()
	sc := scene{Environment: s.environment(filepath.Join(work, "resume")), Media: filepath.Join(work, "media")}
	switch d.load {
	case "refresh", "plan":
		for _, r := range populate(s, max(d.account, d.n), d.n, anywhere) {
			sc.States = append(sc.States, attributes(r))
		}
	case "upload":
		if err := writeMedia(sc.Media, d.n); err != nil {
			return err
		}
	}
	file := filepath.Join(work, "scene.json")
	content, err := json.Marshal(sc)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, append(os.Args[1:], "-drive-child", file)...) //nolint:gosec // itself, with the arguments it was given
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	fmt.Println("calls:", s.calls())
	return err
}

// provider is the process that is profiled.
func (d *drive) provider(ctx context.Context) (err error) {
	content, err := os.ReadFile(d.child)
	if err != nil {
		return err
	}
	var sc scene
	if err := json.Unmarshal(content, &sc); err != nil {
		return err
	}
	if d.cpuProfile != "" {
		f, err := os.Create(d.cpuProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if d.memProfile != "" {
		runtime.MemProfileRate = 16 << 10
		defer func() { err = errors.Join(err, writeAllocations(d.memProfile)) }()
	}
	begin := time.Now()
	if err := d.put(ctx, sc); err != nil {
		return err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Printf("%s of %d: %s; %d allocations, %s in all; peak %s\n", d.load, d.n, time.Since(begin).Round(time.Millisecond),
		memory.Mallocs, mebibytes(int64(memory.TotalAlloc)), mebibytes(peak(os.Getpid()))) //nolint:gosec // far from overflow
	return nil
}

func (d *drive) put(ctx context.Context, sc scene) error {
	if d.load == "schema" {
		for range d.n {
			if _, err := newProtocol(ctx, sc.Environment); err != nil {
				return err
			}
		}
		return nil
	}
	p, err := newProtocol(ctx, sc.Environment)
	if err != nil {
		return err
	}
	switch d.load {
	case "validate":
		return walk(d.n, func(int) error { return p.validate(ctx, "vodlive_live_session", sessionArguments("session")) })
	case "plan":
		return walk(d.n, func(i int) error {
			return p.unchanged(ctx, "vodlive_live_session", sc.States[i], sessionArguments(fmt.Sprintf("session-%d", i)))
		})
	case "refresh":
		return walk(d.n, func(i int) error { return p.refresh(ctx, "vodlive_live_session", sc.States[i]) })
	case "upload":
		return walk(d.n, func(i int) error {
			return p.create(ctx, "vodlive_media_upload", map[string]tftypes.Value{
				"source":           text(filepath.Join(sc.Media, fmt.Sprintf("file-%04d.mp4", i))),
				"method":           text("auto"),
				"change_detection": text("stat"),
			})
		})
	}
	return fmt.Errorf("there is no load %q", d.load)
}

func text(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

func sessionArguments(name string) map[string]tftypes.Value {
	preset := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"codec": tftypes.String, "resolution": tftypes.String, "bitrate": tftypes.String}}
	return map[string]tftypes.Value{
		"name": text(name), "region": text(region), "input": text("RTMP_PUSH"), "mode": text("NORM"), "output_mode": text("RTMP_PULL"),
		"input_preset": tftypes.NewValue(preset, map[string]tftypes.Value{
			"codec": tftypes.NewValue(tftypes.String, nil), "resolution": text("HD"), "bitrate": text("MAX_10_MBPS"),
		}),
	}
}

func writeAllocations(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
