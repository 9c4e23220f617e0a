data "vodlive_regions" "all" {}

output "regions" {
  value = data.vodlive_regions.all.names
}

# All that the service says of a region, whatever its shape.
output "details" {
  value = { for r in data.vodlive_regions.all.regions : r.name => jsondecode(r.json) }
}
