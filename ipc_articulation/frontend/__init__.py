"""Reads libuipc's front end (scene geometries, attributes, configuration) into plain arrays."""
