"""Contact of affine bodies with each other and with half-planes: barrier, friction, continuous collision detection.

Everything works on plain arrays, with ipctk and numba; scenes are unknown here. The public API is `ContactWorld`.
"""
