"""The Newton system in blocks of bodies, and its Cholesky factor."""
