package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// loadUploads is how many uploads of random numbers of parts each row of the part loads has, for
// each run.
const loadUploads = 40

// endOfFile measures in virtual time how well uploads of drawn sizes use the lines of the part
// lines, and drawn ones. That is a test of the engine, because only tests have virtual time.
func (b *bench) endOfFile(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-v", "-run", "^TestLoads$", "-count=1", "-timeout=0", "./internal/transfer")
	cmd.Dir = b.root
	uploads := loadUploads * b.runs
	cmd.Env = append(os.Environ(), "LOADS="+strconv.Itoa(uploads), "LOADS_SEED="+strconv.FormatUint(b.seed, 10))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	_, found, _ := bytes.Cut(out, []byte("rows: "))
	found, _, _ = bytes.Cut(found, []byte("\n"))
	var rows []struct {
		Line  string  `json:"line"`
		Mean  float64 `json:"mean"`
		Tenth float64 `json:"tenth"`
		Worst float64 `json:"worst"`
		Extra float64 `json:"extra"`
	}
	if err := json.Unmarshal(found, &rows); err != nil {
		return err
	}
	t := table{
		title: "Lines in virtual time",
		text: fmt.Sprintf("Files of 20 to 80 parts of 8 MiB, of any number of bytes (-seed %d), over lines that a test emulates, %d for each row, in per cent of what the line carries: the mean, what nine of ten uploads exceed, and the worst. "+
			"*drawn* are lines of 10 to 800 Mbit/s and 10 to 250 ms; a third of them lose packets, on a third each connection is limited. *extra* is how many PUTs were made beyond one a part, in per cent of the parts.", b.seed, uploads),
		head: []string{"line", "mean", "nine of ten", "worst", "extra"},
	}
	for _, r := range rows {
		cell := func(v float64) string { return fmt.Sprintf("%.1f", v) }
		t.add(r.Line, cell(r.Mean), cell(r.Tenth), cell(r.Worst), cell(r.Extra))
	}
	b.result.add(t)
	return nil
}
