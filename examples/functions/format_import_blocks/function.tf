data "vodlive_live_sessions" "all" {}

# terraform apply, then: terraform output -raw import_blocks > imported.tf
output "import_blocks" {
  value = provider::vodlive::format_import_blocks(data.vodlive_live_sessions.all.sessions)
}
