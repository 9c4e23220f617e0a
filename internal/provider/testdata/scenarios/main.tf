# What these scenarios apply is in files beside it, from the documentation.
