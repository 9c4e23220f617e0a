// Command releasenotes prints the entry of CHANGELOG.md for the version in its argument, without
// the heading. It fails if there is no such entry, or if the entry is empty or has no date yet.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	notes, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "releasenotes:", err)
		os.Exit(1)
	}
	fmt.Print(notes)
}

func run(args []string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("want a version as the only argument, got %q", args)
	}
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return "", err
	}
	return entry(string(changelog), args[0])
}

// entry is the text below the heading "## VERSION (DATE)".
func entry(changelog, version string) (string, error) {
	_, rest, found := strings.Cut("\n"+strings.ReplaceAll(changelog, "\r\n", "\n"), "\n## "+version+" (")
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no entry %q", "## "+version+" (DATE)")
	}
	date, rest, _ := strings.Cut(rest, ")\n")
	if date == "Unreleased" {
		return "", fmt.Errorf("the entry for %s in CHANGELOG.md has no date: replace %q", version, date)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("the entry for %s in CHANGELOG.md is empty", version)
	}
	return text + "\n", nil
}
