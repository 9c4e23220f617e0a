package parse

import (
	"fmt"
	"strings"
	"unicode"
)

// HCL quotes a string for a configuration, where ${ and %{ begin a template.
func HCL(s string) string {
	var b strings.Builder
	for _, c := range strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(s) {
		switch {
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, c)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return `"` + b.String() + `"`
}

// Shell quotes a string as one word for a POSIX shell.
func Shell(s string) string {
	return "'" + strings.ReplaceAll(Escape(s), "'", `'\''`) + "'"
}
