"""The environments that `gymnasium.make` knows by name: those of the example scenes.

`import ipc_articulation.gym` registers them, and so does gymnasium itself for a name with the module before it:
`gymnasium.make("ipc_articulation.gym:ipc_articulation/PushCrate-v0")`.
"""

from __future__ import annotations

import gymnasium

TASKS = {  # example scenes by name of the environment
    "ipc_articulation/PushCrate-v0": "push_crate",
    "ipc_articulation/PegInHole-v0": "peg_in_hole",
}

_ENTRY_POINT = "ipc_articulation.gym.env:Env"


def register() -> None:
    """Make the example tasks known to gymnasium, once."""
    for name, example in TASKS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=_ENTRY_POINT, kwargs={"task": f"example:{example}"})
