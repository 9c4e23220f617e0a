output "regions" {
  description = "Regions in which this account may create sessions."
  value       = data.vodlive_regions.available.names
}

output "session" {
  description = "The session and its status."
  value = {
    id     = vodlive_live_session.studio.id
    status = vodlive_live_session.studio.status
  }
}

output "ingest" {
  description = "URL for the encoder. Sensitive: its path carries the stream key."
  value       = vodlive_live_session.studio.input_endpoint_a
  sensitive   = true
}

output "media" {
  description = "The stored file."
  value = {
    key_path = vodlive_media_upload.promo.key_path
    parts    = vodlive_media_upload.promo.part_count
    sha256   = vodlive_media_upload.promo.sha256
    size     = vodlive_media_upload.promo.size
  }
}

output "batch" {
  description = "Message of the service in response to the batch job."
  value       = vodlive_batch_job.promo.message
}
