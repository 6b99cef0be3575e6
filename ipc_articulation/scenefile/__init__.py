"""Reads and checks scene files, and reports every fault with its place."""
