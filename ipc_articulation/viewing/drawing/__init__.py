"""Pictures and films with pyvista, drawn by a process of their own."""
