"""Environments of gymnasium for learning and planning, from scene files."""

from ipc_articulation.extras import need

need("gymnasium")  # or the error that says how to install it

from ipc_articulation.gym.env import Env  # noqa: E402
from ipc_articulation.gym.registration import register  # noqa: E402
from ipc_articulation.gym.state import TaskState  # noqa: E402
from ipc_articulation.gym.task import Task  # noqa: E402
from ipc_articulation.gym.vector import make_vec  # noqa: E402

__all__ = ["Env", "Task", "TaskState", "make_vec"]

register()
