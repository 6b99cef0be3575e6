"""What contact of soft bodies has of its own: meshes, elements that differ by vertex, springs and leans of friction."""
