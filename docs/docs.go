// Package docs has the pages of the documentation that the provider itself reads.
package docs

import _ "embed"

// Troubleshooting is the guide whose headings are the summaries of all errors and warnings.
//
//go:embed guides/troubleshooting.md
var Troubleshooting string
