package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const mebibyte = int64(1) << 20

// bench is one run of the command.
type bench struct {
	options options
	work    string
	tools   tools
	report  *report
}

// contender is one way of sending what is to be sent.
type contender struct {
	name    string
	what    string // for the report's legend
	command func(ctx context.Context, round int) (*exec.Cmd, error)
	// provider: the peak of memory to take is that of the provider's process.
	provider bool
}

// against lets everything run against one store.
func (b *bench) against(ctx context.Context, name string) error {
	st, err := b.openStore(ctx, name)
	if err != nil {
		return err
	}
	defer st.close()
	for _, size := range b.options.sizes {
		if err := b.file(ctx, st, size); err != nil {
			return fmt.Errorf("%d MiB: %w", size/mebibyte, err)
		}
	}
	if b.options.files > 0 {
		if err := b.files(ctx, st); err != nil {
			return fmt.Errorf("%d files: %w", b.options.files, err)
		}
	}
	return nil
}

// file times the sending of one file.
func (b *bench) file(ctx context.Context, st store, size int64) error {
	path := filepath.Join(b.work, "file.bin")
	sums, err := makeFile(path, size)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	st.expect(sums)
	j := job{Endpoint: st.url(), Bucket: bucket, Key: "file.bin", Path: path, Size: size, SHA256: sums.sha256}

	best, note, err := b.bestSettings(ctx, st, j)
	if err != nil {
		return err
	}
	contenders := []contender{
		b.self("transfer manager", "AWS SDK for Go v2, feature/s3/transfermanager, at its defaults (8 MiB parts, 5 at a time)", with(j, func(j *job) { j.Contender = "transfermanager" })),
		b.self("engine", "this provider's engine at the provider's defaults (16 MiB parts, 4 at a time), everything verified", with(j, func(j *job) { j.Contender = "engine" })),
		b.self("engine x8", "the same with upload_concurrency = 8", with(j, func(j *job) { j.Contender, j.Concurrency = "engine", 8 })),
		b.rclone("rclone copyto", "rclone at its defaults (5 MiB parts, 4 at a time)", st, "copyto", path, ":s3:"+bucket+"/file.bin"),
		b.rclone("rclone tuned", "rclone with 16 MiB parts, 8 at a time", st, "copyto", path, ":s3:"+bucket+"/file.bin",
			"--s3-chunk-size", "16Mi", "--s3-upload-concurrency", "8"),
	}
	if best != nil {
		contenders = append(contenders, b.self("transfer manager, best", note, *best))
	}
	script, err := b.curl(ctx, st, path)
	if err != nil {
		return err
	}
	defer script.close()
	contenders = append(contenders, script.contender)
	if b.options.provider != "" {
		apply, err := b.apply(ctx, st, providerApply, []string{path}, sums)
		if err != nil {
			return err
		}
		defer apply.close()
		contenders = append(contenders, apply.contender)
	}
	results, err := b.race(ctx, st, fmt.Sprintf("%s, %d MiB", st.name(), size/mebibyte), contenders)
	if err != nil {
		return err
	}
	b.report.add(table{Store: st.name(), Title: fmt.Sprintf("one file of %d MiB", size/mebibyte), Bytes: size, Rows: results})
	return b.profiles(ctx, j)
}

// files times the sending of many small files.
func (b *bench) files(ctx context.Context, st store) error {
	dir := filepath.Join(b.work, "files")
	sums, paths, err := makeFiles(dir, b.options.files, mebibyte)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	st.expect(sums)
	j := job{
		Contender: "engine-files", Endpoint: st.url(), Bucket: bucket, Key: "files", Path: dir,
		Size: mebibyte, Sums: sums.files, Concurrency: 4,
	}
	contenders := []contender{
		b.rclone("rclone copy", "rclone copy of the folder, 4 files at a time", st, "copy", dir, ":s3:"+bucket+"/files", "--transfers", "4"),
		b.self("engine, files", "this provider's engine, single PUTs, 4 at a time", j),
	}
	if b.options.provider != "" {
		apply, err := b.apply(ctx, st, providerApply, paths, sums)
		if err != nil {
			return err
		}
		defer apply.close()
		none, err := b.apply(ctx, st, cliAlone, paths, sums)
		if err != nil {
			return err
		}
		defer none.close()
		contenders = append(contenders, apply.contender, none.contender)
	}
	title := fmt.Sprintf("%d files of 1 MiB", b.options.files)
	results, err := b.race(ctx, st, st.name()+", "+title, contenders)
	if err != nil {
		return err
	}
	b.report.add(table{Store: st.name(), Title: title, Bytes: int64(b.options.files) * mebibyte, Rows: results})
	return nil
}

// race runs the contenders in turns, starting with another one each round.
func (b *bench) race(ctx context.Context, st store, title string, contenders []contender) ([]row, error) {
	fmt.Fprintf(os.Stderr, "%s\n", title)
	runs := make([][]usage, len(contenders))
	for round := range b.options.rounds {
		for i := range contenders {
			n := (i + round) % len(contenders)
			c := contenders[n]
			cmd, err := c.command(ctx, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			u, err := measure(ctx, cmd, c.provider)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			runs[n] = append(runs[n], u)
			fmt.Fprintf(os.Stderr, "  %d  %-24s %7.3f s  %7.3f CPU-s  %6.1f MiB\n", round+1, c.name, u.Wall, u.CPU, u.Peak)
			if err := st.empty(ctx); err != nil {
				return nil, err
			}
		}
	}
	rows := make([]row, 0, len(contenders))
	for i, c := range contenders {
		rows = append(rows, row{Name: c.name, What: c.what, Median: median(runs[i]), Runs: runs[i]})
	}
	return rows, nil
}

// bestSettings looks for the transfer manager's fastest settings: the part
// size first, then the concurrency, then without checksums.
func (b *bench) bestSettings(ctx context.Context, st store, j job) (*job, string, error) {
	if b.options.search < 1 {
		return nil, "", nil
	}
	fmt.Fprintf(os.Stderr, "%s, %d MiB: the transfer manager's best settings\n", st.name(), j.Size/mebibyte)
	best := with(j, func(j *job) { j.Contender, j.PartSize, j.Concurrency = "transfermanager", 8*mebibyte, 5 })
	fastest := 0.0
	try := func(candidate job) error {
		var runs []usage
		for range b.options.search {
			cmd, err := b.self("", "", candidate).command(ctx, 0)
			if err != nil {
				return err
			}
			u, err := measure(ctx, cmd, false)
			if err != nil {
				return err
			}
			runs = append(runs, u)
			if err := st.empty(ctx); err != nil {
				return err
			}
		}
		if wall := median(runs).Wall; fastest == 0 || wall < fastest {
			best, fastest = candidate, wall
		}
		return nil
	}
	for _, size := range []int64{5, 8, 16, 32, 64} {
		if err := try(with(best, func(j *job) { j.PartSize = size * mebibyte })); err != nil {
			return nil, "", err
		}
	}
	for _, n := range []int{2, 3, 4, 8, 12, 16} {
		if err := try(with(best, func(j *job) { j.Concurrency = n })); err != nil {
			return nil, "", err
		}
	}
	if err := try(with(best, func(j *job) { j.NoChecksum = true })); err != nil {
		return nil, "", err
	}
	checksum := "CRC32"
	if best.NoChecksum {
		checksum = "no checksum"
	}
	note := fmt.Sprintf("the transfer manager at the fastest settings found: %d MiB parts, %d at a time, %s",
		best.PartSize/mebibyte, best.Concurrency, checksum)
	fmt.Fprintf(os.Stderr, "  %s\n", note)
	return &best, note, nil
}

// self is a contender that this program plays itself, in a process of its own.
func (b *bench) self(name, what string, j job) contender {
	return contender{name: name, what: what, command: func(ctx context.Context, round int) (*exec.Cmd, error) {
		j.Key = strconv.Itoa(round) + "/" + filepath.Base(j.Path)
		arg, err := json.Marshal(j)
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, b.tools.self, "child", string(arg)), nil
	}}
}

func (b *bench) rclone(name, what string, st store, args ...string) contender {
	return contender{name: name, what: what, command: func(ctx context.Context, _ int) (*exec.Cmd, error) {
		args := append([]string{
			"--config", filepath.Join(b.work, "no-rclone.conf"), "--retries", "1", "--quiet",
			"--s3-provider", "Other", "--s3-endpoint", st.url(), "--s3-region", region, "--s3-force-path-style",
			"--s3-no-check-bucket", "--s3-use-multipart-etag=false",
		}, args...)
		cmd := exec.CommandContext(ctx, b.tools.rclone, args...)
		cmd.Env = append(os.Environ(), "RCLONE_S3_ACCESS_KEY_ID="+accessKey, "RCLONE_S3_SECRET_ACCESS_KEY="+secretKey)
		return cmd, nil
	}}
}

// profiles writes CPU profiles of a run of the engine and of the transfer manager.
func (b *bench) profiles(ctx context.Context, j job) error {
	if !b.options.profile {
		return nil
	}
	for _, name := range []string{"engine", "transfermanager"} {
		p := with(j, func(j *job) {
			j.Contender = name
			j.Profile = filepath.Join(b.options.work, fmt.Sprintf("%s-%d.prof", name, j.Size/mebibyte))
		})
		cmd, err := b.self("", "", p).command(ctx, 0)
		if err != nil {
			return err
		}
		if _, err := measure(ctx, cmd, false); err != nil {
			return err
		}
	}
	return nil
}

func with(j job, change func(*job)) job {
	change(&j)
	return j
}

// quoted is a string as HCL takes it.
func quoted(s string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(s))
}
