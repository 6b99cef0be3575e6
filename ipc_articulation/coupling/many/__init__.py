"""Many copies of a robot and its surroundings in one scene, which take their steps together."""

from ipc_articulation.coupling.many.couple_many import couple_many
from ipc_articulation.coupling.many.environments import Environments

__all__ = ["Environments", "couple_many"]
