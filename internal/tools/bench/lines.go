package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"
)

// load is what is sent over a line.
type load struct {
	name     string // for -profiles
	text     string
	line     profile
	size     int64   // bytes of each file; 0: drawn, another one each round
	sizes    []int64 // bytes of the file of each round, on a line that is drawn itself
	expected float64 // share of the line that a good client takes

	late int64 // of so many PUTs the answer to one is five seconds late; 0: none
}

const ms = time.Millisecond

var loads = []load{
	{name: "a", text: "100 Mbit/s, 20 ms", line: profile{Rate: 100, RTT: 20 * ms}, expected: .9},
	{name: "b", text: "400 Mbit/s, 80 ms", line: profile{Rate: 400, RTT: 80 * ms}, expected: .8},
	{name: "c", text: "400 Mbit/s, 200 ms", line: profile{Rate: 400, RTT: 200 * ms}, expected: .65},
	{name: "d", text: "200 Mbit/s, 80 ms, 0.1 % loss", line: profile{Rate: 200, RTT: 80 * ms, Loss: .001}, expected: .55},
	{name: "e", text: "400 Mbit/s, 80 ms, 40 Mbit/s each connection", line: profile{Rate: 400, RTT: 80 * ms, Flow: 40}, expected: .8},
	{name: "late", text: "400 Mbit/s, 80 ms, one answer of 50 five seconds late", line: profile{Rate: 400, RTT: 80 * ms}, size: 512 * mebibyte, expected: .5, late: 50},
}

// What is tuned may suit a line or, at the end of a file, a size by chance. So the sizes for each
// load are drawn, and some lines, too.
const (
	drawnLines       = "drawn" // the profile of them
	drawnSizes       = 12
	drawnLineCount   = 12
	sizesOfDrawnLine = 3
)

// lineSizes are those of the rounds of a load. Drawn ones are the same for each line.
func (b *bench) lineSizes(l load) (sizes []int64) {
	switch {
	case l.sizes != nil:
		return l.sizes
	case l.size > 0:
		return slices.Repeat([]int64{l.size}, b.runs)
	}
	random := rand.New(rand.NewPCG(b.seed, 0))
	for range drawnSizes {
		sizes = append(sizes, (20+random.Int64N(61))*8*mebibyte-random.Int64N(8*mebibyte))
	}
	return sizes
}

func loadNames() string {
	var names []string
	for _, l := range loads {
		names = append(names, l.name)
	}
	return strings.Join(append(names, drawnLines), ",")
}

const (
	doubtful = 0.02 // share of late packets with which a run is repeated
	attempts = 3
)

// expects is how long a good client takes for files of some size each.
func (l load) expects(size int64) time.Duration {
	return seconds(float64(size) / l.line.payload() / l.expected)
}

// limit is when a run is stopped. Its goodput then counts what has arrived.
func (l load) limit(size int64) time.Duration { return 2 * l.expects(size) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

var lineContenders = []string{"engine", "engine beside", "transfer manager"}

// takesPart reports whether a contender is measured.
func (b *bench) takesPart(contender string) bool {
	return contender != "engine beside" || b.beside != ""
}

// run is one run of a contender over a line.
type run struct {
	usage
	size    int64   // bytes of each file
	goodput float64 // share of the payload that the line carries
	late    float64 // share of packets
	cut     bool    // stopped at the limit
}

// lines compares the engine with other clients on emulated long lines.
func (b *bench) lines(ctx context.Context) error {
	t := table{
		title: "Long lines",
		text: fmt.Sprintf("Goodput of whole uploads, the calls for addresses included, in per cent of the payload that the line carries: means, and the worst one of the engine. "+
			"On lines with a letter, each contender sends %d files of 152 to 640 MiB, of any number of bytes (-seed %d), once, in turns; on *late* a file of 512 MiB %d times. "+
			"The other %d lines are drawn, too, a third of them with loss, a third with a limit for each connection; %d files each take the line 5 to 20 seconds at its full rate. "+
			"The line is emulated between two network namespaces, with a queue of one bandwidth-delay product; congestion control is cubic. The sink takes the content. "+
			"*ratio* is the engine's goodput to the transfer manager's at the same size. Memory is the peak of the client's process. "+
			"`<`: a run was stopped after twice the time that a good client needs. `!`: more than %.0f %% of the packets were more than %v late in each of %d attempts.",
			drawnSizes, b.seed, b.runs, drawnLineCount, sizesOfDrawnLine, 100*doubtful, lateAfter, attempts),
		head: []string{"line", "sent", "engine", "worst", "transfer manager", "ratio", "worst", "engine's memory", "transfer manager's"},
	}
	if b.beside != "" {
		t.text += " *beside* is the engine of another build of this program, with the ratio of the engine's goodput to it."
		t.head = append(t.head, "beside", "ratio", "worst")
	}
	todo, err := b.chosenLoads()
	if err != nil {
		return err
	}
	drawn := map[string][]run{}
	err = b.eachLine(ctx, todo, func(l load, runs map[string][]run) {
		b.addLine(&t, l.name+": "+l.text, runs)
		for name, of := range runs {
			if l.sizes != nil {
				drawn[name] = append(drawn[name], of...)
			}
		}
	})
	if len(drawn) > 0 {
		b.addLine(&t, "all drawn lines", drawn)
	}
	t.print()
	return err
}

// chosenLoads are those of the flag -profiles.
func (b *bench) chosenLoads() (chosen []load, err error) {
	for name := range strings.SplitSeq(b.profiles, ",") {
		i := slices.IndexFunc(loads, func(l load) bool { return l.name == name })
		switch {
		case name == drawnLines:
			chosen = append(chosen, b.drawLoads()...)
		case i < 0:
			return nil, fmt.Errorf("there is no profile %q; there are %s", name, loadNames())
		default:
			chosen = append(chosen, loads[i])
		}
	}
	return chosen, nil
}

// drawLoads draws lines, evenly in the logarithm of their rates and round trips.
func (b *bench) drawLoads() (drawn []load) {
	random := rand.New(rand.NewPCG(b.seed, 1))
	between := func(least, most float64) float64 { return least * math.Pow(most/least, random.Float64()) }
	for i := range drawnLineCount {
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
		l := load{name: fmt.Sprintf("line %d", i+1), text: text, line: line, expected: .4}
		for range sizesOfDrawnLine {
			l.sizes = append(l.sizes, int64(line.payload()*(5+15*random.Float64())))
		}
		drawn = append(drawn, l)
	}
	return drawn
}

// eachLine measures the contenders on each line. It prints how long that takes, and every run.
func (b *bench) eachLine(ctx context.Context, todo []load, found func(load, map[string][]run)) error {
	probe, err := newLine(ctx, b.tools.self, loads[0].line)
	if err != nil {
		return fmt.Errorf("no line can be emulated, which needs root, /dev/net/tun and the program ip: %w", err)
	}
	if _, err := probe.close(); err != nil {
		return err
	}
	var estimate time.Duration
	for _, l := range todo {
		for _, size := range b.lineSizes(l) {
			for _, contender := range lineContenders {
				if b.takesPart(contender) {
					estimate += l.expects(size) * 5 / 4
				}
			}
		}
	}
	fmt.Printf("This takes about %d minutes.\n\n", int(estimate.Minutes())+1)
	for _, l := range todo {
		runs, err := b.lineRuns(ctx, l)
		if err != nil {
			return fmt.Errorf("profile %s: %w", l.name, err)
		}
		found(l, runs)
	}
	return nil
}

// lineRuns measures the contenders in turns.
func (b *bench) lineRuns(ctx context.Context, l load) (map[string][]run, error) {
	s, err := newSite(ctx, l)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.sink.late = l.late
	runs := map[string][]run{}
	for round, size := range b.lineSizes(l) {
		if err := b.lineRound(ctx, s, round, size, runs); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// lineRound measures each contender once.
func (b *bench) lineRound(ctx context.Context, s *site, round int, size int64, runs map[string][]run) error {
	c, err := b.write(1, size)
	if err != nil {
		return err
	}
	defer c.remove()
	s.sink.expect(c)
	commands := map[string]contender{
		"engine": b.self("engine", farAddress, s.sink, s.service, c), "transfer manager": b.self("transfer manager", farAddress, s.sink, s.service, c),
		"engine beside": {"engine beside", played(b.beside, "engine", farAddress, s.sink, s.service, c, nil)},
	}
	for i := range lineContenders {
		name := lineContenders[(i+round)%len(lineContenders)] // another one begins each round
		if !b.takesPart(name) {
			continue
		}
		r := run{size: size}
		for attempt := 0; attempt == 0 || r.late > doubtful && attempt < attempts; attempt++ {
			if err := b.overLine(ctx, s, commands[name], &r); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Printf("%s\t%.1f MiB\t%s\t%.1f %%\t%.1f s\t%d MiB\tlate %.2f %%\n", s.load.name, float64(size)/float64(mebibyte), name,
				100*r.goodput, r.wall.Seconds(), r.memory/mebibyte, 100*r.late)
		}
		runs[name] = append(runs[name], r)
	}
	return nil
}

// addLine adds a row to the table.
func (b *bench) addLine(t *table, line string, runs map[string][]run) {
	sent := fmt.Sprintf("%d files", len(runs["engine"]))
	memory := func(name string) any {
		if len(runs[name]) == 0 {
			return ""
		}
		return middle(runs[name], func(r run) int64 { return r.memory })
	}
	worst := ""
	if len(runs["engine"]) > 0 {
		of := slices.MinFunc(runs["engine"], func(a, b run) int { return cmp.Compare(a.goodput, b.goodput) })
		worst = shares([]run{of})
	}
	row := []any{line, sent, shares(runs["engine"]), worst, shares(runs["transfer manager"])}
	row = append(row, ratios(runs["engine"], runs["transfer manager"])...)
	row = append(row, memory("engine"), memory("transfer manager"))
	if b.beside != "" {
		row = append(append(row, shares(runs["engine beside"])), ratios(runs["engine"], runs["engine beside"])...)
	}
	t.add(row...)
}

// shares is the mean goodput of runs for a table, "" of no runs.
func shares(of []run) (text string) {
	if len(of) == 0 {
		return ""
	}
	sum := 0.
	for _, r := range of {
		sum += r.goodput
	}
	text = fmt.Sprintf("%.1f %%", 100*sum/float64(len(of)))
	if slices.ContainsFunc(of, func(r run) bool { return r.cut }) {
		text = "<" + text
	}
	if slices.ContainsFunc(of, func(r run) bool { return r.late > doubtful }) {
		text += "!"
	}
	return text
}

// ratios are the mean and the worst ratio of goodputs at the same size, "" if there is none.
func ratios(of, to []run) []any {
	if len(of) != len(to) || len(of) == 0 {
		return []any{"", ""}
	}
	sum, worst := 0., math.Inf(1)
	for i := range of {
		ratio := of[i].goodput / to[i].goodput
		sum, worst = sum+ratio, min(worst, ratio)
	}
	return []any{sum / float64(len(of)), worst}
}

// overLine makes one run over a new line, and notes in r what it took.
func (b *bench) overLine(ctx context.Context, s *site, c contender, r *run) error {
	limited, cancel := context.WithTimeout(ctx, s.load.limit(r.size))
	defer cancel()
	cmd, err := c.command(limited)
	if err != nil {
		return err
	}
	if err := s.sink.empty(ctx); err != nil {
		return err
	}
	var failed error
	if r.late, err = s.over(ctx, b.tools.self, func() { r.usage, failed = measure(cmd) }); err != nil {
		return err
	}
	arrived := min(s.sink.received.Load(), r.size) // more if a part was sent again
	r.goodput = float64(arrived) / r.wall.Seconds() / s.load.line.payload()
	switch r.cut = failed != nil && ctx.Err() == nil && limited.Err() != nil; {
	case r.cut:
		return nil
	case failed == nil && arrived < r.size:
		return fmt.Errorf("the sink got %d bytes of %d", arrived, r.size)
	}
	return failed
}

// site is a simulated service with a sink as its storage. The service reaches the sink over
// loopback, the contenders reach both over a line, at the same ports.
type site struct {
	load    load
	sink    *sink
	service *service
}

func newSite(ctx context.Context, l load) (s *site, err error) {
	s = &site{load: l}
	if s.sink, err = startSink(ctx, 0); err != nil {
		return nil, err
	}
	s.service, err = serviceAt(ctx, s.sink)
	return s, err
}

func (s *site) close() {
	s.service.close()
	s.sink.close()
}

// over runs a function at the near end of a new line, with the servers at its far end. It returns
// the share of late packets.
func (s *site) over(ctx context.Context, program string, f func()) (late float64, err error) {
	l, err := newLine(ctx, program, s.load.line)
	if err != nil {
		return 0, err
	}
	err = errors.Join(
		l.serve(ctx, s.sink.host(), s.sink.accept),
		l.serve(ctx, s.service.host(), func(far net.Listener) { _ = s.service.server.Config.Serve(far) }))
	if err == nil {
		l.near.do(f)
	}
	d, closing := l.close()
	return float64(d.Late) / float64(max(1, d.Packets)), errors.Join(err, closing)
}
