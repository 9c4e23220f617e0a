variable "name" {
  description = "Name of the event. The sessions are called NAME-FEED."
  type        = string

  validation {
    condition     = trimspace(var.name) != ""
    error_message = "The name must not be blank."
  }
}

variable "region" {
  description = "Region in which the sessions run. The data source vodlive_regions lists the regions of the account."
  type        = string
}

variable "feeds" {
  description = "Names of the feeds, for example one for each camera or language. Each feed is a session."
  type        = set(string)
  default     = ["main"]

  validation {
    condition     = length(var.feeds) > 0 && alltrue([for feed in var.feeds : can(regex("^[a-z0-9-]+$", feed))])
    error_message = "At least one feed is needed, and its name may have lower-case letters, digits and hyphens."
  }
}

variable "backup" {
  description = "Whether each session has a backup pipeline."
  type        = bool
  default     = true
}

variable "starts_at" {
  description = "Start of the event, RFC 3339, for example 2040-06-30T18:45:00Z. Default: the sessions start at once."
  type        = string
  default     = null

  validation {
    condition     = var.starts_at == null || can(formatdate("YYYY", var.starts_at))
    error_message = "The start must be an RFC 3339 time, such as 2040-06-30T18:45:00Z."
  }
}

variable "timezone" {
  description = "Time zone in which the service schedules the event."
  type        = string
  default     = "Europe/Berlin"
}

variable "encoders" {
  description = "Hosts from which the main and the backup pipeline fetch the streams. Default: the encoders send the streams to the service; see the output ingest."
  type        = object({ a = string, b = optional(string) })
  default     = null

  validation {
    condition     = var.encoders == null || !can(regex("/", "${try(var.encoders.a, "")}${try(var.encoders.b, "")}"))
    error_message = "An encoder is a host name, with a port if needed, without a scheme and a path."
  }
}

variable "edges" {
  description = "Hosts to which the main and the backup pipeline send the streams. Default: players fetch the streams from the service; see the output playback."
  type        = object({ a = string, b = optional(string) })
  default     = null

  validation {
    condition     = var.edges == null || !can(regex("/", "${try(var.edges.a, "")}${try(var.edges.b, "")}"))
    error_message = "An edge is a host name, with a port if needed, without a scheme and a path."
  }
}

variable "stream_keys" {
  description = "Stream key of each feed, the last part of the path of the URLs of encoders and edges."
  type        = map(string)
  default     = {}
  sensitive   = true
}

variable "preset" {
  description = "Maximum resolution and bit rate of the input."
  type        = object({ resolution = string, bitrate = string })
  default     = { resolution = "FULL_HD", bitrate = "MAX_20_MBPS" }

  validation {
    condition     = contains(["SD", "HD", "FULL_HD"], var.preset.resolution) && contains(["MAX_10_MBPS", "MAX_20_MBPS"], var.preset.bitrate)
    error_message = "The resolution is SD, HD or FULL_HD, and the bit rate MAX_10_MBPS or MAX_20_MBPS."
  }
}

variable "record" {
  description = "Whether to record the input."
  type        = bool
  default     = true
}

variable "wait" {
  description = "Maximum time until a session is ready or scheduled."
  type        = string
  default     = "20m"
}
