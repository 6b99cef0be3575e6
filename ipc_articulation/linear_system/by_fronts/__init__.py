"""Cholesky's factorisation front by front: for thousands of vertices."""
