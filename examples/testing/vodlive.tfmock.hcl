# Mock data for `terraform test`: what this provider would know after an apply. Copy this file to tests/mocks, again with each
# version of the provider, and use it with
#
#   mock_provider "vodlive" {
#     source          = "./tests/mocks"
#     override_during = plan
#   }
#
# A value that your test depends on belongs in the test, in an override_resource or override_data block.

mock_resource "vodlive_live_session" {
  defaults = {
    id                  = "0f8fad5b-d9cb-469f-a165-70867728950e"
    status              = "READY"
    enable_input_record = false
    is_scheduled        = false
    input_preset        = { codec = "H264" }
    input_endpoint_a    = "rtmp://ingest-a.example.com:1935/live/mock-stream-key-a"
    input_endpoint_b    = "rtmp://ingest-b.example.com:1935/live/mock-stream-key-b"
    output_endpoint_a   = "rtmp://play-a.example.com:1936/live/mock-stream-key-a"
    output_endpoint_b   = "rtmp://play-b.example.com:1936/live/mock-stream-key-b"
    user_id             = "mock-user"
    transcoder_id       = "mock-transcoder"
    sub_domain_a        = "a.mock.example.com"
    sub_domain_b        = "b.mock.example.com"
    elastic_ip_a        = "192.0.2.1"
    elastic_ip_b        = "192.0.2.2"
    port                = 1935
    egress_port         = 1936
  }
}

mock_resource "vodlive_media_upload" {
  defaults = {
    id                     = "vod/input/mock-customer/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4"
    key_path               = "vod/input/mock-customer/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4"
    file_name              = "promo.mp4"
    content_type           = "video/mp4"
    sha256                 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    size                   = 1048576
    method                 = "auto"
    part_count             = 1
    etag                   = "\"d41d8cd98f00b204e9800998ecf8427e\""
    location               = null
    bucket                 = null
    server_side_encryption = "AES256"
    version_id             = null
    uploaded_at            = "2030-01-01T00:00:00Z"
    # Null after a real apply, but Terraform mocks no object as null.
    incomplete_upload = { file_name = "", sha256 = "", size = 0, upload_id = "", key_path = "", part_size = 0, stored_parts = 0, parts = "" }
  }
}

mock_resource "vodlive_media_folder" {
  defaults = {
    id         = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    include    = ["**"]
    files      = { "promo.mp4" = "vod/input/mock-customer/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4" }
    manifest   = "{\"promo.mp4\":{\"key_path\":\"vod/input/mock-customer/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4\",\"sha256\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"size\":1048576,\"etag\":\"\\\"d41d8cd98f00b204e9800998ecf8427e\\\"\",\"content_type\":\"video/mp4\",\"uploaded_at\":\"2030-01-01T00:00:00Z\"}}"
    file_count = 1
    total_size = 1048576
  }
}

mock_resource "vodlive_batch_job" {
  defaults = {
    id           = "MOCKBATCHJOB"
    message      = "accepted"
    submitted_at = "2030-01-01T00:00:00Z"
  }
}

mock_data "vodlive_regions" {
  defaults = {
    names   = ["eu-central-1", "us-east-1"]
    regions = [{ name = "eu-central-1", json = "\"eu-central-1\"" }, { name = "us-east-1", json = "\"us-east-1\"" }]
  }
}

mock_data "vodlive_live_session" {
  defaults = {
    id                   = "0f8fad5b-d9cb-469f-a165-70867728950e"
    name                 = "mock"
    region               = "eu-central-1"
    input                = "RTMP_PUSH"
    mode                 = "NORM"
    output_mode          = "RTMP_PULL"
    input_preset         = { codec = "H264", resolution = "FULL_HD", bitrate = "MAX_10_MBPS" }
    enable_input_record  = false
    is_scheduled         = false
    timezone             = null
    scheduled_at         = null
    status               = "READY"
    user_id              = "mock-user"
    transcoder_id        = "mock-transcoder"
    sub_domain_a         = "a.mock.example.com"
    sub_domain_b         = null
    elastic_ip_a         = "192.0.2.1"
    elastic_ip_b         = null
    port                 = 1935
    egress_port          = 1936
    input_endpoint_a     = null
    input_endpoint_b     = null
    output_endpoint_a    = null
    output_endpoint_b    = null
    input_source_a       = null
    input_source_b       = null
    output_destination_a = null
    output_destination_b = null
  }
}

mock_data "vodlive_live_sessions" {
  defaults = {
    ids = ["0f8fad5b-d9cb-469f-a165-70867728950e"]
    sessions = [{
      id                  = "0f8fad5b-d9cb-469f-a165-70867728950e"
      name                = "mock"
      region              = "eu-central-1"
      input               = "RTMP_PUSH"
      mode                = "NORM"
      output_mode         = "RTMP_PULL"
      input_preset        = { codec = "H264", resolution = "FULL_HD", bitrate = "MAX_10_MBPS" }
      enable_input_record = false
      is_scheduled        = false
      timezone            = null
      scheduled_at        = null
      status              = "READY"
      user_id             = "mock-user"
      transcoder_id       = "mock-transcoder"
      sub_domain_a        = "a.mock.example.com"
      sub_domain_b        = null
      elastic_ip_a        = "192.0.2.1"
      elastic_ip_b        = null
      port                = 1935
      egress_port         = 1936
    }]
    urls = {}
  }
}
