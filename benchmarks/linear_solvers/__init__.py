"""Our Cholesky factorisation in blocks beside packages for sparse systems, on systems of Newton's method.

Reading order: `systems` (where they come from), `solvers` (ours and the packages), `__main__` (the rows).
"""
