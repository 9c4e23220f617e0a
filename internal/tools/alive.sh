#!/bin/sh
# Runs a command, and says on standard error every ten seconds that it still runs.
# Usage: sh internal/tools/alive.sh 'Building the provider' go build ...
set -eu
what=$1
shift
(
	seconds=0
	while sleep 10 >/dev/null 2>&1; do
		seconds=$((seconds + 10))
		echo "$what: $seconds s"
	done
) >&2 &
alive=$!
status=0
"$@" || status=$?
kill "$alive"
wait "$alive" 2>/dev/null || true
exit "$status"
