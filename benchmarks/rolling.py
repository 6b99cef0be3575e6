"""Speed that round bodies keep: a ball, a cylinder and a capsule roll for three seconds, beside rolling without slip.

They have the radius r = 0.1 m and begin at 1 m/s, on level ground and down 9°, where they gain g sin α/(1 + I/m r²) a
second. What is lost goes two ways. Backward Euler turns by atan(sin θ/(2 - cos θ)) after a turn by θ, so it damps a
spin ω by (ω dt)² a step; of a rolling body's momentum the spin is c = I/(I + m r²), and a round one keeps
1/√(1 + 2 c ω² dt t) on level ground, the column «round body». The rest is lost from side to side of the polyhedron.
Shorter steps cure the first, more sides the second; `bdf2` cures nearly all of the first.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.bodies import surface_and_solid
from ipc_articulation.simulation.building import build

RADIUS, SPEED, SECONDS, G = 0.1, 1.0, 3.0, 9.81  # [m], [m/s], [s], [m/s²]
D_HAT = 1e-3  # [m]
SHAPES: dict[str, dict[str, Any]] = {
    "ball": {"type": "sphere", "radius": RADIUS},
    "cylinder": {"type": "cylinder", "radius": RADIUS, "length": 0.1},
    "capsule": {"type": "capsule", "radius": RADIUS, "length": 0.1},
}
SLOPES = (0.0, 9.0)  # [°]
VARIANTS = [  # sections, integrator, dt [s]
    (None, "bdf1", 0.01),
    (None, "bdf2", 0.01),
    *((sections, integrator, 0.01) for sections in (64, 128) for integrator in ("bdf1", "bdf2")),
    (128, "bdf2", 0.002),
]


@dataclass(frozen=True)
class Rolled:
    """How a body ended."""

    speed: float  # along the way [m/s]
    exact: float  # without slip [m/s]
    milliseconds: float  # of the processor, a step

    @property
    def kept(self) -> float:
        return self.speed / self.exact


def scene_of(shape: str, slope: float, sections: int | None, integrator: str, dt: float) -> dict[str, Any]:
    """The scene: the ground stays level, gravity leans by the slope [°]."""
    alpha = math.radians(slope)
    entry = SHAPES[shape] | ({} if sections is None else {"sections": sections})
    spin = SPEED / RADIUS
    body = {
        "name": shape,
        "shape": entry,
        "mass": 1.0,
        "pose": {
            "position": [0.0, 0.0, 1.01 * RADIUS],
            "rpy": [0.0, 0.0, 0.0] if shape == "ball" else [math.pi / 2, 0.0, 0.0],
        },
        "velocity": {"linear": [SPEED, 0.0, 0.0], "angular": [0.0, spin, 0.0]},
    }
    return {
        "adapter": "none",
        "dt": dt,
        "steps": round(SECONDS / dt),
        "gravity": [G * math.sin(alpha), 0.0, -G * math.cos(alpha)],
        "contact": {"d_hat": D_HAT, "friction": 0.8},
        "walls": [{"name": "floor", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]}],
        "config": {"integrator": {"type": integrator}},
        "bodies": [body],
    }


def roll(shape: str, slope: float, sections: int | None, integrator: str, dt: float) -> Rolled:
    """Run it for three seconds."""
    with tempfile.TemporaryDirectory() as folder:
        file, count = Path(folder, "scene.yaml"), round(SECONDS / dt)
        file.write_text(yaml.safe_dump(scene_of(shape, slope, sections, integrator, dt)))
        scene, document = read_scene(file)
        simulation = build(scene, document, "cpu", Path(folder, "workspace"), count)
        simulation.step(0)  # compiles
        began = time.process_time()
        for step in range(1, count):
            simulation.step(step)
        took = (time.process_time() - began) / (count - 1)
        speed = float(simulation.engine.cpu.state.qdot[-1, 0])
        _, solid = surface_and_solid(scene.bodies[0].shape)
    inertia = solid.inertia[2, 2] / RADIUS**2  # I/m r²
    exact = SPEED + G * math.sin(math.radians(slope)) / (1.0 + inertia) * SECONDS
    return Rolled(speed, exact, 1e3 * took)


def round_with_bdf1(shape: str, dt: float) -> float:
    """Part of its speed that a perfectly round body keeps on level ground."""
    inertia = {"ball": 0.4, "cylinder": 0.5}.get(shape, math.nan)
    share = inertia / (1.0 + inertia)
    return 1.0 / math.sqrt(1.0 + 2.0 * share * (SPEED / RADIUS) ** 2 * dt * SECONDS)


def rows(quick: bool) -> Iterator[tuple[str, ...]]:
    """Of the table."""
    for shape in SHAPES:
        for sections, integrator, dt in VARIANTS[:2] if quick else VARIANTS:
            level, down = (roll(shape, slope, sections, integrator, dt) for slope in SLOPES)
            yield (
                shape,
                str(sections or "default"),
                f"{integrator}, {1e3 * dt:g} ms",
                *(f"{one.speed:.3f} / {one.exact:.3f}" for one in (level, down)),
                f"{100.0 * (1.0 - level.kept):.1f} %",
                f"{round_with_bdf1(shape, dt):.3f}" if integrator == "bdf1" else "",
                f"{level.milliseconds:.2f}",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="default surfaces only")
    titles = (
        "shape",
        "sections",
        "steps",
        "level, exact [m/s]",
        "down 9°, exact",
        "lost, level",
        "round, bdf1",
        "ms a step",
    )
    quick = parser.parse_args().quick
    for row in chain([titles], rows(quick)):
        print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
