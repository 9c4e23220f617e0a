#!/bin/sh
# Installs the provider from a filesystem mirror until it is published in a registry.
# VODLIVE_MIRROR_URL is an archive of the folder terraform-mirror, VODLIVE_MIRROR_SHA256 its checksum.
set -eu

wget -q -O vodlive-mirror.tar.gz "$VODLIVE_MIRROR_URL"
echo "$VODLIVE_MIRROR_SHA256  vodlive-mirror.tar.gz" | sha256sum -c -
tar -xzf vodlive-mirror.tar.gz -C "$HOME"
rm vodlive-mirror.tar.gz

cat > "$TF_CLI_CONFIG_FILE" <<END
provider_installation {
  filesystem_mirror {
    path    = "$HOME/terraform-mirror"
    include = ["vodlive/vodlive"]
  }
  direct {
    exclude = ["vodlive/vodlive"]
  }
}
END
