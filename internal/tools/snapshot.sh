#!/bin/sh
# Builds a snapshot release into dist. With gpg, it signs the checksums with a temporary key and verifies the
# signature, as a registry does. With syft, it creates an SBOM for each archive. Run it in the root of the repository.
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
	echo "gpg is not installed: the checksums are not signed." >&2
	skip=sign
fi
if ! command -v syft >/dev/null; then
	echo "syft is not installed: no SBOMs are created." >&2
	skip=${skip:+$skip,}sbom
fi

.cache/bin/goreleaser release --snapshot --clean ${skip:+"--skip=$skip"}

case $skip in
sign*) ;;
*) gpg --batch --quiet --verify dist/*_SHA256SUMS.sig dist/*_SHA256SUMS ;;
esac
