"""Cholesky's factorisation in rows of twelve: for bodies, few or many."""
