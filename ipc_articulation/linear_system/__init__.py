"""The system H x = b of Newton's method by rows of nodes: blocks, Cholesky's factors by fronts, conjugate gradients."""
