"""Steps of the CPU engine beside STARK, https://github.com/InteractiveComputerGraphics/stark.

`python tools/fetch_stark.py` fetches it, `python -m benchmarks.stark.build` builds `peer.cpp` with it,
`python -m benchmarks.stark` measures. Reading order: `cases` (scenes of rigid bodies, for both), `soft_cases`
(deformable ones), `running`, `__main__` (the rows).
"""
