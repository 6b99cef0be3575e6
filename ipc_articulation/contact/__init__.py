"""Contact of bodies of all kinds with each other and with half-planes: barrier, friction, collision detection.

All code works on nodes, points and stencils in plain arrays, with ipctk and numba, and knows no scenes: `world` has
what may touch. Reading order: `stencils` (what contact needs of two primitives), `barriers`, `friction` and what it
remembers (`memory`, by `anchors` and `springs`), `search` (candidates), `ways` (how far bodies may go), `models` and
`choosing` (resistances), `readouts` and `overlaps`.
"""
