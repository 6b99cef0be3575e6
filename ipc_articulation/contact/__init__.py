"""Contact of affine bodies with each other and with half-planes: barrier, friction, continuous collision detection.

Pure arrays: this room knows ipctk and numba, but no scene. `ContactWorld` is its face.
"""
