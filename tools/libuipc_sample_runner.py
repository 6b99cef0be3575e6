"""Runs one sample of libuipc and prints its figures as JSON; `libuipc_samples` calls it with SCRIPT STEPS SECONDS.

The script's `Engine("cuda", ...)` makes a CPU engine, its `World` counts and times steps,
and polyscope is a stand-in: `show` calls the script's callback again and again, and the button to run is pressed once.
The process ends as soon as a limit is reached.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import sys
import types
from collections import Counter
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

OUTCOMES = {"CONVERGED": "converged", "SEMI_IMPLICIT": "early"}  # names of the engine's results; others are failures
_IDLE = 1000  # callbacks without a step, after which a script is taken to wait for something


class Run:
    """The figures of a run, and its limits."""

    def __init__(self, steps: int, seconds: float) -> None:
        """Take the limits."""
        self._limit, self._seconds_limit = steps, seconds
        self._counts: Counter[str] = Counter()
        self._seconds: list[float] = []

    @property
    def steps(self) -> int:
        """Steps taken."""
        return len(self._seconds)

    def count(self, seconds: float, outcome: str) -> None:
        """Add a step."""
        self._seconds.append(seconds)
        self._counts[outcome] += 1

    def retrieved(self, intersects: bool) -> None:
        """Add what is known after a retrieve; ends the process if a limit is reached."""
        self._counts["intersecting"] += intersects
        if self.steps >= self._limit:
            self.end("the limit of steps")
        if sum(self._seconds) >= self._seconds_limit:
            self.end("the limit of seconds")

    def end(self, reason: str) -> None:
        """Print the figures and end the process, whatever else runs in it."""
        figures: dict[str, Any] = {**self._counts, "steps": self.steps, "reason": reason}
        if self._seconds:
            figures["milliseconds"] = 1e3 * median(self._seconds)
        print(json.dumps(figures), file=sys.__stdout__, flush=True)
        os._exit(0)


class Anything(types.ModuleType):
    """A stand-in: every attribute, item and result of it is one too, and it counts as false and as nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """A call of whatever it stands for."""
        return Anything("result")

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Any:
        return iter(())


class Polyscope(Anything):
    """What the samples use of polyscope: one callback, called by `show` until the run ends."""

    def __init__(self, run: Run) -> None:
        """Take the run."""
        super().__init__("polyscope")
        self._run, self._callback = run, lambda: None
        self.imgui = Imgui("polyscope.imgui")

    def set_user_callback(self, callback: Any) -> None:
        """Store the callback."""
        self._callback = callback

    def show(self, *arguments: Any) -> None:
        """Call it."""
        idle, before = 0, self._run.steps
        while idle < _IDLE:
            self._callback()
            idle, before = (0 if self._run.steps > before else idle + 1), self._run.steps
        self._run.end("the script, which makes no more steps")


class Imgui(Anything):
    """Buttons and fields: the first button to run is pressed, once; fields keep their values."""

    _pressed = False

    def Button(self, label: str, *arguments: Any) -> bool:
        """Whether the button is pressed now."""
        press = "run" in label.lower() and not self._pressed
        self._pressed = self._pressed or press
        return press

    def _field(self, label: str, value: Any, *arguments: Any) -> tuple[bool, Any]:
        return False, value

    SliderFloat = SliderInt = Checkbox = InputFloat = InputFloat3 = InputFloat4 = _field


def replace_uipc(run: Run) -> None:
    """Make `Engine` and `World` of uipc those of this run."""
    import uipc
    import uipc.core

    from ipc_articulation.engine import Engine

    engines: list[Any] = []  # a world does not keep its engine alive

    def engine(name: str, *arguments: Any, **options: Any) -> Any:
        make = Engine if name == "cuda" else original
        engines.append(make("cpu" if name == "cuda" else name, *arguments, **options))
        return engines[-1]

    class World(uipc.core.World):
        def init(self, scene: Any) -> None:
            super().init(scene)
            self._samples_scene = scene

        def advance(self) -> None:
            began = perf_counter()
            super().advance()
            statistics = getattr(engines[-1], "statistics", None)
            result = statistics.result.name if statistics else ""
            run.count(perf_counter() - began, OUTCOMES.get(result, "failed"))

        def retrieve(self) -> None:
            super().retrieve()
            run.retrieved(surfaces_intersect(self._samples_scene))

    original = uipc.core.Engine
    for module in (uipc, uipc.core):
        module.Engine, module.World = engine, World


def surfaces_intersect(scene: Any) -> bool:
    """Whether the labelled surfaces of a scene's bodies, all instances, intersect where its tables let them touch."""
    import ipctk
    import numpy as np

    points, edges, faces = [np.zeros((0, 3))], [np.zeros((0, 2), np.int32)], [np.zeros((0, 3), np.int32)]
    traits = [np.zeros((0, 4), np.int64)]  # of vertices, see `may_touch`
    for geometry in complexes(scene):
        x = geometry.positions().view()[..., 0]
        for T in geometry.transforms().view():
            first = sum(map(len, points))
            points.append(x @ T[:3, :3].T + T[:3, 3])
            traits.append(np.column_stack([np.full(len(x), len(traits)), vertex_traits(geometry)]))
            for collection, found in ((geometry.edges(), edges), (geometry.triangles(), faces)):
                is_surf = collection.find("is_surf")
                if is_surf is not None:
                    found.append((collection.topo().view()[is_surf.view() != 0][..., 0] + first).astype(np.int32))
    vertices, E, F = np.asfortranarray(np.concatenate(points)), np.concatenate(edges), np.concatenate(faces)
    if not len(E) or not ipctk.has_intersections(ipctk.CollisionMesh(vertices, E, F), vertices):
        return False
    search = ipctk.LBVH()
    search.build(vertices, np.asfortranarray(E), np.asfortranarray(F))
    e, f = np.array([(pair.edge_id, pair.face_id) for pair in search.detect_edge_face_candidates()]).T
    is_apart = ~(E[e][:, :, None] == F[f][:, None, :]).any(axis=(1, 2))
    pairs = np.column_stack([E[e], F[f]])[is_apart & may_touch(scene, np.concatenate(traits), E[e], F[f])]
    return any(ipctk.is_edge_intersecting_triangle(*vertices[pair]) for pair in pairs)


def vertex_traits(geometry: Any) -> Any:
    """Contact element, subscene and whether it touches its own body, of each vertex of a body, (V, 3)."""
    import numpy as np

    from ipc_articulation.frontend.soft.bodies import is_soft_body

    values = np.tile([0, 0, int(is_soft_body(geometry))], (geometry.vertices().size(), 1))
    for column, name in enumerate(("contact_element_id", "subscene_element_id", "self_collision")):
        for collection in (geometry.meta(), geometry.vertices()):
            slot = collection.find(name)
            if slot is not None:
                values[:, column] = slot.view()
    return values


def may_touch(scene: Any, traits: Any, edges: Any, faces: Any) -> Any:
    """Which edges (k, 2) may touch which faces (k, 3), for vertices with body, element, subscene and touch itself."""
    from ipc_articulation.frontend.contact_table import read_contact_table

    rules, (body, element, subscene, itself) = read_contact_table(scene), traits.T
    a, b = edges[:, :, None], faces[:, None, :]
    allowed = rules.enabled[element[a], element[b]] & rules.subscenes[subscene[a], subscene[b]]
    return (allowed & ((body[a] != body[b]) | (itself[a] == 1))).all(axis=(1, 2))


def complexes(scene: Any) -> list[Any]:
    """The geometries of a scene that are bodies: simplicial complexes with a constitution that moves them."""
    from ipc_articulation.frontend.bodies import is_affine_body
    from ipc_articulation.frontend.soft.bodies import is_soft_body

    objects = [scene.objects().find(k) for k in range(scene.objects().created_count())]
    ids = [geo_id for owner in objects if owner is not None for geo_id in owner.geometries().ids()]
    geometries = [scene.geometries().find(geo_id)[0].geometry() for geo_id in ids]
    return [geometry for geometry in geometries if is_affine_body(geometry) or is_soft_body(geometry)]


def main(script: Path, steps: int, seconds: float) -> None:
    """Run a sample's script."""
    run = Run(steps, seconds)
    sys.modules["polyscope"] = stand_in = Polyscope(run)
    sys.modules["polyscope.imgui"] = stand_in.imgui
    replace_uipc(run)
    sys.path.insert(0, str(script.parent))
    os.chdir(script.parent)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            runpy.run_path(str(script), run_name="__main__")
        run.end("the script's end")
    except BaseException as error:  # whatever a script raises is a result
        run.end(f"{type(error).__name__}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]), float(sys.argv[3]))
