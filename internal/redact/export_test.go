package redact

// NewSmall is New with room for fewer secrets.
func NewSmall(room int) *Redactor { return newRedactor(room) }
