terraform {
  required_version = ">= 1.8" # for the functions of the provider

  required_providers {
    vodlive = {
      source = "vodlive/vodlive"
    }
  }
}
