"""Energies of finite elements: solids, shells, cloth and rods, as pure mathematics on vertex positions.

Each energy is a file with `energy` and `write_derivatives` of one element; `rest`, which computes the constants of
elements from their rest shape and their parameters; and `energies`, `derivatives`, `gradients` and `hessians` of all
elements of a mesh. The energies are those of libuipc, without its factor dt².

Reading order: `kernel`, `vectors`, `signed_svd`, `positive_part`, `deformation` and `over_elements` (shared by the
energies); `isotropic`, `tetrahedron`, `stable_neo_hookean` and `arap` (solids); `triangle`, `neo_hookean_shell` and
`strain_limiting_shell` (membranes); `dihedral_angle`, `shell_bending` and `plastic_shell_bending` (hinges of two
triangles); `hookean_spring` and `rod_bending` (edges, and pairs of edges).
"""
