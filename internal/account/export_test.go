package account

// KeepAtMost sets how many bytes the pages of one listing may take.
func (r *Reader) KeepAtMost(bytes int64) { r.largest = bytes }
