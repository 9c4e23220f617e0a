package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	mtu = 1500
	// payloadShare is the part of each full packet that is TCP payload.
	payloadShare = 1448.0 / mtu
	// A run is doubtful if more than this share of the packets was delivered so late.
	doubtful  = 0.02
	lateAfter = 2 * time.Millisecond
)

// profile describes a line. Rates are in Mbit/s of IP packets.
type profile struct {
	Rate float64       `json:"rate"` // of each direction
	RTT  time.Duration `json:"rtt"`  // round trip
	Loss float64       `json:"loss"` // share of packets lost on the way to the server
	Flow float64       `json:"flow"` // limit of each TCP connection to the server; 0: none
}

// payload is what the line carries at most, in bytes of TCP payload per second.
func (p profile) payload() float64 { return p.Rate * 1e6 / 8 * payloadShare }

// relay is the process that emulates a line: "bench relay PROFILE". It relays IP packets between
// two TUN devices, file descriptors 3 (client) and 4 (server), until its standard input ends.
// Then it says if the run is doubtful.
func relay(argument string) error {
	var p profile
	if err := json.Unmarshal([]byte(argument), &p); err != nil {
		return err
	}
	// The loops below make system calls without Go's scheduler, because it would need more
	// processor time than they do. So each loop keeps a P while it sleeps, and a garbage collection
	// would wait for all of them. Packets are reused, so there is next to no garbage.
	runtime.GOMAXPROCS(8)
	debug.SetGCPercent(-1)
	rate := p.Rate * 1e6 / 8
	queue := max(64<<10, rate*p.RTT.Seconds()) // one bandwidth-delay product
	up := &direction{in: 3, out: 4, rate: rate, queue: queue, delay: p.RTT / 2, loss: p.Loss, flowRate: p.Flow * 1e6 / 8, flows: map[uint32]*flow{}}
	down := &direction{in: 4, out: 3, rate: rate, queue: queue, delay: p.RTT / 2, flows: map[uint32]*flow{}}
	for _, d := range []*direction{up, down} {
		go d.receive()
		go d.deliver()
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for _, d := range []*direction{up, down} {
		d.mu.Lock()
		if share := float64(d.late) / float64(max(1, d.packets)); share > doubtful {
			fmt.Fprintf(os.Stderr, "relay: %.1f %% of the packets were more than %v late: this run is doubtful\n", 100*share, lateAfter)
		}
		d.mu.Unlock()
	}
	return nil
}

// direction relays packets from one device to the other. A packet passes the line's bottleneck (a
// rate, and a queue that drops what does not fit), random loss, the limit of its connection, and
// the delay.
type direction struct {
	in, out        uintptr
	rate, queue    float64 // bytes per second, bytes
	delay          time.Duration
	loss, flowRate float64
	free           time.Duration // when the bottleneck has sent all that it holds
	mu             sync.Mutex    // for the fields below
	flows          map[uint32]*flow
	unused         []*packet
	packets, late  int // delivered, of these too late
}

// flow has the packets on their way, in order. With a limit for each connection there is a flow for
// each connection, else one for all.
type flow struct {
	packets []*packet
	free    time.Duration // when the connection's own bottleneck has sent all that it holds
}

type packet struct {
	due  time.Duration
	size int
	data [mtu]byte
}

var epoch = time.Now()

// receive decides when each packet is delivered, if ever.
func (d *direction) receive() {
	lockThread()
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	p := d.packet()
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, d.in, uintptr(unsafe.Pointer(&p.data[0])), mtu)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			fmt.Fprintln(os.Stderr, "relay:", errno)
			os.Exit(1)
		}
		p.size = int(n)
		now := time.Since(epoch)
		if max(0, d.free-now).Seconds()*d.rate+float64(n) > d.queue {
			continue
		}
		d.free = max(d.free, now) + duration(n, d.rate)
		if n > 100 && random.Float64() < d.loss { // acknowledgements are not lost
			continue
		}
		if d.push(p) {
			p = d.packet()
		}
	}
}

// push adds a packet to its flow, unless more than a tenth of a second is waiting for the limit of
// the connection.
func (d *direction) push(p *packet) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	var key uint32
	if d.flowRate > 0 {
		key = p.ports()
	}
	f := d.flows[key]
	if f == nil {
		f = &flow{}
		d.flows[key] = f
	}
	f.free = max(f.free, d.free)
	if f.free-d.free > 100*time.Millisecond {
		return false
	}
	if d.flowRate > 0 {
		f.free += duration(uintptr(p.size), d.flowRate)
	}
	p.due = f.free + d.delay
	f.packets = append(f.packets, p)
	return true
}

// deliver writes packets when they are due.
func (d *direction) deliver() {
	lockThread()
	for {
		p, wait := d.pop()
		if p == nil {
			pause := unix.NsecToTimespec(int64(min(max(wait, 200*time.Microsecond), time.Millisecond)))
			_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
			continue
		}
		late := time.Since(epoch)-p.due > lateAfter
		_, _, _ = unix.RawSyscall(unix.SYS_WRITE, d.out, uintptr(unsafe.Pointer(&p.data[0])), uintptr(p.size))
		d.mu.Lock()
		d.packets++
		if late {
			d.late++
		}
		d.unused = append(d.unused, p)
		d.mu.Unlock()
	}
}

// pop takes the packet that is due first. If none is due it returns nil and the time until one is.
func (d *direction) pop() (*packet, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var next *flow
	for _, f := range d.flows {
		if len(f.packets) > 0 && (next == nil || f.packets[0].due < next.packets[0].due) {
			next = f
		}
	}
	if next == nil {
		return nil, time.Millisecond
	}
	p := next.packets[0]
	if wait := p.due - time.Since(epoch); wait > 0 {
		return nil, wait
	}
	next.packets = next.packets[1:]
	return p, 0
}

func (d *direction) packet() *packet {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := len(d.unused) - 1
	if last < 0 {
		return &packet{}
	}
	p := d.unused[last]
	d.unused = d.unused[:last]
	return p
}

// ports identifies a TCP connection by its ports.
func (p *packet) ports() uint32 {
	header := int(p.data[0]&15) * 4
	if p.data[0]>>4 != 4 || p.data[9] != unix.IPPROTO_TCP || p.size < header+4 {
		return 0
	}
	return binary.BigEndian.Uint32(p.data[header:])
}

func duration(bytes uintptr, rate float64) time.Duration {
	return time.Duration(float64(bytes) / rate * float64(time.Second))
}

// lockThread gives the goroutine a thread of its own that the kernel prefers to all ordinary ones,
// as if the line were another machine. It sleeps most of the time.
func lockThread() {
	runtime.LockOSThread()
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
}
