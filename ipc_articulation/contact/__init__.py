"""Contact of affine bodies with each other and with half-planes: barrier, friction, continuous collision detection.

All code works on plain arrays, with ipctk and numba, and knows no scenes. The public API is `ContactWorld`.
"""
