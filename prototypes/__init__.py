"""Sketches of what the package may become, measured beside it; nothing in the package imports them.

Machine code that is kept on disk does not follow edits of other files of a sketch: remove `__pycache__` after them.
"""
