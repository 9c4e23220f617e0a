//go:build race

package acctest

// checks is the number of histories of each part of TestHistories. With the race detector a history
// takes three times as long, so these look for races only: `make test` plays the others without it.
const checks = "5"
