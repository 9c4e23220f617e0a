# A large file with a known checksum: a plan does not read the file, and no other content can be uploaded by mistake.
resource "vodlive_media_upload" "master" {
  source       = "${path.module}/media/master.mxf"
  content_type = "application/mxf"
  sha256       = trimspace(split(" ", file("${path.module}/media/master.mxf.sha256"))[0])
  part_size    = 64 * 1024 * 1024

  timeouts = {
    create = "48h"
    update = "48h" # a changed file
  }
}
