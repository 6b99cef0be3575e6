"""Many environments at once: in processes of this machine, as actors of a Ray cluster, or in one scene."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import iterate

from ipc_articulation.arguments import COUNT, instance, optional, refuse_unwanted, shown
from ipc_articulation.cores import THREADS
from ipc_articulation.errors import TaskError
from ipc_articulation.gym.backend_options import refuse_backend_options
from ipc_articulation.gym.checks import checked_actions, checked_starts, options_of, refuse_unknown_options
from ipc_articulation.gym.env import Env
from ipc_articulation.gym.process_vector import ProcessVectorEnv
from ipc_articulation.gym.ray_vector import RayVectorEnv
from ipc_articulation.gym.shared import SharedEnv, SharedScene, stepped
from ipc_articulation.gym.task import Task
from ipc_articulation.naming import suggest

Factory = Callable[[], Env]
Backend = Callable[..., VectorEnv]

_ONE_THREAD = (THREADS, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_ENVIRONMENT = Lock()  # of this process; one thread at a time changes it and puts it back


def make_vec(
    task: str | Path | type[Task],
    num_envs: int,
    *,
    backend: str = "scene",
    backend_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> VectorEnv:
    """Several environments of one task, as a vector environment of gymnasium.

    Environment k is seeded with `seed` + k, and its bits do not depend on the others. An environment that has ended is
    reset in the next step. A step that fails is reported in `info["error"]` and ends the episode of this environment
    alone; with `on_failure="stop"` the environment stays as it is, and with "raise" the error is raised.

    Args:
        task: See `Env`.
        num_envs: How many.
        backend: "scene", all in one scene of this process, where they step together; "processes", each environment in a
            process; "ray", actors of a Ray cluster; "here", one after the other in this process.
        backend_options: Of AsyncVectorEnv, `RayVectorEnv` or SyncVectorEnv ("scene" and "here"); None: none.
        options: Of each `Env`; `on_failure` is "reset" unless it is given.

    Raises:
        TaskError: There is no such backend or option, an option has no such value, or `num_envs` is no positive number.
        MissingPackageError: Ray is not installed.
        IpcArticulationError: As for `Env`.
    """
    refuse_unwanted("make_vec: num_envs", num_envs, COUNT, TaskError)
    refuse_unwanted("make_vec: backend_options", backend_options, optional(instance(Mapping)), TaskError)
    if num_envs == 0:
        raise TaskError("make_vec: num_envs is 0, must be at least 1")
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise TaskError(f"make_vec: there is no backend {shown(backend)}{suggest(str(backend), BACKENDS)}")
    refuse_unknown_options("make_vec", options, [*options_of(Env), *options_of(make_vec)])
    refuse_backend_options(backend, backend_options or {})
    factory = partial(Env, task, **{"on_failure": "reset", **options})
    return BACKENDS[backend](factory, int(num_envs), **(backend_options or {}))


class LocalVectorEnv(SyncVectorEnv):
    """gymnasium's SyncVectorEnv; a seed or an action that is none is refused before any environment begins."""

    is_begun = False  # whether there was a reset

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Reset all environments; environment k gets `seed` + k, or the k-th of several seeds."""
        seeds, known = checked_starts(self, seed, options)
        begun = super().reset(seed=seeds, options=known)
        self.is_begun = True
        return begun

    def step(self, actions: Any) -> Any:
        """Step all environments."""
        return super().step(checked_actions(self, actions))


class SceneVectorEnv(LocalVectorEnv):
    """Environments in one scene, whose steps are taken together before each says what came of them.

    Args:
        factory: As for the other backends; its arguments are those of `Env`.
        num_envs: How many environments.
        options: Of SyncVectorEnv.
    """

    def __init__(self, factory: Any, num_envs: int, **options: Any) -> None:
        self._scene = SharedScene(num_envs)
        make = partial(SharedEnv, self._scene, *factory.args, **factory.keywords)
        super().__init__([make] * num_envs, **options)

    def step(self, actions: Any) -> Any:
        """Step all environments."""
        each = list(iterate(self.action_space, checked_actions(self, actions)))
        ended = self._autoreset_envs & (self.autoreset_mode == AutoresetMode.NEXT_STEP)
        stepped(self._scene, self.envs, each, ended.tolist())
        return super().step(actions)

    def close_extras(self, **options: Any) -> None:
        """End the environments."""
        super().close_extras(**options)
        self._scene.close()


def _in_processes(factory: Factory, num_envs: int, **options: Any) -> VectorEnv:
    """One process each, started anew: what threads of this one hold is not copied."""
    with _one_thread_each():
        return ProcessVectorEnv([factory] * num_envs, **{"context": "spawn", **options})


def _here(factory: Factory, num_envs: int, **options: Any) -> VectorEnv:
    return LocalVectorEnv([factory] * num_envs, **options)


# By name: makes so many environments of a factory.
BACKENDS: dict[str, Backend] = {
    "processes": _in_processes,
    "ray": RayVectorEnv,
    "scene": SceneVectorEnv,
    "here": _here,
}


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that are started meanwhile compute in one thread: there are as many as work for the cores."""
    with _ENVIRONMENT:
        before = {name: os.environ.get(name) for name in _ONE_THREAD}
        os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
