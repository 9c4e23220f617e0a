# Files that are stored already, for example by a run whose state is lost, are not sent again.
resource "vodlive_media_folder" "archive" {
  source_dir  = "${path.module}/media"
  include     = ["*.mp4"]
  name_format = "flat"

  adopt = {
    "promo.mp4" = "vod/input/customer-4821/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4"
  }

  timeouts = {
    create = "48h"
    update = "48h"
  }
}
