package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"time"
)

// load is what is sent over a line.
type load struct {
	name     string // for -profiles
	text     string
	line     profile
	sizes    []int64 // bytes of the file of each round
	expected float64 // share of the line that a good client takes
	late     int64   // of so many PUTs the answer to one is five seconds late; 0: none
}

const (
	ms         = time.Millisecond
	drawn      = "drawn" // the profile of lines that are drawn
	drawnCount = 12      // of sizes for each line with a letter, and of drawn lines
)

var loads = []load{
	{name: "a", text: "100 Mbit/s, 20 ms", line: profile{Rate: 100, RTT: 20 * ms}, expected: .9},
	{name: "b", text: "400 Mbit/s, 80 ms", line: profile{Rate: 400, RTT: 80 * ms}, expected: .8},
	{name: "c", text: "400 Mbit/s, 200 ms", line: profile{Rate: 400, RTT: 200 * ms}, expected: .65},
	{name: "d", text: "200 Mbit/s, 80 ms, 0.1 % loss", line: profile{Rate: 200, RTT: 80 * ms, Loss: .001}, expected: .55},
	{name: "e", text: "400 Mbit/s, 80 ms, 40 Mbit/s each connection", line: profile{Rate: 400, RTT: 80 * ms, Flow: 40}, expected: .8},
	{name: "late", text: "400 Mbit/s, 80 ms, one answer of 50 five seconds late", line: profile{Rate: 400, RTT: 80 * ms}, expected: .5, late: 50},
}

func profileNames() string {
	var names []string
	for _, l := range loads {
		names = append(names, l.name)
	}
	return strings.Join(append(names, drawn), ",")
}

// chosenLoads are those of the flag -profiles. What is tuned may suit a size by chance, so sizes
// are drawn, the same for each line.
func (b *bench) chosenLoads() (chosen []load, err error) {
	random := rand.New(rand.NewPCG(b.seed, 0))
	var sizes []int64
	for range drawnCount {
		sizes = append(sizes, (20+random.Int64N(61))*8*mebibyte-random.Int64N(8*mebibyte))
	}
	for name := range strings.SplitSeq(b.profiles, ",") {
		i := slices.IndexFunc(loads, func(l load) bool { return l.name == name })
		switch {
		case name == drawn:
			chosen = append(chosen, b.drawLoads()...)
		case i < 0:
			return nil, fmt.Errorf("there is no profile %q; there are %s", name, profileNames())
		default:
			l := loads[i]
			l.text, l.sizes = l.name+": "+l.text, sizes
			chosen = append(chosen, l)
		}
	}
	return chosen, nil
}

// drawLoads draws lines, evenly in the logarithm of their rates and round trips. A third of them
// lose packets, a third limit each connection.
func (b *bench) drawLoads() (loads []load) {
	random := rand.New(rand.NewPCG(b.seed, 1))
	between := func(least, most float64) float64 { return least * math.Pow(most/least, random.Float64()) }
	for i := range drawnCount {
		line := profile{Rate: math.Round(between(20, 800)), RTT: time.Duration(between(5, 250)) * ms}
		text := fmt.Sprintf("%.0f Mbit/s, %v", line.Rate, line.RTT)
		switch i % 3 {
		case 1:
			line.Loss = math.Round(1e5*between(1e-4, 2e-3)) / 1e5
			text += fmt.Sprintf(", %.3g %% loss", 100*line.Loss)
		case 2:
			line.Flow = math.Round(line.Rate * between(.05, .5))
			text += fmt.Sprintf(", %.0f Mbit/s each connection", line.Flow)
		}
		size := int64(line.payload() * (5 + 15*random.Float64()))
		loads = append(loads, load{name: drawn, text: text, line: line, sizes: []int64{size}, expected: .4})
	}
	return loads
}

// expects is how long a good client takes for a file.
func (l load) expects(size int64) time.Duration {
	return time.Duration(float64(size) / l.line.payload() / l.expected * float64(time.Second))
}

// run is one run of a contender over a line.
type run struct {
	usage
	goodput float64 // share of the payload that the line carries
	cut     bool    // stopped after twice the time that a good client needs
}

// lines compares the engine with the transfer manager on emulated long lines.
func (b *bench) lines(ctx context.Context) error {
	t := table{
		title: "Long lines",
		text: fmt.Sprintf("Goodput of whole uploads, the calls for addresses included, in per cent of the payload that the line carries: means, and the worst one of the engine. "+
			"On lines with a letter, each contender sends %d files of 152 to 640 MiB, of any number of bytes (-seed %d), once, in turns; on each of the other lines, which are drawn, a file that takes the line 5 to 20 seconds at its full rate. "+
			"The line is emulated between two network namespaces, with a queue of one bandwidth-delay product; congestion control is cubic. The sink takes the content. "+
			"*ratio* is the engine's goodput to the transfer manager's at the same size. "+
			"`<`: a run was stopped after twice the time that a good client needs.", drawnCount, b.seed),
		head: []string{"line", "engine", "worst", "transfer manager", "ratio", "worst"},
	}
	chosen, err := b.chosenLoads()
	if err != nil {
		return err
	}
	allDrawn := map[string][]run{}
	for _, l := range chosen {
		runs, err := b.lineRuns(ctx, l)
		if err != nil {
			t.print() // of the lines before
			return fmt.Errorf("line %s: %w", l.text, err)
		}
		t.addLine(l.text, runs)
		if l.name == drawn {
			for name, of := range runs {
				allDrawn[name] = append(allDrawn[name], of...)
			}
		}
	}
	if len(allDrawn) > 0 {
		t.addLine("all drawn lines", allDrawn)
	}
	t.print()
	return nil
}

// lineRuns measures the contenders on one line in turns.
func (b *bench) lineRuns(ctx context.Context, l load) (map[string][]run, error) {
	s := &sink{late: l.late}
	store := httptest.NewServer(s)
	defer store.Close()
	service, err := serviceAt(ctx, store.URL)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	runs := map[string][]run{}
	for round, size := range l.sizes {
		c, err := b.write(1, size)
		if err != nil {
			return nil, err
		}
		s.expect(c)
		j := job{Service: service.URL, Store: store.URL, Connect: farAddress, Paths: c.paths, Size: size, SHA256: c.sha256}
		contenders := []contender{j.contender("engine", b.self), j.contender("transfer manager", b.self)}
		for i := range contenders {
			with := contenders[(i+round)%len(contenders)] // another one begins each round
			r, err := b.overLine(ctx, l, size, s, with, store, service)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", with.name, err)
			}
			fmt.Printf("%s\t%.1f MiB\t%s\t%.1f %%\t%.1f s\n", l.text, float64(size)/float64(mebibyte), with.name, 100*r.goodput, r.wall.Seconds())
			runs[with.name] = append(runs[with.name], r)
		}
		_ = os.RemoveAll(c.dir)
	}
	return runs, nil
}

// overLine makes one run over a new line: the contender at its near end, the servers at its far
// end, at the ports that they have on loopback.
func (b *bench) overLine(ctx context.Context, l load, size int64, s *sink, c contender, servers ...*httptest.Server) (r run, err error) {
	_ = s.empty()
	limited, cancel := context.WithTimeout(ctx, 2*l.expects(size))
	defer cancel()
	cmd, err := c.command(limited)
	if err != nil {
		return r, err
	}
	line, err := newLine(ctx, b.self, l.line, servers)
	if err != nil {
		return r, fmt.Errorf("emulating a line, which needs root, /dev/net/tun and the program ip: %w", err)
	}
	var failed error
	line.near.do(func() { r.usage, failed = measure(cmd) })
	if err := line.close(); err != nil {
		return r, err
	}
	arrived := min(s.received.Load(), size) // more if a part was sent again
	r.goodput = float64(arrived) / r.wall.Seconds() / l.line.payload()
	switch {
	case failed != nil && ctx.Err() == nil && limited.Err() != nil:
		r.cut = true
		return r, nil
	case failed == nil && arrived < size:
		return r, fmt.Errorf("the sink got %d bytes of %d", arrived, size)
	}
	return r, failed
}

// addLine adds a row to the table.
func (t *table) addLine(line string, runs map[string][]run) {
	engine, manager := runs["engine"], runs["transfer manager"]
	worst := slices.MinFunc(engine, func(a, b run) int { return cmp.Compare(a.goodput, b.goodput) })
	mean, least := ratios(engine, manager)
	t.add(line, shares(engine), shares([]run{worst}), shares(manager), mean, least)
}

// shares is the mean goodput of runs for a table.
func shares(of []run) string {
	sum := 0.
	for _, r := range of {
		sum += r.goodput
	}
	text := fmt.Sprintf("%.1f %%", 100*sum/float64(len(of)))
	if slices.ContainsFunc(of, func(r run) bool { return r.cut }) {
		text = "<" + text
	}
	return text
}

// ratios are the mean and the least ratio of goodputs at the same size.
func ratios(of, to []run) (mean, least float64) {
	least = math.Inf(1)
	for i := range of {
		ratio := of[i].goodput / to[i].goodput
		mean, least = mean+ratio/float64(len(of)), min(least, ratio)
	}
	return mean, least
}
