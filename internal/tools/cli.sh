#!/bin/sh
# Prints the path of the CLI for tests, checks and the demo: $CLI if set, else terraform or tofu from PATH, else
# OpenTofu built from its Go module. All other output goes to standard error. Run it in the root of the repository.
#
# A program on PATH is used only if it runs and is new enough: shims of version managers may not run.
set -eu

usable() {
	CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=/dev/null "$1" version 2>/dev/null | awk -v path="$1" '
		NR == 1 && match($0, /v[0-9]+\.[0-9]+/) {
			split(substr($0, RSTART + 1, RLENGTH - 1), v, ".")
			need = /^OpenTofu/ ? 8 : 5
			ok = v[1] > 1 || (v[1] == 1 && v[2] >= need)
			if (!ok) print path ": " $0 " is too old (Terraform 1.5 or OpenTofu 1.8 is needed)" > "/dev/stderr"
		}
		END { exit !ok }'
}

if [ -n "${CLI:-}" ]; then
	path=$(command -v "$CLI") || { echo "CLI=$CLI: no such program" >&2; exit 1; }
	usable "$path" || { echo "CLI=$CLI is not a usable terraform or tofu" >&2; exit 1; }
	case $path in /*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
	exit 0
fi

for name in terraform tofu; do
	if path=$(command -v "$name") && usable "$path"; then
		echo "$path"
		exit 0
	fi
done

echo "Neither terraform nor tofu is on PATH, so OpenTofu is built from its Go module into .cache/bin." >&2
"${MAKE:-make}" --no-print-directory .cache/bin/tofu >&2
echo "$PWD/.cache/bin/tofu"
