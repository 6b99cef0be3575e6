"""Contact of soft bodies with everything: the same energies as between affine bodies, by vertices.

Reading order: `meshes` (what touches), `vertex_elements` (what chooses the model of a pair of primitives), `sides`,
`vertex_trees` and `soft_proximity` (which primitives come near each other), `vertex_barrier` and
`vertex_friction` (energies and derivatives by the vertices of a stencil), `soft_contact` (all of one material),
`vertex_forces` and `crossing` (forces, and meshes that intersect).
"""
