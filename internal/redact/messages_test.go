package redact_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// TestOwnMessages: masking leaves every text of the provider's own code as it is. Descriptions are
// documentation: nothing masks them.
func TestOwnMessages(t *testing.T) {
	t.Parallel()
	r, texts := redact.New(), 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "simulator" || d.Name() == "acctest" || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if pair, ok := n.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && strings.HasSuffix(key.Name, "Description") {
					return false
				}
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := literal(e)
			if !ok || !strings.Contains(text, " ") || strings.Contains(path, "pattern.go") {
				return true
			}
			texts++
			if got := r.Text(text); got != text {
				t.Errorf("%s: %q shows as %q", path, text, got)
			}
			return false
		})
		return nil
	})
	if err != nil || texts < 500 {
		t.Errorf("%d texts were found: %v", texts, err)
	}
}

// literal returns a text that is written as one literal or several.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		x, first := literal(e.X)
		y, second := literal(e.Y)
		return x + y, e.Op == token.ADD && first && second
	}
	return "", false
}
