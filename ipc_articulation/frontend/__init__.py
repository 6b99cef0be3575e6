"""Readers of libuipc's front end (scene geometries, attributes, configuration), which make plain arrays."""
