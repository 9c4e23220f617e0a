# What `sha256sum *.mxf > SHA256SUMS` has written beside the files saves every plan from reading them.
resource "vodlive_media_folder" "masters" {
  source_dir = "${path.module}/media"
  include    = ["*.mxf"]

  sha256s = {
    for line in regexall("(?m)([0-9A-Fa-f]{64}) [ *](?:\\./)?(.+?)\\r?$", file("${path.module}/media/SHA256SUMS")) : line[1] => line[0]
  }
}
