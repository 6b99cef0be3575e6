"""The judge of Newton's method and of contact: two states of the code on the same scenes, see `__main__`."""
