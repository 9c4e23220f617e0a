//go:build !race

package acctest

const checks = "75"
