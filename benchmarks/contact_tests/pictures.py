"""Pictures of the page: some moments of a case side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.contact_tests.running import Case, History
from ipc_articulation import affine
from ipc_articulation.extras import need

PICTURES = {  # by case: file, moments as parts of the run, camera (from, to)
    "erleben/spike in hole/friction": (
        "contact_tests_spike",
        (0.0, 0.25, 0.45, 0.55),
        ((7.0, -7.0, 4.0), (0.5, 0.0, 1.0)),
    ),
    "simbenchmark/666, 10 ms": ("contact_tests_666", (0.0, 0.04, 0.1, 0.2), ((4.5, -4.5, 2.6), (0.5, 0.5, 0.2))),
}
_SIZE = (480, 400)  # pixels of a moment
_MOVING, _FIXED, _GROUND, _SKY = "#c8743c", "#8796a5", "#e3e7eb", "#f7f9fb"


def draw(case: Case, history: History, folder: Path) -> None:
    """Write the picture of a case, if it has one."""
    if case.name not in PICTURES:
        return
    name, moments, camera = PICTURES[case.name]
    pyvista = need("pyvista")
    size = (len(moments) * _SIZE[0], _SIZE[1])
    plotter = pyvista.Plotter(off_screen=True, shape=(1, len(moments)), window_size=size, border=False)
    for column, moment in enumerate(moments):
        plotter.subplot(0, column)
        plotter.set_background(_SKY)
        _add_bodies(plotter, case, affine.transform_from_q(history.q[round(moment * history.steps)]))
        plotter.camera_position = [camera[0], camera[1], (0.0, 0.0, 1.0)]
    plotter.enable_anti_aliasing("ssaa")
    plotter.screenshot(folder / f"{name}.png")
    plotter.close()


def _add_bodies(plotter, case: Case, transforms: np.ndarray) -> None:
    pyvista = need("pyvista")
    for body, T in zip(case.bodies, transforms, strict=True):
        mesh = pyvista.Sphere(radius=body.radius) if body.radius else pyvista.wrap(body.mesh)
        edges = not body.radius
        plotter.add_mesh(mesh.transform(T, inplace=False), color=_FIXED if body.is_fixed else _MOVING, show_edges=edges)
    if case.around.ground:
        plotter.add_mesh(pyvista.Plane(i_size=12.0, j_size=12.0), color=_GROUND)
