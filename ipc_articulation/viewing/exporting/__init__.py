"""Recordings as files that other programs open."""
