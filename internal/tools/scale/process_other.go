//go:build !linux

package main

import "time"

func executable(int) string { return "" }

func children(int) []int { return nil }

func look(int) (sample, bool) { return sample{}, false }

func peak(int) int64 { return 0 }

func exactCPU(int) time.Duration { return 0 }

func processor() (model string, memory int64) { return "", 0 }
