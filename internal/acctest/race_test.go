//go:build race

package acctest

// checks is the number of histories of each part of TestHistories. With the race detector a history
// takes three times as long.
const checks = "23"
