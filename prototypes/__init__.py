"""Sketches of what the package may become, measured beside it; nothing in the package imports them."""
