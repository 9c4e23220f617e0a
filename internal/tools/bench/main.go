package main

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		if err := runChild(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	path := "/tmp/te/g.bin"
	size := int64(1 << 30)
	if len(os.Args) > 1 {
		n, _ := strconv.Atoi(os.Args[1])
		size = int64(n) << 20
		path = "/tmp/te/f.bin"
		b, _ := os.ReadFile("/tmp/te/g.bin")
		os.WriteFile(path, b[:size], 0o644)
	}
	b, _ := os.ReadFile(path)
	e := &etags{}
	for i := int64(0); i < size; i += 16 << 20 {
		s := md5.Sum(b[i:min(i+16<<20, size)])
		e.parts = append(e.parts, hex.EncodeToString(s[:]))
	}
	w := sha256.Sum256(b)
	b = nil
	s, _ := startSink()
	s.etags.Store(e)
	j := job{Endpoint: s.url(), Bucket: "b", Key: "k", Path: path, Size: size, SHA256: hex.EncodeToString(w[:])}
	run := func(n string, j job) {
		a, _ := json.Marshal(j)
		c := exec.Command(os.Args[0], "child", string(a))
		c.Stderr = os.Stderr
		t := time.Now()
		err := c.Run()
		fmt.Printf("%-20s wall %.3f cpu %.3f %v\n", n, time.Since(t).Seconds(), (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), err)
	}
	for i := 0; i < 5; i++ {
		j.Contender = "engine"
		j.Concurrency = 4
		j.Profile = os.Getenv("PROF")
		run("engine 4", j)
		j.Concurrency = 8
		run("engine 8", j)
		j.Concurrency = 0
		j.Contender = "transfermanager"
		j.Profile = os.Getenv("PROFTM")
		run("tm", j)
		j.NoChecksum = true
		run("tm nosum", j)
		j.NoChecksum = false
	}
}
