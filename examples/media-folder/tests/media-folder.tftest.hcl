# Run with terraform test: needs no account, makes no requests and uploads nothing.
mock_provider "vodlive" {
  mock_resource "vodlive_media_upload" {
    defaults = {
      key_path = "vod/input/customer/upload/file"
      size     = 1000
    }
  }
}

variables {
  folder = "."
}

run "each_file_is_uploaded_and_all_are_one_batch" {
  variables {
    pattern = "*.tf" # files that exist in this folder
  }

  assert {
    condition     = join(", ", keys(output.key_paths)) == "main.tf"
    error_message = "These files would be uploaded: ${join(", ", keys(output.key_paths))}."
  }

  assert {
    condition     = vodlive_batch_job.clips[0].paths == tolist([vodlive_media_upload.clip["main.tf"].key_path])
    error_message = "The batch job does not hold the key path of the file."
  }

  assert {
    condition     = output.bytes == 1000
    error_message = "${output.bytes} bytes are stored."
  }
}

run "an_empty_folder_submits_nothing" {
  command = plan

  variables {
    pattern = "*.mp4"
  }

  assert {
    condition     = length(vodlive_batch_job.clips) == 0
    error_message = "A batch job would be submitted without a file."
  }
}
