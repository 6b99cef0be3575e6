"""Joints whose limits and dry friction act nowhere: the multibody engine has none, and the scene leaves them to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.start import Start
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.repairs import listed
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import RobotScene


def unrestrained_problems(start: Start, scene: RobotScene) -> Iterator[SceneProblem]:
    """A warning that names such joints."""
    held = start.restraints
    if scene.robot.restraints != "engine" or held is None or held.predicted:
        return
    names = np.array(freedom_names(start.robot.joints))
    limited, rubs = np.isfinite(held.lower) | np.isfinite(held.upper), held.friction > 0.0
    lacks = (("limits", limited[: len(names)]), ("dry friction", rubs[: len(names)]))
    said = " and ".join(f"{what} of joint {listed(names[rows])}" for what, rows in lacks if rows.any())
    if said:
        message = f"the engine of adapter '{scene.adapter}' has no {said}, so they act nowhere; write step or exact"
        yield SceneProblem(("robot", "restraints"), message)
