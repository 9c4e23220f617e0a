# What `sha256sum *.mxf *.mov > SHA256SUMS` has written beside the files saves every plan from reading them.
locals {
  sums = {
    for line in regexall("(?m)([0-9A-Fa-f]{64}) [ *](?:\\./)?(.+?)\\r?$", file("${path.module}/media/SHA256SUMS")) : line[1] => line[0]
    if endswith(line[1], ".mxf") # names that no file of the folder has are an error
  }
}

resource "vodlive_media_folder" "masters" {
  source_dir = "${path.module}/media"
  include    = ["*.mxf"]
  sha256s    = local.sums

  lifecycle {
    precondition {
      condition     = length(local.sums) > 0
      error_message = "SHA256SUMS has no line of sha256sum for a file *.mxf."
    }
  }
}
