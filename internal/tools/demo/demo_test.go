package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestMediaIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	var seen []content
	for _, name := range []string{"one.mp4", "two.mp4"} {
		path := filepath.Join(t.TempDir(), name)
		if err := writeMedia(path, 1<<20); err != nil {
			t.Fatal(err)
		}
		c, err := readContent(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if c.size != 1<<20 {
			t.Errorf("%s has %d bytes, want %d", name, c.size, 1<<20)
		}
		start, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := http.DetectContentType(start); got != "video/mp4" {
			t.Errorf("%s looks like %s, want video/mp4", name, got)
		}
		seen = append(seen, c)
	}
	if seen[0] != seen[1] {
		t.Errorf("two files differ: %+v and %+v", seen[0], seen[1])
	}
}

func TestReadContentEndsWhenInterrupted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "media")
	if err := os.WriteFile(path, []byte("media"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readContent(ctx, path); err == nil {
		t.Error("no error after an interrupt")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	want := content{size: 5, sha256: "abc"}
	good := func() simulator.Report {
		return simulator.Report{
			Sessions: []simulator.ReportedSession{{ID: "s1", Status: "READY"}},
			Objects:  []simulator.ReportedObject{{KeyPath: "k1", Size: 5, SHA256: "abc"}},
			Batches:  []simulator.ReportedBatch{{Paths: []string{"k1"}, ServiceModes: []string{"video_optimizer"}}},
			Requests: map[string]int{},
		}
	}
	for name, test := range map[string]struct {
		spoil func(*simulator.Report)
		text  string
	}{
		"good":                {func(*simulator.Report) {}, ""},
		"second session":      {func(r *simulator.Report) { r.Sessions = append(r.Sessions, r.Sessions[0]) }, "2 live sessions"},
		"not ready":           {func(r *simulator.Report) { r.Sessions[0].Status = "PENDING" }, "is PENDING"},
		"no object":           {func(r *simulator.Report) { r.Objects = nil }, "0 objects"},
		"short object":        {func(r *simulator.Report) { r.Objects[0].Size = 4 }, "has 4 bytes"},
		"other content":       {func(r *simulator.Report) { r.Objects[0].SHA256 = "abd" }, "SHA-256 abd"},
		"unfinished upload":   {func(r *simulator.Report) { r.Uploads = make([]simulator.ReportedUpload, 1) }, "1 uploads are unfinished"},
		"submitted twice":     {func(r *simulator.Report) { r.Batches = append(r.Batches, r.Batches[0]) }, "2 batch jobs"},
		"other path":          {func(r *simulator.Report) { r.Batches[0].Paths = []string{"k2"} }, `"k2"`},
		"other mode":          {func(r *simulator.Report) { r.Batches[0].ServiceModes = nil }, "has the modes"},
		"credential leaked":   {func(r *simulator.Report) { r.StorageRequestsWithCredential = 1 }, "carried a credential"},
		"undocumented call":   {func(r *simulator.Report) { r.Requests["unknown"] = 1 }, "routes that the service does not have"},
		"wrong batch version": {func(r *simulator.Report) { r.Requests["agent"] = 1 }, "terraform-provider-vodlive/1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := good()
			test.spoil(&report)
			agent := "terraform-provider-vodlive/1.0.0 terraform/1.11.4"
			if report.Requests["agent"] > 0 {
				agent = "Go-http-client/1.1"
			}
			err := check(report, []simulator.Request{{Call: "batch", Header: http.Header{"User-Agent": {agent}}}}, want, "1.0.0")
			switch {
			case test.text == "" && err != nil:
				t.Errorf("error: %v", err)
			case test.text != "" && (err == nil || !strings.Contains(err.Error(), test.text)):
				t.Errorf("error %v, want one with %q", err, test.text)
			}
		})
	}
}

func TestCheckUnchanged(t *testing.T) {
	t.Parallel()
	before := simulator.Report{Objects: []simulator.ReportedObject{{KeyPath: "k1"}}, Requests: map[string]int{"regions": 1}}
	after := before
	after.Requests = map[string]int{"regions": 2}
	if err := checkUnchanged(before, after); err != nil {
		t.Errorf("more reads: %v", err)
	}
	after.Requests = map[string]int{"unknown": 1}
	if checkUnchanged(before, after) == nil {
		t.Error("a request to an unknown route went unseen")
	}
	after.Requests, after.Objects = nil, nil
	if checkUnchanged(before, after) == nil {
		t.Error("a vanished object went unseen")
	}
}

func TestCheckRelease(t *testing.T) {
	t.Parallel()
	const base, archive = "terraform-provider-vodlive_1.2.3", "terraform-provider-vodlive_1.2.3_linux_amd64.zip"
	release := func(t *testing.T, files string) (dir string, sums []string) {
		t.Helper()
		dir = t.TempDir()
		file, err := os.Create(filepath.Join(dir, archive))
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(file)
		for name := range strings.FieldsSeq(files) {
			if _, err := w.Create(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		manifest := filepath.Join(dir, base+"_manifest.json")
		if err := os.WriteFile(manifest, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file.Name(), manifest} {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(content)
			sums = append(sums, fmt.Sprintf("%s  %s", hex.EncodeToString(sum[:]), filepath.Base(path)))
		}
		return dir, sums
	}
	run := func(t *testing.T, files, want string, edit func([]string) []string) {
		t.Helper()
		dir, sums := release(t, files)
		text := strings.Join(edit(sums), "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, base+"_SHA256SUMS"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := checkRelease(dir, filepath.Join(dir, base+"_manifest.json"), archive, base)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	same := func(s []string) []string { return s }
	const complete = "terraform-provider-vodlive_v1.2.3 vodlive.tfmock.hcl"
	run(t, complete, "", same)
	run(t, "terraform-provider-vodlive_v1.2.3.exe vodlive.tfmock.hcl", "", same)
	run(t, "terraform-provider-vodlive vodlive.tfmock.hcl", "has no terraform-provider-vodlive_v1.2.3", same)
	run(t, "terraform-provider-vodlive_v1.2.3", "has no vodlive.tfmock.hcl", same)
	run(t, complete, "_manifest.json", func(s []string) []string { return s[:1] })
	run(t, complete, archive, func(s []string) []string { return s[1:] })
}
