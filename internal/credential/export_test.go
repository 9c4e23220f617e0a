package credential

// CommandTokenWithin is CommandToken with another time limit.
var (
	CommandTokenWithin = commandToken
	FileTokenBy        = fileToken
)
