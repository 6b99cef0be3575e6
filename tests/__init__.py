"""The tests; a regular package, because dartpy installs one of the same name, which would be found first."""
