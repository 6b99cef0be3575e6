"""The scenes of rigid-ipc (Ferguson et al. 2021, «Intersection-free rigid body dynamics») on the CPU engine.

`python tools/fetch_rigid_ipc.py` fetches them, `python -m benchmarks.rigid_ipc` runs and judges them. Reading order:
`fixture` (their JSON), `meshes` and `mass`, `scene` (a libuipc scene), `motion` (what moves by itself), `judge`
(intersections and gaps by ipctk), `running`, `table`.
"""
