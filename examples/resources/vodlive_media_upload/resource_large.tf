# A large file whose checksum is known: a plan then reads no content, and nothing else can be uploaded by mistake.
resource "vodlive_media_upload" "master" {
  source       = "${path.module}/media/master.mxf"
  content_type = "application/mxf"
  sha256       = trimspace(split(" ", file("${path.module}/media/master.mxf.sha256"))[0])
  part_size    = 64 * 1024 * 1024

  timeouts = {
    create = "48h"
  }
}
