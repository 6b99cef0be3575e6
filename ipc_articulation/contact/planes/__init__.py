"""Contact of vertices with half-planes.

ipctk has planes, but no filter for them, and a half-plane often acts on some bodies only (a robot's base may be inside
the floor). The formulas are those of `body_contact` with d = n·(x - p), whose gradient is the constant n.

Reading order: `pairs` and `half_planes` (which bodies may touch which, and their gaps), `gaps` and `nearest`, `energy`,
`forces` and `slips` (friction as a step begins, ends, and goes on), `motion`; `half_plane_contact` has all
of them. What friction remembers is in `friction` and `springs`.
"""
