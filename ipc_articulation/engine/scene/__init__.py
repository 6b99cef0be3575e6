"""Reads a libuipc scene into the engine's model."""
