package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	nearAddress = "10.99.0.1"
	farAddress  = "10.99.0.2"
)

// line is an emulated long line between two network namespaces. Contenders run in the near one,
// servers listen in the far one. The namespaces have no name: they end with the line, or with this
// process.
type line struct {
	near, far *namespace
	relay     *exec.Cmd
	input     *os.File
	output    bytes.Buffer

	mu   sync.Mutex
	open []interface{ Close() error } // listeners and connections of the far namespace
}

// newLine needs the rights of root, /dev/net/tun and the program ip.
func newLine(ctx context.Context, program string, p profile) (l *line, err error) {
	l = &line{}
	defer func() {
		if err != nil {
			_, closing := l.close()
			err = errors.Join(err, closing)
		}
	}()
	if l.near, err = newNamespace(ctx, nearAddress); err != nil {
		return l, err
	}
	if l.far, err = newNamespace(ctx, farAddress); err != nil {
		return l, err
	}
	argument, err := json.Marshal(p)
	if err != nil {
		return l, err
	}
	// The relay ends when its input does, so also with this process.
	input, ours, err := os.Pipe()
	if err != nil {
		return l, err
	}
	defer input.Close()
	l.input = ours
	l.relay = exec.CommandContext(ctx, program, "relay", string(argument))
	l.relay.Stdin, l.relay.Stdout, l.relay.Stderr = input, &l.output, os.Stderr
	l.relay.ExtraFiles = []*os.File{l.near.device, l.far.device}
	return l, l.relay.Start()
}

// close ends the line and returns what it delivered.
func (l *line) close() (d delivery, err error) {
	l.mu.Lock()
	for _, c := range l.open {
		_ = c.Close()
	}
	l.mu.Unlock()
	if l.input != nil {
		_ = l.input.Close()
	}
	if l.relay != nil && l.relay.Process != nil {
		if err = l.relay.Wait(); err == nil {
			err = json.Unmarshal(l.output.Bytes(), &d)
		}
	}
	for _, n := range []*namespace{l.near, l.far} {
		if n != nil {
			_ = n.device.Close()
			_ = n.file.Close()
		}
	}
	return d, err
}

// serve listens at the far end, on the port of a server's own address.
func (l *line) serve(ctx context.Context, address string, accept func(net.Listener)) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	var listener net.Listener
	l.far.do(func() { listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp4", ":"+port) })
	if err != nil {
		return err
	}
	l.closeLater(listener)
	go accept(&farListener{listener, l})
	return nil
}

func (l *line) closeLater(c interface{ Close() error }) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, c)
}

// farListener remembers its connections: open ones would keep the namespace.
type farListener struct {
	net.Listener
	line *line
}

func (f *farListener) Accept() (net.Conn, error) {
	c, err := f.Listener.Accept()
	if err == nil {
		f.line.closeLater(c)
	}
	return c, err
}

// namespace is a network namespace with one TUN device.
type namespace struct{ file, device *os.File }

func newNamespace(ctx context.Context, address string) (n *namespace, err error) {
	n = &namespace{}
	onThread(func() {
		if err = unix.Unshare(unix.CLONE_NEWNET); err != nil {
			err = fmt.Errorf("making a network namespace: %w", err)
			return
		}
		if n.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
			return
		}
		if n.device, err = tunDevice(); err != nil {
			err = errors.Join(fmt.Errorf("making a TUN device: %w", err), n.file.Close())
			return
		}
		commands := []string{
			"address add " + address + "/30 dev tun0",
			"link set tun0 up mtu " + strconv.Itoa(mtu) + " txqueuelen 20000",
			"route change 10.99.0.0/30 dev tun0 proto kernel scope link src " + address + " congctl cubic",
		}
		for _, args := range commands {
			if out, failed := exec.CommandContext(ctx, "ip", strings.Fields(args)...).CombinedOutput(); failed != nil {
				err = errors.Join(fmt.Errorf("ip %s: %w: %s", args, failed, out), n.device.Close(), n.file.Close())
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// tunDevice makes tun0 in the namespace of the current thread.
func tunDevice() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	device := os.NewFile(uintptr(fd), "tun0")
	request, err := unix.NewIfreq("tun0")
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return device, nil
}

// do runs a function in the namespace. Sockets that it makes, and processes that it starts, belong
// to it.
func (n *namespace) do(f func()) {
	onThread(func() {
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			panic(err) // the namespace is this process's own
		}
		f()
	})
}

// onThread runs a function on a thread that ends with it.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}
