package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// load is what is sent over a line.
type load struct {
	name     string // for -profiles
	text     string
	line     profile
	count    int
	size     int64 // bytes of each file
	tls      bool
	expected float64 // share of the line that a good client may take, to tell how long the part takes

	late      int64    // of so many PUTs the answer to one is five seconds late; 0: none
	addresses []string // of storage, for the engine; nil: it has one
}

const ms = time.Millisecond

var loads = slices.Concat(
	sizes("a", "100 Mbit/s, 20 ms", profile{Rate: 100, RTT: 20 * ms}, 256, .9),
	sizes("b", "400 Mbit/s, 80 ms", profile{Rate: 400, RTT: 80 * ms}, 512, .85),
	sizes("c", "400 Mbit/s, 200 ms", profile{Rate: 400, RTT: 200 * ms}, 512, .7),
	sizes("d", "200 Mbit/s, 80 ms, 0.1 % loss", profile{Rate: 200, RTT: 80 * ms, Loss: .001}, 256, .3),
	sizes("e", "400 Mbit/s, 80 ms, 40 Mbit/s each connection", profile{Rate: 400, RTT: 80 * ms, Flow: 40}, 512, .5),
	[]load{
		{name: "late", text: "400 Mbit/s, 80 ms, one answer of 50 five seconds late", line: profile{Rate: 400, RTT: 80 * ms}, count: 1, size: 512 * mebibyte, expected: .5, late: 50},
		{name: "dead", text: "400 Mbit/s, 80 ms, storage at four addresses of which one is dead", line: profile{Rate: 400, RTT: 80 * ms}, count: 1, size: 512 * mebibyte, expected: .8, addresses: storageAddresses},
		{name: "small", text: "400 Mbit/s, 80 ms", line: profile{Rate: 400, RTT: 80 * ms}, count: 200, size: mebibyte, expected: .5},
		{name: "tls", text: "400 Mbit/s, 80 ms, TLS", line: profile{Rate: 400, RTT: 80 * ms}, count: 1, size: 512 * mebibyte, tls: true, expected: .85},
		{name: "b4", text: "400 Mbit/s, 80 ms", line: profile{Rate: 400, RTT: 80 * ms}, count: 1, size: 4096 * mebibyte, expected: .9},
		{name: "c4", text: "400 Mbit/s, 200 ms", line: profile{Rate: 400, RTT: 200 * ms}, count: 1, size: 4096 * mebibyte, expected: .85},
	})

// sizes are one file of 24 parts, of 39, and of mebibytes MiB over the same line. Rules for the end of a file may suit
// one number of parts by chance.
func sizes(name, text string, line profile, mebibytes int64, expected float64) []load {
	l := load{name: name, text: text, line: line, count: 1, size: mebibytes * mebibyte, expected: expected}
	small, middle := l, l
	small.name, small.size = name+"-small", 188*mebibyte
	middle.name, middle.size = name+"-middle", 308*mebibyte
	return []load{small, middle, l}
}

func loadNames() string {
	var names []string
	for _, l := range loads {
		names = append(names, l.name)
	}
	return strings.Join(names, ",")
}

const (
	doubtful = 0.02 // share of late packets with which a run is repeated
	attempts = 3
)

func (l load) bytes() int64         { return int64(l.count) * l.size }
func (l load) long() bool           { return l.size > 1024*mebibyte }
func (l load) ideal() time.Duration { return seconds(float64(l.bytes()) / l.line.payload()) }

// share is goodput as a share of the payload that the line carries.
func (l load) share(goodput float64) float64 { return goodput / l.line.payload() }

// limit is when a run is stopped. Its goodput is then that of what has arrived.
func (l load) limit() time.Duration { return 4 * l.ideal() }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

var lineContenders = []string{"engine", "transfer manager", "rclone", "curl"}

// runs is how often a contender is measured. Long loads, and what is there for orientation, are measured
// once for each five runs.
func (l load) runs(contender string, runs int) int {
	oneByOne := contender == "transfer manager" || contender == "curl"
	orientation := contender == "rclone" || contender == "curl"
	switch {
	case l.addresses != nil && contender != "engine", l.late > 0 && orientation:
		return 0
	case l.count > 1 && oneByOne, l.long() && orientation:
		return 0
	case l.long(), l.count == 1 && orientation:
		return (runs + 4) / 5
	}
	return runs
}

// run is one run of a contender over a line.
type run struct {
	usage
	goodput float64 // bytes per second
	late    float64 // share of packets
	cut     bool    // stopped at the limit
}

// lines compares the engine with other clients on emulated long lines.
func (b *bench) lines(ctx context.Context) error {
	few := (b.runs + 4) / 5
	t := table{
		title: "Long lines",
		text: fmt.Sprintf("Goodput of whole uploads, the calls for addresses included, in per cent of the payload that the line carries; medians of %d runs in turns, of %d for 4 GiB and for rclone and curl with one file. "+
			"Three sizes a line: 24 parts of 8 MiB, 39, and 32 or 64. The line is emulated between two network namespaces, with a queue of one bandwidth-delay product; congestion control is cubic. The sink takes the content. "+
			"*ratio* is the engine's goodput to the transfer manager's, with 200 files to that of rclone. curl makes one PUT. Memory is the peak of the client's process. "+
			"`<`: stopped after four times the time that the line needs. `!`: more than %.0f %% of the packets were more than %v late in each of %d attempts.",
			b.runs, few, 100*doubtful, lateAfter, attempts),
		head: []string{"line", "sent", "engine", "transfer manager", "rclone", "curl", "ratio", "engine's memory", "transfer manager's", "rclone's"},
	}
	emulated := true
	if probe, err := newLine(ctx, b.tools.self, loads[0].line); err != nil {
		emulated = false
		fmt.Printf("No line is emulated: %v.\nThat needs root, /dev/net/tun and the program ip. Instead, each request to the simulated service and to the sink takes "+
			"a round trip longer, over loopback. Rates, loss and limits of connections are not measured.\n", err)
		t.title, t.text = "Round trips", fmt.Sprintf("Goodput over loopback, where each request takes a round trip longer; medians of %d runs in turns, of %d for rclone and curl with one file.", b.runs, few)
	} else if _, err := probe.close(); err != nil {
		return err
	}
	todo, err := b.chosenLoads(emulated)
	if err != nil {
		return err
	}
	for _, l := range todo {
		runs, err := b.lineRuns(ctx, l, emulated)
		if err != nil {
			return fmt.Errorf("profile %s: %w", l.name, err)
		}
		b.addLine(&t, l, emulated, runs)
	}
	b.result.add(t)
	return nil
}

// chosenLoads are the loads to measure. It prints how long that takes.
func (b *bench) chosenLoads(emulated bool) (todo []load, err error) {
	chosen := strings.Split(b.profiles, ",")
	for _, name := range chosen {
		if !slices.ContainsFunc(loads, func(l load) bool { return l.name == name }) {
			return nil, fmt.Errorf("there is no profile %q; there are %s", name, loadNames())
		}
	}
	var estimate time.Duration
	for _, l := range loads {
		if !slices.Contains(chosen, l.name) || !emulated && (l.tls || l.addresses != nil || l.long() || l.line.Loss > 0 || l.line.Flow > 0) {
			continue
		}
		todo = append(todo, l)
		for _, contender := range lineContenders {
			share := l.expected
			if contender == "curl" {
				share /= 2
			}
			estimate += time.Duration(l.runs(contender, b.runs)) * min(l.limit(), seconds(l.ideal().Seconds()/share))
		}
	}
	fmt.Printf("This takes about %d minutes.\n\n", int(estimate.Minutes())+1)
	return todo, nil
}

// lineRuns measures the contenders in turns. It prints every run.
func (b *bench) lineRuns(ctx context.Context, l load, emulated bool) (map[string][]run, error) {
	c, err := b.write(l.count, l.size)
	if err != nil {
		return nil, err
	}
	defer c.remove()
	s, err := newSite(ctx, l, emulated)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.sink.expect(c)
	s.sink.late = l.late
	commands := map[string]contender{
		"engine": b.self("engine", s.target, s.sink, s.service, c), "transfer manager": b.self("transfer manager", s.target, s.sink, s.service, c),
		"rclone": b.rclone(s.target, s.sink, c), "curl": s.onePut(c.paths[0]),
	}
	runs := map[string][]run{}
	for round := range b.runs {
		for i := range lineContenders {
			name := lineContenders[(i+round)%len(lineContenders)] // another one begins each round
			if round >= l.runs(name, b.runs) {
				continue
			}
			var r run
			for attempt := 0; attempt == 0 || r.late > doubtful && attempt < attempts; attempt++ {
				if r, err = b.overLine(ctx, s, commands[name]); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				fmt.Printf("%s\t%s\t%.1f %%\t%.1f s\t%d MiB\tlate %.2f %%\n", l.name, name, 100*l.share(r.goodput), r.wall.Seconds(), r.memory/mebibyte, 100*r.late)
			}
			runs[name] = append(runs[name], r)
		}
	}
	return runs, nil
}

// addLine adds a row to the table and a group of bars to the chart.
func (b *bench) addLine(t *table, l load, emulated bool, runs map[string][]run) {
	row := []any{l.name + ": " + l.text, fmt.Sprintf("%d x %d MiB", l.count, l.size/mebibyte)}
	goodput, memory := map[string]float64{}, map[string]any{}
	bars := group{Name: l.name}
	for _, name := range lineContenders {
		text, of := "", runs[name]
		memory[name] = ""
		if len(of) > 0 {
			goodput[name] = middle(of, func(r run) float64 { return r.goodput })
			memory[name] = middle(of, func(r run) int64 { return r.memory })
			text = fmt.Sprintf("%.1f %%", 100*l.share(goodput[name]))
		}
		if !emulated {
			text = fmt.Sprintf("%.0f MB/s", goodput[name]/1e6)
		}
		if slices.ContainsFunc(of, func(r run) bool { return r.cut }) {
			text = "<" + text
		}
		if slices.ContainsFunc(of, func(r run) bool { return r.late > doubtful }) {
			text += "!"
		}
		row = append(row, text)
		bars.Bars = append(bars.Bars, 100*l.share(goodput[name]))
	}
	peer := "transfer manager"
	if l.count > 1 {
		peer = "rclone"
	}
	var ratio any = ""
	if goodput[peer] > 0 {
		ratio = goodput["engine"] / goodput[peer]
	}
	t.add(append(row, ratio, memory["engine"], memory["transfer manager"], memory["rclone"])...)
	if emulated {
		b.result.Goodput = append(b.result.Goodput, bars)
	}
}

// overLine makes one run over a new line.
func (b *bench) overLine(ctx context.Context, s *site, c contender) (r run, err error) {
	limited, cancel := context.WithTimeout(ctx, s.load.limit())
	defer cancel()
	cmd, err := c.command(limited)
	if err != nil {
		return r, err
	}
	if err := s.sink.empty(ctx); err != nil {
		return r, err
	}
	var failed error
	if r.late, err = s.over(ctx, b.tools.self, func() { r.usage, failed = measure(cmd) }); err != nil {
		return r, err
	}
	arrived := min(s.sink.received.Load(), s.load.bytes()) // more if a part was sent again
	r.goodput = float64(arrived) / r.wall.Seconds()
	switch {
	case failed != nil && ctx.Err() == nil && limited.Err() != nil:
		r.cut = true
	case failed == nil && arrived < s.load.bytes():
		failed = fmt.Errorf("the sink got %d bytes of %d", arrived, s.load.bytes())
	}
	if r.cut {
		return r, nil
	}
	return r, failed
}

// site is a simulated service with a sink as its storage. The service reaches the sink over loopback, the
// contenders reach both over a line, at the same ports.
type site struct {
	load     load
	emulated bool
	sink     *sink
	service  *service
	target   target
	config   *tls.Config // nil: plain HTTP
}

func newSite(ctx context.Context, l load, emulated bool) (s *site, err error) {
	s = &site{load: l, emulated: emulated, target: loopback}
	latency := time.Duration(0)
	if emulated {
		s.target.connect = farAddress
	} else {
		latency = l.line.RTT
	}
	if s.sink, err = startSink(ctx, latency); err != nil {
		return nil, err
	}
	storage, err := bucketAt(ctx, s.sink)
	if err != nil {
		return nil, err
	}
	if l.tls {
		storage = secureStorage{storage}
		certificate := newCertificate()
		s.config, s.target.scheme, s.target.ca = certificate.config(), "https", certificate.pem()
	}
	if l.addresses != nil {
		storage, s.target.addresses = namedStorage{storage}, l.addresses
	}
	s.service, err = serve(simulator.Options{Storage: storage, Latency: latency})
	return s, err
}

func (s *site) close() {
	s.service.close()
	s.sink.close()
}

// over runs a function at the near end of a new line, with the servers at its far end. It returns the share
// of late packets.
func (s *site) over(ctx context.Context, program string, f func()) (late float64, err error) {
	if !s.emulated {
		f()
		return 0, nil
	}
	l, err := newLine(ctx, program, s.load.line)
	if err != nil {
		return 0, err
	}
	err = errors.Join(
		l.serve(ctx, s.sink.host(), s.config, s.sink.accept),
		l.serve(ctx, s.service.host(), s.config, func(far net.Listener) { _ = s.service.server.Config.Serve(far) }))
	if err == nil {
		l.near.do(f)
	}
	d, closing := l.close()
	return float64(d.Late) / float64(max(1, d.Packets)), errors.Join(err, closing)
}

// onePut sends a file with a single PUT by curl.
func (s *site) onePut(path string) contender {
	return contender{"curl", func(ctx context.Context) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, "curl", "-sSf", "--insecure", "--noproxy", "*", "--connect-to", "::"+s.target.connect+":", "-T", path, s.target.scheme+"://"+s.sink.host()+"/"+bucket+"/curl.mp4"), nil
	}}
}
