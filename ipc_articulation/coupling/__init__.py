"""Puts an articulation into a `uipc.Scene`, and keeps a multibody engine and the scene in step."""

from ipc_articulation.coupling.couple import couple
from ipc_articulation.coupling.coupling import Coupling, step

__all__ = ["Coupling", "couple", "step"]
