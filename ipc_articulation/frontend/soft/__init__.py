"""Readers of libuipc's finite elements: soft bodies, their elements, their constraints, and stitches between bodies.

Reading order: `bodies` and `body_checks` (geometries), `parameters`, `stencils` and `constitutions` (elements with
their energies), `constraints` (values that callbacks may write), `stitches` (springs between bodies), `soft_rows` (the
coordinates of all vertices), `mixed_elements` (contact elements that differ within a body).
"""
