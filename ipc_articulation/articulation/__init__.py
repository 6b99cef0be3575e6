"""The articulation's energy as pure mathematics on affine coordinates; knows neither libuipc nor any multibody engine.

Reading order: `kinds` (the table of joint kinds), `revolute`, `prismatic`, `spherical`, `free`, `cylindrical`,
`planar`, `universal` and `helical` (a kind each), `rotation_vector`, `slide`, `anchors`, `vectors` and `frames` (what
kinds share), `joints` (the arrays), `evaluation` (compiled), `energy`, `step_input` (what is refused).
"""
