"""The terms of the incremental potential, one per file: value, gradient and projected Hessian.

`term` defines the protocol of a term, `registry` finds those of a scene, and `potential` sums them.
"""
