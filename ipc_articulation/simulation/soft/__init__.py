"""Soft bodies of a scene file in a libuipc scene: solids, cloth and rods, and what they are attached to.

Reading order: `meshes`, `mesh_files`, `regions`, `constitutions`, `contact`, `attachments`, `bodies`.
"""
