package main

import (
	"strings"
	"testing"
)

const changelog = `## 0.3.0 (Unreleased)

* next

## 0.2.10 (June 2, 2040)

FEATURES:

* ten

## 0.2.1 (June 1, 2040)

* one

## 0.2.0 (May 1, 2040)

## 0.2.0-rc.1 (April 1, 2040)

* candidate
`

func TestEntry(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"0.2.10":     "FEATURES:\n\n* ten\n",
		"0.2.1":      "* one\n",
		"0.2.0-rc.1": "* candidate\n",
	} {
		for name, text := range map[string]string{"LF": changelog, "CRLF": strings.ReplaceAll(changelog, "\n", "\r\n")} {
			if got, err := entry(text, version); err != nil || got != want {
				t.Errorf("%s, %s: %q, %v; want %q", version, name, got, err, want)
			}
		}
	}
}

func TestEntryThatCannotBeReleased(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"0.4.0":  "no entry",
		"0.2":    "no entry",
		"v0.2.1": "no entry",
		"":       "no entry",
		"0.3.0":  "no date",
		"0.2.0":  "is empty",
	} {
		if got, err := entry(changelog, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want an error that says %q", version, got, err, want)
		}
	}
}
