// Package quote writes strings so that they can be pasted: into a configuration, into a shell. It also
// has the default ports of streams. It is a package of its own because the provider's functions
// need it, and these must not pull in what makes requests.
package quote

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// StreamPorts are the default ports of the URLs of streams, by scheme.
var StreamPorts = map[string]string{"rtmp": "1935", "rtmps": "443"}

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
	return "'" + strings.ReplaceAll(redact.Escape(s), "'", `'\''`) + "'"
}
