"""Scene files: what they may say, read and checked, with the place of every fault."""
