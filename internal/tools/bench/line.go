package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

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
	input     io.Closer
	servers   []*http.Server
}

// newLine needs the rights of root, /dev/net/tun and the program ip. What it has made when it fails
// ends with the process.
func newLine(ctx context.Context, program string, p profile, servers []*httptest.Server) (l *line, err error) {
	l = &line{}
	if l.near, err = newNamespace(ctx, nearAddress); err != nil {
		return l, err
	}
	if l.far, err = newNamespace(ctx, farAddress); err != nil {
		return l, err
	}
	for _, s := range servers {
		if err := l.serve(ctx, s); err != nil {
			return l, err
		}
	}
	argument, err := json.Marshal(p)
	if err != nil {
		return l, err
	}
	l.relay = exec.CommandContext(ctx, program, "relay", string(argument))
	l.relay.Stderr = os.Stderr
	l.relay.ExtraFiles = []*os.File{l.near.device, l.far.device}
	// The relay ends when its input does, so also with this process.
	if l.input, err = l.relay.StdinPipe(); err != nil {
		return l, err
	}
	return l, l.relay.Start()
}

// serve serves at the far end what a server on loopback serves, at the same port.
func (l *line) serve(ctx context.Context, near *httptest.Server) (err error) {
	_, port, err := net.SplitHostPort(near.Listener.Addr().String())
	if err != nil {
		return err
	}
	var listener net.Listener
	l.far.do(func() { listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp4", ":"+port) })
	if err != nil {
		return err
	}
	far := &http.Server{Handler: near.Config.Handler, ReadHeaderTimeout: time.Minute}
	l.servers = append(l.servers, far)
	go func() { _ = far.Serve(listener) }()
	return nil
}

// close ends the line. Open connections would keep the namespaces.
func (l *line) close() error {
	for _, s := range l.servers {
		_ = s.Close()
	}
	_ = l.input.Close()
	err := l.relay.Wait()
	for _, n := range []*namespace{l.near, l.far} {
		err = errors.Join(err, n.device.Close(), n.file.Close())
	}
	return err
}

// namespace is a network namespace with one TUN device.
type namespace struct{ file, device *os.File }

func newNamespace(ctx context.Context, address string) (n *namespace, err error) {
	n = &namespace{}
	onThread(func() {
		if err = unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return
		}
		if n.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
			return
		}
		if n.device, err = tunDevice(); err != nil {
			return
		}
		for _, args := range []string{
			"address add " + address + "/30 dev tun0",
			"link set tun0 up mtu " + strconv.Itoa(mtu) + " txqueuelen 20000",
			"route change 10.99.0.0/30 dev tun0 proto kernel scope link src " + address + " congctl cubic",
		} {
			if out, failed := exec.CommandContext(ctx, "ip", strings.Fields(args)...).CombinedOutput(); failed != nil {
				err = fmt.Errorf("ip %s: %w: %s", args, failed, out)
				return
			}
		}
	})
	return n, err
}

// tunDevice makes tun0 in the namespace of the current thread.
func tunDevice() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	request, err := unix.NewIfreq("tun0")
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	return os.NewFile(uintptr(fd), "tun0"), unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
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
