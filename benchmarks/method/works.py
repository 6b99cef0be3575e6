"""The scenes of the judge, from all corpora, each as something that can be stepped and looked at.

The package may be that of another checkout, see `serving`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import uipc

HERE = Path(__file__).parents[2]
ROBOTS = (
    "hinge_pair",
    "pendulum",
    "panda_push",
    "panda_grasp",
    "go2_stand",
    "g1_fall",
    "panda_towel",
    "panda_sponge",
)
MORE_ROBOTS = (
    "four_bar_press",
    "linkage",
    "wrecking_ball",
    "soft_pads_glass",
    "cloth_over_arm",
    "peg_in_hole",
    "two_pandas_handover",
    "allegro_ball",
    "cable_through_eye",
)
ENVIRONMENTS, RANDOM = (1, 8), 100
STARK = ("tumbled/10", "tumbled/50", "columns/10", "columns/50", "spheres/10", "free box", "hinge", "chain/8")
SOFT = ("cloth/", "block/", "rods/")

HARD = (
    "blender/blender-10",
    "chain/5-links",
    "chain/anchor",
    "friction/arch/arch-101-stones",
    "friction/rolling/cone",
    "mechanisms/507-movements/092-piston",
    "mechanisms/bolt",
    "pendulum/pendulum",
)
LEFT_OUT = ("3D/scalability/weak", "0.01scale")  # the same scene 64 times, larger; a step of 80 s

# Of every corpus, for a judgement in five minutes: the rows that users meet, and what is hard for Newton's method.
QUICK = (
    *(f"robots/{name}" for name in ROBOTS if name != "panda_towel"),
    "environments/8",
    *(f"stark/{name}" for name in ("tumbled/10", "columns/10", "spheres/10", "free box", "chain/8")),
    "stark/cloth/50x50",
    "stark/block/5000",
    *(
        f"contact/erleben/{name}"
        for name in ("spikes", "spike in hole/friction", "cliff edges", "wedge in its own crack")
    ),
    *(f"rigid/3D/{name}" for name in HARD),
    *(f"random/{seed}" for seed in range(0, 40, 4)),
)


@dataclass
class Play:
    """A scene that has been started."""

    steps: int
    step: Callable[[int], object]
    engine: Any
    intersects: Callable[[], bool] = lambda: False

    def positions(self) -> np.ndarray:
        """Coordinates of all bodies, (n, 12)."""
        return np.array(self.engine.cpu.state.q)


def names() -> Iterator[str]:
    """All works, as corpus/scene."""
    from benchmarks.rigid_ipc.fixture import fixture_files

    yield from (f"robots/{name}" for name in (*ROBOTS, *MORE_ROBOTS))
    yield from (f"environments/{n}" for n in ENVIRONMENTS)
    yield from (f"stark/{case.name}" for case in _stark_cases())
    yield from (f"contact/{case.name}" for case in _contact_cases())
    yield from (f"random/{seed}" for seed in range(RANDOM))
    yield from (f"rigid/{name}" for name in fixture_files() if not any(part in name for part in LEFT_OUT))


def is_quick(work: str) -> bool:
    """Whether a work belongs to a quick judgement."""
    return work in QUICK


def start(work: str, folder: Path) -> Play:
    """Start a work in a folder for the files of its engine."""
    corpus, _, name = work.partition("/")
    return _MAKERS[corpus](name, folder)


def _robot(name: str, folder: Path) -> Play:
    from ipc_articulation.scenefile.reading import read_scene
    from ipc_articulation.simulation.building import build

    scene, document = read_scene(HERE / "scenes" / f"{name}.yaml")
    simulation: Any = build(scene, document, "cpu", folder, scene.steps)
    return Play(scene.steps, simulation.step, simulation.engine, _looking(simulation._uipc_scene))


def _environments(name: str, folder: Path) -> Play:
    from benchmarks.environments import Pandas

    pandas = Pandas(int(name), "mujoco", folder)
    return Play(pandas.steps, pandas.step, pandas.engine)


def _stark_cases() -> Sequence[Any]:
    from benchmarks.stark.cases import cases
    from benchmarks.stark.soft_cases import soft_cases

    found = [*cases(quick=False), *soft_cases(quick=False)]
    return [case for case in found if case.name.startswith((*STARK, *SOFT))]


def _stark(name: str, folder: Path) -> Play:
    from benchmarks.stark.cases import converging
    from benchmarks.stark.running import wake

    (case,) = (case for case in _stark_cases() if case.name == name)
    scene = converging(case.make())
    engine, world = _world(scene, folder)

    def step(_: int) -> None:
        wake(engine)
        world.advance()
        world.retrieve()

    return Play(case.steps, step, engine, _looking(scene))


def _contact_cases() -> Sequence[Any]:
    from benchmarks.contact_tests.__main__ import cases

    return cases([""], quick=False)


def _contact(name: str, folder: Path) -> Play:
    from benchmarks.contact_tests.bodies import make_scene
    from ipc_articulation import affine

    (case,) = (case for case in _contact_cases() if case.name == name)
    scene, slots = make_scene(case.bodies, case.around)
    engine, world = _world(scene, folder)

    def step(index: int) -> None:
        if index == case.around.settling:
            q = np.stack([affine.q_from_transform(slot.geometry().transforms().view()[0]) for slot in slots])
            qdot = affine.qdot_from_twist(q, [body.velocity for body in case.bodies], np.zeros((len(q), 3)))
            engine.state_accessor.write(np.arange(len(q)), q, qdot)
        world.advance()
        world.retrieve()

    return Play(case.around.settling + case.steps, step, engine, _looking(scene))


def _rigid(name: str, folder: Path) -> Play:
    from benchmarks.rigid_ipc.fixture import fixture_files, read_fixture
    from benchmarks.rigid_ipc.judge import Judge
    from benchmarks.rigid_ipc.scene import build
    from ipc_articulation.contact.materials import BY_LOAD

    fixture = read_fixture(fixture_files()[name])
    built, judge = build(fixture, BY_LOAD), Judge(fixture)
    engine, world = _world(built.scene, folder, friction="anchored")
    return Play(fixture.steps, lambda _: _advance(world), engine, lambda: judge.intersect(built.transforms()))


def _random(name: str, folder: Path) -> Play:
    from benchmarks.method.random_scenes import random_scene

    scene = random_scene(int(name))
    engine, world = _world(scene, folder, friction="anchored", resistance="load")
    return Play(60, lambda _: _advance(world), engine, _looking(scene))


def _world(scene: uipc.Scene, folder: Path, **options: str) -> tuple[Any, Any]:
    from ipc_articulation import Engine

    engine = Engine("cpu", folder, **options)
    world = uipc.World(engine)
    world.init(scene)
    return engine, world


def _advance(world: Any) -> None:
    world.advance()
    world.retrieve()


def _looking(scene: uipc.Scene) -> Callable[[], bool]:
    """Whether surfaces of a scene intersect that may touch, as ipctk sees it."""
    sys.path.append(str(HERE / "tools"))
    from libuipc_sample_runner import surfaces_intersect

    return lambda: surfaces_intersect(scene)


_MAKERS: dict[str, Callable[[str, Path], Play]] = {
    "robots": _robot,
    "environments": _environments,
    "stark": _stark,
    "contact": _contact,
    "rigid": _rigid,
    "random": _random,
}
