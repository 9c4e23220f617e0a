variable "name" {
  description = "Name of the event."
  type        = string
}

variable "region" {
  description = "Region in which the session runs: one of those that the data source vodlive_regions lists."
  type        = string
}

variable "starts_at" {
  description = "Start of the event, RFC 3339, for example 2040-06-30T18:45:00Z."
  type        = string
}

variable "timezone" {
  description = "Time zone in which the start is shown."
  type        = string
  default     = "Europe/Berlin"
}

variable "encoders" {
  description = "Hosts that the main and the backup pipeline fetch the stream from."
  type        = object({ a = string, b = string })
}

variable "edges" {
  description = "Hosts that the main and the backup pipeline send the stream to."
  type        = object({ a = string, b = string })
}

variable "stream_key" {
  description = "Last part of the paths of all four addresses."
  type        = string
  sensitive   = true
}
