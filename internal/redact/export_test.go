package redact

// NewSmall is New with room for fewer secrets.
func NewSmall(whole, most int) *Redactor { return newRedactor(room{whole: whole, most: most}, nil) }
