# Run with terraform test: needs no account, makes no requests and uploads nothing. Mocks have no elements in computed
# maps, so this plans only.
mock_provider "vodlive" {}

variables {
  folder = "./media"
}

run "media_files_are_uploaded" {
  command = plan

  assert {
    condition     = vodlive_media_folder.clips.source_dir == "./media"
    error_message = "Files of ${vodlive_media_folder.clips.source_dir} would be uploaded."
  }

  assert {
    condition     = vodlive_media_folder.clips.include == toset(["**/*.{mp4,mov,mxf}"])
    error_message = "Other files than media files would be uploaded."
  }
}

run "the_batch_job_has_the_given_modes" {
  command = plan

  variables {
    include       = ["*.mp4"]
    service_modes = ["video_optimizer", "another"]
  }

  assert {
    condition     = vodlive_media_folder.clips.include == toset(["*.mp4"])
    error_message = "The patterns are not those of the variable."
  }

  assert {
    condition     = vodlive_batch_job.clips.service_modes == tolist(["video_optimizer", "another"])
    error_message = "The modes of the job are not those of the variable."
  }
}
