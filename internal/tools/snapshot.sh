#!/bin/sh
# Builds a snapshot release into dist. Where there is gpg, its checksums are signed with a key made for this one run, and
# the signature is verified, as a registry does; where there is syft, every archive gets its SBOM. Run at the
# repository's top.
set -eu

skip=
if command -v gpg >/dev/null; then
	GNUPGHOME=$(mktemp -d)
	export GNUPGHOME
	trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
	gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key 'Snapshot <snapshot@example.com>' rsa3072 sign 1d
	GPG_FINGERPRINT=$(gpg --batch --quiet --list-secret-keys --with-colons | awk -F: '$1 == "fpr" { print $10; exit }')
	export GPG_FINGERPRINT
else
	echo "There is no gpg here: the checksums are not signed." >&2
	skip=sign
fi
if ! command -v syft >/dev/null; then
	echo "There is no syft here: no SBOM is made." >&2
	skip=${skip:+$skip,}sbom
fi

.cache/bin/goreleaser release --snapshot --clean ${skip:+"--skip=$skip"}

case $skip in
sign*) ;;
*) gpg --batch --quiet --verify dist/*_SHA256SUMS.sig dist/*_SHA256SUMS ;;
esac
