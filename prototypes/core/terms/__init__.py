"""Terms of the incremental potential over nodes; `registry` makes those of a scene."""
