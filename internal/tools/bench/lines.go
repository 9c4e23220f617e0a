package main

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// load is what is sent over a line.
type load struct {
	name  string // for -profiles
	text  string
	line  profile
	count int
	size  int64 // bytes of each file
	tls   bool
	long  bool // measured once for each five runs
	// expected is about the share of the line that a good client takes. It only serves to tell how long
	// the part takes.
	expected float64
}

var loads = func() []load {
	b := profile{Rate: 400, RTT: 80 * time.Millisecond}
	c := profile{Rate: 400, RTT: 200 * time.Millisecond}
	return []load{
		{"a", "100 Mbit/s, 20 ms", profile{Rate: 100, RTT: 20 * time.Millisecond}, 1, 256 * mebibyte, false, false, .9},
		{"b", "400 Mbit/s, 80 ms", b, 1, 512 * mebibyte, false, false, .85},
		{"c", "400 Mbit/s, 200 ms", c, 1, 512 * mebibyte, false, false, .7},
		{"d", "200 Mbit/s, 80 ms, 0.1 % loss", profile{Rate: 200, RTT: 80 * time.Millisecond, Loss: .001}, 1, 256 * mebibyte, false, false, .3},
		{"e", "400 Mbit/s, 80 ms, 40 Mbit/s each connection", profile{Rate: 400, RTT: 80 * time.Millisecond, Flow: 40}, 1, 512 * mebibyte, false, false, .5},
		{"small", "400 Mbit/s, 80 ms", b, 200, mebibyte, false, false, .5},
		{"tls", "400 Mbit/s, 80 ms, TLS", b, 1, 512 * mebibyte, true, false, .85},
		{"b4", "400 Mbit/s, 80 ms", b, 1, 4096 * mebibyte, false, true, .9},
		{"c4", "400 Mbit/s, 200 ms", c, 1, 4096 * mebibyte, false, true, .85},
	}
}()

func loadNames() string {
	var names []string
	for _, l := range loads {
		names = append(names, l.name)
	}
	return strings.Join(names, ",")
}

const (
	doubtful = 0.02 // share of late packets with which a run is not believed
	attempts = 3    // to get a run that is
)

func (l load) bytes() int64         { return int64(l.count) * l.size }
func (l load) ideal() time.Duration { return seconds(float64(l.bytes()) / l.line.payload()) }

// limit is when a run is stopped. Its goodput is then that of what has arrived.
func (l load) limit() time.Duration { return 4 * l.ideal() }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// runsOf is how often a contender is measured. Long loads, rclone and curl are there for orientation.
func (b *bench) runsOf(l load, contender string) int {
	if l.long || l.count == 1 && (contender == "rclone copyto" || contender == "curl") {
		return (b.runs + 4) / 5
	}
	return b.runs
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
	emulated := true
	probe, err := newLine(ctx, b.tools.self, loads[0].line)
	if err != nil {
		emulated = false
		fmt.Printf("No line is emulated: %v.\nThat needs root, /dev/net/tun and the program ip. Instead, each request of the simulated service and of the sink takes "+
			"a round trip longer, over loopback. Rate, loss and limits of connections are not measured.\n", err)
	} else if _, err = probe.close(); err != nil {
		return err
	}
	chosen := strings.Split(b.chosen, ",")
	for _, name := range chosen {
		if !slices.ContainsFunc(loads, func(l load) bool { return l.name == name }) {
			return fmt.Errorf("there is no profile %q; there are %s", name, loadNames())
		}
	}
	var todo []load
	var estimate time.Duration
	for _, l := range loads {
		if !slices.Contains(chosen, l.name) || !emulated && (l.tls || l.long || l.line.Loss > 0 || l.line.Flow > 0) {
			continue
		}
		todo = append(todo, l)
		for name, share := range map[string]float64{"engine": 1, "transfer manager": 1, "rclone copyto": .7, "curl": .4} {
			if !l.long || share == 1 {
				estimate += time.Duration(b.runsOf(l, name)) * min(l.limit(), seconds(l.ideal().Seconds()/l.expected/share))
			}
		}
	}
	fmt.Printf("This takes about %d minutes.\n\n", int(estimate.Minutes())+1)
	t := table{
		title: "Long lines",
		text: fmt.Sprintf("Goodput of whole uploads, the calls for addresses included, in per cent of the payload that the line carries; medians of %d runs in turns, of %d for 4 GiB, for curl and for rclone copyto. "+
			"The line is emulated between two network namespaces, with a queue of one bandwidth-delay product; congestion control is cubic. The sink takes the content. "+
			"*ratio* is the engine's goodput to the transfer manager's, with 200 files to rclone copy's. *curl* is one PUT. Memory is the peak of the client's process. "+
			"`<`: stopped after four times the time that the line needs. `!`: more than %.0f %% of the packets were more than %v late in each of %d attempts.",
			b.runs, (b.runs+4)/5, 100*doubtful, lateAfter, attempts),
		head: []string{"line", "sent", "engine", "transfer manager", "rclone", "curl", "ratio", "engine's memory", "transfer manager's", "rclone's"},
	}
	if !emulated {
		t.title, t.text = "Round trips", fmt.Sprintf("Goodput over loopback, where each request takes a round trip longer; medians of %d runs in turns, of %d for curl and for rclone copyto.", b.runs, (b.runs+4)/5)
	}
	for _, l := range todo {
		if err := b.lineLoad(ctx, l, emulated, &t); err != nil {
			return fmt.Errorf("profile %s: %w", l.name, err)
		}
	}
	b.report.add(t)
	return nil
}

func (b *bench) lineLoad(ctx context.Context, l load, emulated bool, t *table) error {
	dir, err := os.MkdirTemp(b.work, "content-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := write(dir, l.count, l.size)
	if err != nil {
		return err
	}
	site, err := newSite(ctx, l, emulated)
	if err != nil {
		return err
	}
	defer site.close()
	site.sink.expect(c)
	rclone := b.rclone(site.target, site.sink, c)
	contenders := []contender{b.self("engine", site.target, site.sink, site.service, c)}
	switch {
	case l.count > 1:
		contenders = append(contenders, rclone)
	case l.long:
		contenders = append(contenders, b.self("transfer manager", site.target, site.sink, site.service, c))
	default:
		contenders = append(contenders, b.self("transfer manager", site.target, site.sink, site.service, c), rclone, site.onePut(c.paths[0]))
	}
	runs := map[string][]run{}
	for round := range b.runs {
		for i := range contenders {
			next := contenders[(i+round)%len(contenders)]
			if len(runs[next.name]) >= b.runsOf(l, next.name) {
				continue
			}
			r, err := b.overLine(ctx, site, next)
			if err != nil {
				return fmt.Errorf("%s: %w", next.name, err)
			}
			runs[next.name] = append(runs[next.name], r)
		}
	}
	b.addLine(l, emulated, runs, t)
	return nil
}

// addLine adds a row to the table and a group of bars to the chart.
func (b *bench) addLine(l load, emulated bool, runs map[string][]run, t *table) {
	goodput := func(name string) float64 {
		if len(runs[name]) == 0 {
			return 0
		}
		return middle(runs[name], func(r run) float64 { return r.goodput })
	}
	memory := func(name string) any {
		if len(runs[name]) == 0 {
			return ""
		}
		return middle(runs[name], func(r run) int64 { return r.memory })
	}
	cell := func(name string) string {
		if len(runs[name]) == 0 {
			return ""
		}
		if !emulated {
			return fmt.Sprintf("%.0f MB/s", goodput(name)/1e6)
		}
		mark := ""
		if slices.ContainsFunc(runs[name], func(r run) bool { return r.cut }) {
			mark = "<"
		}
		text := fmt.Sprintf("%s%.1f %%", mark, 100*goodput(name)/l.line.payload())
		if slices.ContainsFunc(runs[name], func(r run) bool { return r.late > doubtful }) {
			text += "!"
		}
		return text
	}
	peer, rclone := "transfer manager", "rclone copyto"
	if l.count > 1 {
		peer, rclone = "rclone copy", "rclone copy"
	}
	t.add(l.text, fmt.Sprintf("%d x %d MiB", l.count, l.size/mebibyte), cell("engine"), cell("transfer manager"), cell(rclone), cell("curl"),
		goodput("engine")/goodput(peer), memory("engine"), memory("transfer manager"), memory(rclone))
	var bars plotter.Values
	for _, name := range []string{"engine", "transfer manager", rclone, "curl"} {
		bars = append(bars, 100*goodput(name)/l.line.payload())
	}
	b.report.goodput = append(b.report.goodput, group{l.name, bars})
}

// overLine makes one run over a new line, and repeats it if the emulator was late.
func (b *bench) overLine(ctx context.Context, s *site, c contender) (r run, err error) {
	for range attempts {
		if r, err = b.once(ctx, s, c); err != nil {
			return r, err
		}
		fmt.Printf("%s\t%s\t%.1f %%\t%.1f s\t%d MiB\tlate %.2f %%\n", s.load.name, c.name, 100*r.goodput/s.load.line.payload(), r.wall.Seconds(), r.memory/mebibyte, 100*r.late)
		if r.late <= doubtful {
			break
		}
	}
	return r, nil
}

func (b *bench) once(ctx context.Context, s *site, c contender) (r run, err error) {
	limited, cancel := context.WithTimeout(ctx, s.load.limit())
	defer cancel()
	cmd, err := c.command(limited)
	if err != nil {
		return r, err
	}
	if err := s.sink.empty(ctx); err != nil {
		return r, err
	}
	if !s.emulated {
		r.usage, err = measure(cmd)
	} else {
		var l *line
		if l, err = newLine(ctx, b.tools.self, s.load.line); err != nil {
			return r, err
		}
		if err = s.open(ctx, l); err == nil {
			l.near.do(func() { r.usage, err = measure(cmd) })
		}
		delivered, failed := l.close()
		if failed != nil {
			return r, failed
		}
		r.late = float64(delivered.Late) / float64(max(1, delivered.Packets))
	}
	r.cut = err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded)
	if r.cut {
		err = nil
	} else if err == nil && s.sink.received.Load() < s.load.bytes() {
		err = fmt.Errorf("the sink got %d bytes of %d", s.sink.received.Load(), s.load.bytes())
	}
	// More than the content arrives if a part is sent again.
	r.goodput = float64(min(s.sink.received.Load(), s.load.bytes())) / r.wall.Seconds()
	return r, err
}

// site is a simulated service with a sink as its storage. The service reaches the sink over loopback, the
// contenders reach both over a line, at the same ports.
type site struct {
	load     load
	emulated bool
	sink     *sink
	service  *service
	target   target
	config   *tls.Config
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
		server := httptest.NewTLSServer(nil) // for its certificate, which is one of 127.0.0.1
		defer server.Close()
		s.config = &tls.Config{Certificates: server.TLS.Certificates, MinVersion: tls.VersionTLS12}
		s.target.scheme, s.target.ca = "https", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	}
	s.service, err = serve(simulator.Options{Storage: storage, Latency: latency})
	return s, err
}

func (s *site) close() {
	s.service.close()
	s.sink.close()
}

// open makes the servers listen at the far end of a line.
func (s *site) open(ctx context.Context, l *line) error {
	for _, server := range []struct {
		address string
		serve   func(net.Listener)
	}{
		{s.sink.host(), s.sink.accept},
		{s.service.server.Listener.Addr().String(), func(listener net.Listener) { _ = s.service.server.Config.Serve(listener) }},
	} {
		_, port, err := net.SplitHostPort(server.address)
		if err != nil {
			return err
		}
		listener, err := l.listen(ctx, port, s.config)
		if err != nil {
			return err
		}
		go server.serve(listener)
	}
	return nil
}

// onePut sends a file with a single PUT by curl.
func (s *site) onePut(path string) contender {
	return contender{"curl", func(ctx context.Context) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, "curl", "-sSf", "--insecure", "--noproxy", "*", "--connect-to", "::"+s.target.connect+":", "-T", path, s.target.scheme+"://"+s.sink.host()+"/"+bucket+"/curl.mp4"), nil
	}}
}

// secureStorage hands out addresses that contenders use with TLS.
type secureStorage struct{ simulator.Storage }

func (s secureStorage) Presign(a simulator.Address) (string, error) {
	address, err := s.Storage.Presign(a)
	return strings.Replace(address, "http:", "https:", 1), err
}
