"""The articulation's energy as pure mathematics on affine coordinates; knows neither libuipc nor any multibody engine.

Reading order: `joints` (the arrays), `frames` (local vectors of an axis), `revolute` and `prismatic` (δθ of four world
vectors), `joint` (one joint in q), `energy` (all of them), `step_input` (what is refused).
"""
