data "vodlive_regions" "all" {}

output "regions" {
  value = data.vodlive_regions.all.names
}

# All data of each region, as the service sent it.
output "details" {
  value = { for r in data.vodlive_regions.all.regions : r.name => jsondecode(r.json) }
}
