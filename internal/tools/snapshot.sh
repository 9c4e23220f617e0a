#!/bin/sh
# Builds a snapshot release into dist, checks it as a registry does, and runs the demo with the archive for this machine.
# With gpg, it signs the checksums with a temporary key and verifies the signature. With syft, it creates an SBOM for each
# archive. Run it in the root of the repository: sh internal/tools/snapshot.sh CLI
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

cd dist
case $skip in
sign*) ;;
*) gpg --batch --quiet --verify ./*_SHA256SUMS.sig ./*_SHA256SUMS ;;
esac
archive=$(echo terraform-provider-vodlive_*_"$(go env GOOS)_$(go env GOARCH)".zip)
version=${archive#terraform-provider-vodlive_}
version=${version%%_*}
cp ../terraform-registry-manifest.json "terraform-provider-vodlive_${version}_manifest.json"
sha256sum --check --strict "terraform-provider-vodlive_${version}_SHA256SUMS"
for file in "terraform-provider-vodlive_v$version" vodlive.tfmock.hcl; do
	unzip -l "$archive" | grep -qE " $file(\.exe)?\$" || { echo "$archive has no $file" >&2; exit 1; }
done
cd ..

mirror=.cache/demo/release/registry.terraform.io/vodlive/vodlive
rm -rf .cache/demo && mkdir -p "$mirror" && cp "dist/$archive" "$mirror"
go run ./internal/tools/demo -cli "$1" -mirror "$PWD/.cache/demo/release" -version "$version"
