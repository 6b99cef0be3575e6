"""What a run leaves behind: every step's joint motion, poses, forces, distances and times, in one file.

`recording.npz` holds the arrays of `QUANTITIES`; `recording.json` beside it says what they are, in which units, and the
names of joints and bodies. Row 0 is the state at the start, row k the state after step k; what only a step has (force,
iterations, time of the step) is NaN in row 0, and whatever an engine does not tell is NaN everywhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.recording.scenery import NOTHING, Scenery

Array = NDArray[np.float64]

ARRAYS, META = "recording.npz", "recording.json"


@dataclass(frozen=True)
class Quantity:
    """One recorded array: its shape after the rows ('joints' and 'bodies' are counts), unit and meaning."""

    shape: tuple[str | int, ...]
    unit: str
    meaning: str


QUANTITIES = {
    "time": Quantity((), "s", "simulated time"),
    "theta": Quantity(("joints",), "rad or m", "joint positions"),
    "theta_dot": Quantity(("joints",), "rad/s or m/s", "joint velocities"),
    "delta_theta": Quantity(("joints",), "rad or m", "joint motion of the step"),
    "delta_theta_tilde": Quantity(("joints",), "rad or m", "joint motion of the step without contact"),
    "contact_force": Quantity(("joints",), "N·m or N", "generalised contact force on the joints"),
    "body_poses": Quantity(("bodies", 4, 4), "m", "transforms from the bodies' frames to the world"),
    "minimum_distance": Quantity((), "m", "least distance of surfaces that may touch; inf where none is near"),
    "newton_iterations": Quantity((), "1", "Newton iterations of the step"),
    "step_time": Quantity((), "s", "wall time of the step"),
}


class Recording:
    """Arrays for a fixed number of steps, filled row by row.

    Every quantity is an attribute: `recording.theta` is (rows, joints). Only the rows that were reached are shown.

    Args:
        name: Name of the scene.
        dt: Time step [s].
        steps: Number of steps to make room for.
        joint_names: Names of the m joints.
        body_names: Names of the bodies whose poses are recorded.
        free_names: Those among them that contact alone moves.
        extra: Further facts for the JSON file.
        scenery: What pictures show.
    """

    def __init__(
        self,
        name: str,
        dt: float,
        steps: int,
        joint_names: tuple[str, ...],
        body_names: tuple[str, ...],
        free_names: tuple[str, ...] = (),
        extra: dict[str, Any] | None = None,
        scenery: Scenery = NOTHING,
    ) -> None:
        self.name, self.dt, self.rows = name, dt, 0
        self.joint_names, self.body_names, self.free_names = joint_names, body_names, free_names
        self.extra, self.scenery = extra or {}, scenery
        counts = {"joints": len(joint_names), "bodies": len(body_names)}
        self.buffers: dict[str, Array] = {}
        for key, quantity in QUANTITIES.items():
            shape = [n if isinstance(n, int) else counts[n] for n in quantity.shape]
            self.buffers[key] = np.full((steps + 1, *shape), np.nan)
        self.buffers["time"][:] = dt * np.arange(steps + 1)

    def __getattr__(self, key: str) -> Array:
        if key not in QUANTITIES:
            raise AttributeError(f"a recording has no '{key}'; it has {', '.join(QUANTITIES)}")
        return self.buffers[key][: self.rows]

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return max(self.rows - 1, 0)

    def moved(self, name: str) -> float:
        """How far a body's origin is from where it started [m]."""
        positions = self.body_poses[:, self.body_names.index(name), :3, 3]
        return float(np.linalg.norm(positions[-1] - positions[0]))

    def save(self, folder: Path) -> list[Path]:
        """Write both files into a folder, which is made where it is missing; what was there is replaced as a whole."""
        folder.mkdir(parents=True, exist_ok=True)
        arrays, meta = folder / ARRAYS, folder / META
        with _replacing(arrays) as path:
            np.savez_compressed(path, allow_pickle=False, **{key: getattr(self, key) for key in QUANTITIES})
        with _replacing(meta) as path:
            path.write_text(json.dumps(self._meta(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return [arrays, meta]

    def _meta(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "dt": self.dt,
            "steps": self.steps,
            "joint_names": self.joint_names,
            "body_names": self.body_names,
            "free_names": self.free_names,
            **self.extra,
            "arrays": {key: {"unit": q.unit, "meaning": q.meaning} for key, q in QUANTITIES.items()},
        }


def read_recording(folder: str | Path) -> Recording:
    """Read what `Recording.save` wrote.

    Raises:
        FileNotFoundError: When the folder holds no recording.
    """
    folder = Path(folder)
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    own = {"name", "dt", "steps", "joint_names", "body_names", "free_names", "arrays"}
    extra = {key: value for key, value in meta.items() if key not in own}
    joints, bodies, free = (tuple(meta[key]) for key in ("joint_names", "body_names", "free_names"))
    recording = Recording(meta["name"], meta["dt"], meta["steps"], joints, bodies, free, extra)
    with np.load(folder / ARRAYS) as arrays:
        recording.buffers = {key: arrays[key] for key in QUANTITIES}
    recording.rows = len(recording.buffers["time"])
    return recording


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A draft beside the file that takes its place only when it is complete."""
    draft = path.with_name(f".{path.name}")
    yield draft
    os.replace(draft, path)
