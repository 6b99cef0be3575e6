"""What both adapters do with a spec of MJCF before it is compiled: names, bodies that are ignored, the base."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
from ipc_articulation.adapters.mujoco.bases import settle_bases

from ipc_articulation.arrays import Array
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import free_name, matching


def prepare_spec(
    spec: mujoco.MjSpec, file: str, base: str | None, base_pose: Array | None, ignore: Sequence[str]
) -> list[str]:
    """Give bodies and joints without a name the one that `name_of` gives them, and settle floating bases.

    Args:
        spec: The model.
        file: For messages.
        base: «fixed», «free», or None, see `settle_bases`.
        base_pose: Of a floating base, (4, 4), or None.
        ignore: Regular expressions for names of bodies that are left out.

    Returns:
        The names of the bodies that are left out.

    Raises:
        AdapterError: An expression matches no body, `base_pose` is not that of one floating base, or no base can be set
            free.
    """
    for kind, elements in (("joint", spec.joints), ("body", spec.bodies)):
        taken = {element.name for element in elements}
        for index, element in enumerate(elements):
            element.name = element.name or free_name(f"{kind}{index}", taken.__contains__)
    names = [body.name for body in spec.bodies]
    ignored = [names[index] for pattern in ignore for index in matching(pattern, names, "body", AdapterError)]
    settle_bases(spec, base, base_pose, ignored, file)
    return ignored
