variable "name" {
  description = "Name of the event."
  type        = string
}

variable "region" {
  description = "Region in which the session runs. The data source vodlive_regions lists the regions of the account."
  type        = string
}

variable "starts_at" {
  description = "Start of the event, RFC 3339, for example 2040-06-30T18:45:00Z."
  type        = string
}

variable "timezone" {
  description = "Time zone of the event."
  type        = string
  default     = "Europe/Berlin"
}

variable "encoders" {
  description = "Hosts from which the main and the backup pipeline fetch the stream."
  type        = object({ a = string, b = string })
}

variable "edges" {
  description = "Hosts to which the main and the backup pipeline send the stream."
  type        = object({ a = string, b = string })
}

variable "stream_key" {
  description = "Last part of the paths of all four URLs."
  type        = string
  sensitive   = true
}
