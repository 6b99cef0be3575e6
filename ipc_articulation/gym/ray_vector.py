"""Environments as actors of a Ray cluster: each actor has some of them, and a step is one message to each actor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from ipc_articulation.errors import TaskError
from ipc_articulation.extras import need
from ipc_articulation.gym.checks import checked_actions, checked_starts
from ipc_articulation.sweeps.cluster import connected

log = logging.getLogger("ipc_articulation")

Outcome = tuple[Any, float, bool, bool, dict[str, Any]]  # of one environment: what `step` returns


class RayVectorEnv(VectorEnv[Any, Any, Any]):
    """A vector environment on a Ray cluster.

    An actor that is lost, with its process or its node, is made anew, and the episodes of its environments are
    truncated with `info["error"]`; where `on_failure` of the environments is "raise", the loss is an error. A `reset`
    says the loss by a warning in the log.

    Args:
        factory: Makes an environment; it is sent to the nodes, which need this package and the scene's files at the
            same paths.
        num_envs: How many environments.
        actors: How many actors share them, each with one CPU; by default as many as the cluster has CPUs.
        address: "auto" for the cluster that this machine belongs to, HOST:PORT, or ray://HOST:PORT. Where `ray.init`
            was called before, that connection is used.

    Raises:
        SweepError: There is no cluster at the address.
        MissingPackageError: Ray is not installed.
        IpcArticulationError: An environment cannot be made.
    """

    def __init__(
        self, factory: Callable[[], Any], num_envs: int, actors: int | None = None, address: str = "auto"
    ) -> None:
        self._ray, self._stack, self._factory = need("ray"), ExitStack(), factory
        self._stack.enter_context(connected(self._ray, address))
        self.num_envs = num_envs
        cpus = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        count = min(num_envs, cpus if actors is None else actors)
        self._shares = [list(map(int, share)) for share in np.array_split(np.arange(num_envs), count)]
        self._actors = [self._actor(share) for share in self._shares]
        made = self._own(0, self._actors[0].describe.remote())
        self.single_observation_space, self.single_action_space, self.metadata, self.render_mode, raises = made
        self._raises = bool(raises)
        self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._last: list[Any] = [None] * num_envs

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset all environments; environment k gets `seed` + k, or the k-th of several seeds.

        Raises:
            TaskError: A seed is none, or an actor was lost twice.
        """
        seeds = checked_starts(seed, options, self.num_envs)
        given = [([seeds[k] for k in share], options) for share in self._shares]
        pending = [actor.reset.remote(*own) for actor, own in zip(self._actors, given, strict=True)]
        infos: dict[str, Any] = {}
        for number, (share, answer) in enumerate(zip(self._shares, pending, strict=True)):
            for k, (observation, info) in zip(share, self._begun(number, answer, given[number]), strict=True):
                self._last[k] = observation
                infos = self._add_info(infos, info, k)
        return self._batched(), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step all environments; one that ended in the last step is reset instead."""
        each = list(iterate(self.action_space, checked_actions(actions, self.action_space)))
        pending = [actor.step.remote([each[k] for k in share]) for actor, share in self._pairs()]
        rewards, ended = np.zeros(self.num_envs), np.zeros((2, self.num_envs), dtype=bool)
        infos: dict[str, Any] = {}
        for number, (share, answer) in enumerate(zip(self._shares, pending, strict=True)):
            for k, outcome in zip(share, self._outcomes(number, answer), strict=True):
                self._last[k], rewards[k], ended[0, k], ended[1, k], info = outcome
                infos = self._add_info(infos, info, k)
        return self._batched(), rewards, ended[0], ended[1], infos

    def render(self) -> tuple[Any, ...]:
        """Pictures of all environments."""
        answers = [self._own(number, actor.render.remote()) for number, actor in enumerate(self._actors)]
        return tuple(picture for answer in answers for picture in answer)

    def close_extras(self, **kwargs: Any) -> None:
        """End the actors."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._stack.close()

    def _pairs(self) -> list[tuple[Any, list[int]]]:
        return list(zip(self._actors, self._shares, strict=True))

    def _actor(self, share: list[int]) -> Any:
        return self._ray.remote(num_cpus=1)(_Group).remote(self._factory, len(share))

    def _outcomes(self, number: int, answer: Any) -> list[Outcome]:
        """What the environments of an actor gave; those of an actor that was lost are truncated."""
        try:
            return self._get(answer)
        except self._ray.exceptions.RayActorError as error:
            message = self._anew(number, error)
            self._actors[number].end_all.remote()
            if self._raises:
                raise TaskError(message) from error
            share = self._shares[number]
            return [(self._last[k], 0.0, False, True, {"success": False, "error": message}) for k in share]

    def _begun(self, number: int, answer: Any, given: tuple[Any, ...]) -> list[tuple[Any, dict[str, Any]]]:
        """What the environments of an actor began with; of one that was lost since, they begin in another."""
        try:
            return self._get(answer)
        except self._ray.exceptions.RayActorError as error:
            log.warning("%s; they are reset in another", self._anew(number, error))
        return self._own(number, self._actors[number].reset.remote(*given))

    def _own(self, number: int, answer: Any) -> Any:
        """What an actor answers; its loss is an error."""
        try:
            return self._get(answer)
        except self._ray.exceptions.RayActorError as error:
            raise TaskError(self._anew(number, error)) from error

    def _anew(self, number: int, error: Exception) -> str:
        """Make a lost actor anew; what is said of it."""
        share = self._shares[number]
        self._actors[number] = self._actor(share)
        names = ", ".join(map(str, share))
        return f"the Ray actor of environments was lost, of numbers {names}: {str(error).splitlines()[0]}"

    def _get(self, answer: Any) -> Any:
        """What an actor answers; an error that it raised is raised here as it was."""
        try:
            return self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause or error from None

    def _batched(self) -> Any:
        empty: Any = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.zeros)
        return concatenate(self.single_observation_space, self._last, empty)


class _Group:
    """The environments of one actor, on its node."""

    def __init__(self, factory: Callable[[], gymnasium.Env[Any, Any]], count: int) -> None:
        self._envs: list[Any] = [factory() for _ in range(count)]
        self._ended = [False] * count

    def describe(self) -> tuple[Any, ...]:
        env = self._envs[0]
        raises = getattr(env.unwrapped, "on_failure", "raise") == "raise"
        return env.observation_space, env.action_space, env.metadata, env.render_mode, raises

    def end_all(self) -> None:
        self._ended = [True] * len(self._envs)

    def reset(self, seeds: Sequence[int | None], options: dict[str, Any] | None) -> list[tuple[Any, dict[str, Any]]]:
        self._ended = [False] * len(self._envs)
        return [env.reset(seed=seed, options=options) for env, seed in zip(self._envs, seeds, strict=True)]

    def step(self, actions: Sequence[Any]) -> list[Outcome]:
        return [self._step(number, action) for number, action in enumerate(actions)]

    def render(self) -> list[Any]:
        return [env.render() for env in self._envs]

    def _step(self, number: int, action: Any) -> Outcome:
        env = self._envs[number]
        if self._ended[number]:
            observation, info = env.reset()
            self._ended[number] = False
            return observation, 0.0, False, False, info
        outcome = env.step(action)
        self._ended[number] = outcome[2] or outcome[3]
        return outcome
