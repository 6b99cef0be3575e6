"""Environments for stable-baselines3, which has vector environments of its own kind.

Source: https://stable-baselines3.readthedocs.io/en/master/guide/vec_envs.html: an environment that has ended is reset
in the same step, `infos[k]` has its last observation as `terminal_observation`, whether it was cut off as
`TimeLimit.truncated`, and whether the task succeeded as `is_success`, which is logged as a rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import DictInfoToList

from ipc_articulation.arguments import instance, one_of, optional, refuse_unwanted
from ipc_articulation.errors import TaskError
from ipc_articulation.extras import need
from ipc_articulation.gym.checks import checked_start
from ipc_articulation.gym.task import Task
from ipc_articulation.gym.vector import make_vec

need("stable_baselines3")  # or the error that says how to install it

from stable_baselines3.common.vec_env import VecEnv, VecMonitor  # noqa: E402


def make_vec_env(
    task: str | Path | type[Task],
    num_envs: int,
    *,
    backend: str = "scene",
    backend_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> VecMonitor:
    """Several environments of one task, for the algorithms of stable-baselines3.

    ```python
    model = PPO("MlpPolicy", make_vec_env("example:push_crate", 8))
    ```

    They are monitored, so that the mean reward and the rate of success of episodes are logged.

    Args:
        task: See `Env`.
        num_envs: How many.
        backend: "scene", "processes" or "here"; see `make_vec`.
        backend_options: See `make_vec`; when environments are reset is not among them.
        options: Of each `Env`.

    Raises:
        TaskError: As for `make_vec`.
        IpcArticulationError: As for `Env`.
    """
    refuse_unwanted("make_vec_env: backend", backend, one_of("scene", "processes", "here"), TaskError)
    refuse_unwanted("make_vec_env: backend_options", backend_options, optional(instance(Mapping)), TaskError)
    chosen = {**(backend_options or {}), "autoreset_mode": AutoresetMode.SAME_STEP}
    return VecMonitor(
        StableBaselinesVecEnv(make_vec(task, num_envs, backend=backend, backend_options=chosen, **options))
    )


class StableBaselinesVecEnv(VecEnv):
    """A vector environment of gymnasium as one of stable-baselines3.

    Args:
        envs: Environments that reset in the same step (`AutoresetMode.SAME_STEP`).
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        self.envs, self._listed = envs, DictInfoToList(envs)
        self._seeds_given: Any = None
        self._options_given: Any = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def seed(self, seed: int | None = None) -> Any:
        """Seeds of the next reset: `seed` + k for environment k.

        Raises:
            TaskError: It is no whole number, zero or more.
        """
        self._seeds_given = super().seed(checked_start(seed, None))
        return self._seeds_given

    def set_options(self, options: Any = None) -> None:
        """Options of the next reset; see `make_vec`."""
        self._options_given = options

    def reset(self) -> Any:
        """Reset all environments.

        Raises:
            TaskError: A seed or an option is none.
        """
        observations, self.reset_infos = self._listed.reset(seed=self._seeds_given, options=self._options_given)
        self._seeds_given = self._options_given = None
        return observations

    def step_async(self, actions: Any) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, Any]:
        """Step all environments, and reset those that have ended; observations, rewards, ends and infos.

        Raises:
            TaskError: As for `Env.step`.
        """
        observations, rewards, terminated, truncated, infos = self._listed.step(self._actions)
        ended = terminated | truncated
        for k in np.flatnonzero(ended):
            last, final = infos[k].pop("final_info"), infos[k].pop("final_obs")
            self.reset_infos[k] = infos[k]
            infos[k] = {**last, "terminal_observation": final, "is_success": bool(last.get("success", False))}
        for info, cut_off in zip(infos, truncated & ~terminated, strict=True):
            info["TimeLimit.truncated"] = bool(cut_off)
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """End the environments."""
        self.envs.close()

    def get_images(self) -> Any:
        """Pictures of all environments."""
        return self.envs.render()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environments with these indices (None: all)."""
        found = self.envs.get_attr(attr_name)
        return [found[k] for k in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environments with these indices (None: all)."""
        values = list(self.envs.get_attr(attr_name)) if indices is not None else [value] * self.num_envs
        for k in self._chosen(indices):
            values[k] = value
        self.envs.set_attr(attr_name, values)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of all environments.

        Raises:
            TaskError: `indices` are not those of all environments.
        """
        if list(self._chosen(indices)) != list(range(self.num_envs)):
            raise TaskError(f"env_method: '{method_name}' is called in all environments at once: indices must be None")
        return list(self.envs.call(method_name, *method_args, **method_kwargs))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Whether environments are wrapped: none is."""
        return [False for _ in self._chosen(indices)]

    def _chosen(self, indices: Any) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        chosen = np.atleast_1d(indices).tolist()
        for k in chosen:
            if k not in range(self.num_envs):
                raise TaskError(f"there is no environment {k!r}; valid indices: 0 to {self.num_envs - 1}")
        return chosen
