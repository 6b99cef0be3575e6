"""Environments each in a process of this machine; one that has ended is named, and nothing waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any

from gymnasium.vector import AsyncVectorEnv

from ipc_articulation.errors import TaskError
from ipc_articulation.gym.checks import checked_actions, checked_starts, require_open

_LONGEST = 5.0  # seconds from the end of a process's pipe to its own


class ProcessVectorEnv(AsyncVectorEnv):
    """gymnasium's AsyncVectorEnv; a seed or an action that is none is refused before any environment begins.

    Where the process of an environment has ended, because it was killed or its environment raised an error, the
    episodes of all are lost, and everything but `close` raises a TaskError.
    """

    is_begun = False  # whether there was a reset
    processes: list[Any] = []  # noqa: RUF012 (until gymnasium has made its own)

    def __init__(self, *factories: Any, **options: Any) -> None:
        """Arguments as for AsyncVectorEnv."""
        with self._living():
            super().__init__(*factories, **options)

    def reset_async(self, seed: Any = None, options: Any = None) -> None:
        """Send the seeds; environment k gets `seed` + k, or the k-th of several seeds."""
        seeds, known = checked_starts(self, seed, options)
        with self._living():
            super().reset_async(seeds, known)

    def reset_wait(self, timeout: float | None = None) -> Any:
        """What the environments gave."""
        with self._awaiting(timeout):
            begun = super().reset_wait(timeout)
        self.is_begun = True
        return begun

    def step_async(self, actions: Any) -> None:
        """Send the actions."""
        actions = checked_actions(self, actions)
        with self._living():
            super().step_async(actions)

    def step_wait(self, timeout: float | None = None) -> Any:
        """What the environments gave."""
        with self._awaiting(timeout):
            return super().step_wait(timeout)

    def call_async(self, name: str, /, *args: object, **kwargs: object) -> None:
        """Send a call."""
        with self._living():
            super().call_async(name, *args, **kwargs)

    def call_wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """What the environments gave."""
        with self._awaiting(timeout):
            return super().call_wait(timeout)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of the environments."""
        with self._living():
            super().set_attr(name, values)

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """End the processes; once one of them has ended, the others are killed."""
        if not wait([process.sentinel for process in self.processes], 0.0):
            return super().close_extras(timeout, terminate)
        for process, pipe in zip(self.processes, self.parent_pipes, strict=True):
            process.kill()
            if pipe is not None:
                pipe.close()
            process.join()

    @contextmanager
    def _living(self) -> Iterator[None]:
        """Name a process that has ended, before the block or in it."""
        require_open(self)
        self._refuse_ended(wait(self._ends, 0.0))
        try:
            yield
        except (EOFError, ConnectionError) as error:
            self._refuse_ended(wait(self._ends, _LONGEST), error)
            raise

    @contextmanager
    def _awaiting(self, timeout: float | None) -> Iterator[None]:
        """Name a process that was killed before all have answered: the others may wait for it."""
        waiting = set() if timeout is not None or self.closed else set(self.parent_pipes)
        while waiting:
            ready = wait([*waiting, *self._ends])
            self._refuse_ended([p.sentinel for p in self.processes if p.sentinel in ready and _code(p) != 0])
            waiting -= set(ready)
        try:
            yield
        except (EOFError, ConnectionError) as error:
            self._refuse_ended(wait(self._ends, _LONGEST), error)
            raise

    @property
    def _ends(self) -> list[Any]:
        return [process.sentinel for process in self.processes]

    def _refuse_ended(self, ended: list[Any], cause: Exception | None = None) -> None:
        for number, process in enumerate(self.processes):
            if process.sentinel in ended:
                how = f"the process of environment {number} has ended with exit code {_code(process)}"
                lost = f"the episodes of all {self.num_envs} environments are lost"
                raise TaskError(f"{how}; {lost}: close them, and make them anew") from cause


def _code(process: Any) -> Any:
    """How a process that ends has ended."""
    process.join(_LONGEST)
    return process.exitcode
