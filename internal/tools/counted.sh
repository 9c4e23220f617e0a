#!/bin/sh
# Runs a command and writes what it prints to standard error. The many lines of modules that go downloads are one line that
# counts: on a terminal it is rewritten, elsewhere it is printed in the end.
status=$({
	{ "$@" 2>&1; echo $? >&3; } | awk -v terminal="$([ -t 2 ] && echo 1)" '
		/^go: downloading / { n++; if (terminal) { printf "\r%d modules downloaded", n; fflush() }; next }
		{ if (terminal && n) printf "\n"; print; fflush() }
		END { if (n && !terminal) printf "%d modules downloaded", n; if (n) printf "\n" }' >&2
} 3>&1)
exit "$status"
