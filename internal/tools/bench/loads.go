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

// loadUploads is how many uploads of random numbers of parts each row of the part loads has, for each run.
const loadUploads = 40

// endOfFile measures in virtual time how well uploads of random numbers of parts use a line whose connections differ.
// That is a test of the engine, because only tests have virtual time.
func (b *bench) endOfFile(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-v", "-run", "^TestLoads$", "-count=1", "-timeout=0", "./internal/transfer")
	cmd.Dir = b.root
	uploads := loadUploads * b.runs
	cmd.Env = append(os.Environ(), "LOADS="+strconv.Itoa(uploads))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	_, found, _ := bytes.Cut(out, []byte("rows: "))
	found, _, _ = bytes.Cut(found, []byte("\n"))
	var rows []struct {
		Line   string  `json:"Line"`
		Spread float64 `json:"Spread"`
		Mean   float64 `json:"Mean"`
		Tenth  float64 `json:"Tenth"`
		Worst  float64 `json:"Worst"`
		Extra  float64 `json:"Extra"`
	}
	if err := json.Unmarshal(found, &rows); err != nil {
		return err
	}
	t := table{
		title: "Ends of files",
		text: fmt.Sprintf("Uploads of 13 to 130 parts in virtual time, %d for each row, in per cent of what the line carries: the mean, what nine of ten uploads exceed, and the worst. "+
			"*spread* is by how much the connections differ; they change while they send. *extra* is how many PUTs were made beyond one a part, in per cent of the parts.", uploads),
		head: []string{"line", "spread", "mean", "nine of ten", "worst", "extra"},
	}
	for _, r := range rows {
		cell := func(v float64) string { return fmt.Sprintf("%.1f", v) }
		t.add(r.Line, fmt.Sprintf("%.0f %%", r.Spread), cell(r.Mean), cell(r.Tenth), cell(r.Worst), cell(r.Extra))
	}
	b.result.add(t)
	return nil
}
