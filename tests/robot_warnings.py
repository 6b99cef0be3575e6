"""Warnings of scenes in the repository that are about files of others, the robots' packages."""

OF_ROBOTS = "principal moments of inertia|visual meshes have"  # a regular expression
