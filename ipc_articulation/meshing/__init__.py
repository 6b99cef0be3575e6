"""Meshes of soft bodies as plain arrays: grids, tetrahedra that fill a closed surface, their boundary.

Everything is deterministic: the same shape gives the same mesh on every machine, so that runs can be repeated and
resumed.

Reading order: `grids` (boxes, rectangles), `curves` (rods), `boundary` (faces of tetrahedra), then `columns`,
`nearest_surface`, `lattice` and `clipping`, the parts of `filling`.
"""
