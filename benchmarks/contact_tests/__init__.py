"""Corpora of contact on the CPU engine: degenerate and known cases, each beside its own criterion.

`python -m benchmarks.contact_tests` runs and judges them. Reading order: `bodies` (a scene), `running` (its run, with
the package's default settings), `judge` (intersections by ipctk), the corpora `erleben` (with `shapes`),
`simbenchmark` and `contactbench`, `table`, `pictures`.
"""
