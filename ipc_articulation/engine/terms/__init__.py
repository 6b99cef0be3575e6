"""The terms of the incremental potential, a file each: value, gradient and projected Hessian.

`term` says what a term is; `potential` adds them up.
"""
