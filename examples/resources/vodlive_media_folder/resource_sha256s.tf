# What `sha256sum *.mxf > SHA256SUMS` has written beside the files saves every plan from reading them.
resource "vodlive_media_folder" "masters" {
  source_dir = "${path.module}/media"
  include    = ["*.mxf"]

  sha256s = {
    for line in split("\n", trimspace(file("${path.module}/media/SHA256SUMS"))) : substr(line, 66, -1) => substr(line, 0, 64)
  }
}
