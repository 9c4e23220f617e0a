# By the key path. The provider does not send the file named by source again.
terraform import vodlive_media_upload.promo vod/input/customer-4821/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4
