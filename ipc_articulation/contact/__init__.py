"""Contact of affine bodies with each other and with half-planes: barrier, friction, continuous collision detection.

All code works on plain arrays, with ipctk and numba, and knows no scenes. The public API is `ContactWorld`.

It is built in layers, each of which is the next one's base: `contacts` (everything, material by material), `distances`
(at any coordinates), `placed_contacts` (where bodies are in a step), `ways` (collision detection) and `world` (energy,
derivatives, friction and forces).
"""
