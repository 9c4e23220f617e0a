package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlantsFit: each defect can still be put in.
func TestPlantsFit(t *testing.T) {
	t.Parallel()
	plants, err := parse(list)
	if err != nil || len(plants) < 20 {
		t.Fatalf("%d defects, %v", len(plants), err)
	}
	root := filepath.Join("..", "..", "..")
	for _, p := range plants {
		content, err := os.ReadFile(filepath.Join(root, p.file))
		if n := strings.Count(string(content), p.old); err != nil || n != 1 || p.old == p.planted {
			t.Errorf("%s: %s has the lines %d times, %v", p.title, p.file, n, err)
		}
	}
}
