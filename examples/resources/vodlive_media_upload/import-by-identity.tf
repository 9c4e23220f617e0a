import {
  to = vodlive_media_upload.promo
  identity = {
    key_path = "vod/input/customer-4821/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4"
  }
}
