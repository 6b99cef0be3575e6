"""Environments as actors of a Ray cluster: each actor has some of them, and a step is one message to each actor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from ipc_articulation.errors import TaskError
from ipc_articulation.extras import need
from ipc_articulation.gym.checks import checked_actions, checked_starts, require_open
from ipc_articulation.sweeps.cluster import connected

_PATIENCE = 20.0  # seconds for the cluster to have CPUs free

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
        actors: How many actors share them, each with one CPU, which must be free; by default as many as the cluster has
            CPUs.
        address: "auto" for the cluster that this machine belongs to, HOST:PORT, or ray://HOST:PORT. Where `ray.init`
            was called before, that connection is used.
        time_limit: Time in which an actor makes its environments, resets them, or steps them [s].

    Raises:
        TaskError: The cluster has too few CPUs free, or an actor does not answer.
        SweepError: There is no cluster at the address.
        MissingPackageError: Ray is not installed.
        IpcArticulationError: An environment cannot be made.
    """

    is_begun = False  # whether there was a reset

    def __init__(
        self,
        factory: Callable[[], Any],
        num_envs: int,
        actors: int | None = None,
        address: str = "auto",
        time_limit: float = 600.0,
    ) -> None:
        self._ray, self._factory, self._limit = need("ray"), factory, time_limit
        self.num_envs = num_envs
        with ExitStack() as stack:
            stack.enter_context(connected(self._ray, address))
            cpus = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            count = min(num_envs, cpus if actors is None else actors)
            self._shares = [list(map(int, share)) for share in np.array_split(np.arange(num_envs), count)]
            self._room = self._ray.util.placement_group([{"CPU": 1}] * count)
            stack.callback(self._ray.util.remove_placement_group, self._room)  # ends the actors, too
            self._actors = [self._actor(number) for number in range(count)]
            pending = [actor.describe.remote() for actor in self._actors]
            made, *_ = [self._own(number, answer) for number, answer in enumerate(pending)]
            self._stack = stack.pop_all()
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
            TaskError: A seed is none, or an actor was lost twice, or together with episodes that go on.
        """
        seeds, known = checked_starts(self, seed, options)
        mask = known.get("reset_mask", np.ones(self.num_envs, dtype=bool))
        given = [{place: seeds[k] for place, k in enumerate(share) if mask[k]} for share in self._shares]
        pending = [actor.reset.remote(own) for actor, own in zip(self._actors, given, strict=True)]
        infos: dict[str, Any] = {}
        for number, (share, answer) in enumerate(zip(self._shares, pending, strict=True)):
            for place, (observation, info) in self._begun(number, answer, given[number]).items():
                self._last[share[place]] = observation
                infos = self._add_info(infos, info, share[place])
        self.is_begun = True
        return self._batched(), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step all environments; one that ended in the last step is reset instead."""
        each = list(iterate(self.action_space, checked_actions(self, actions)))
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
        require_open(self)
        answers = [self._own(number, actor.render.remote()) for number, actor in enumerate(self._actors)]
        return tuple(picture for answer in answers for picture in answer)

    def close_extras(self, **kwargs: Any) -> None:
        """End the actors."""
        self._stack.close()

    def _pairs(self) -> list[tuple[Any, list[int]]]:
        return list(zip(self._actors, self._shares, strict=True))

    def _actor(self, number: int) -> Any:
        """An actor, once the cluster has a CPU free for it.

        Raises:
            TaskError: It has none, or is lost.
        """
        try:
            has_room = self._room.wait(_PATIENCE)
        except Exception as error:  # Ray has no other type for it
            raise TaskError(
                f"the Ray cluster is lost: {error} Connect to one, and make the environments anew"
            ) from error
        if not has_room:
            free, cpus = (got.get("CPU", 0) for got in (self._ray.available_resources(), self._ray.cluster_resources()))
            raise TaskError(
                f"{len(self._shares)} Ray actors need one free CPU each; {free:g} of the {cpus:g} CPUs of the cluster "
                f"were free for {_PATIENCE:g} s: close what has the others, or give backend_options={{'actors': ...}}"
            )
        place = self._ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(self._room, number)
        group = self._ray.remote(num_cpus=1, scheduling_strategy=place)(_Group)
        return group.remote(self._factory, len(self._shares[number]))

    def _outcomes(self, number: int, answer: Any) -> list[Outcome]:
        """What the environments of an actor gave; those of an actor that was lost are truncated."""
        try:
            return self._get(number, answer)
        except self._ray.exceptions.RayActorError as error:
            message = self._anew(number, error)
            self._actors[number].end_all.remote()
            if self._raises:
                raise TaskError(message) from error
            share = self._shares[number]
            return [(self._last[k], 0.0, False, True, {"success": False, "error": message}) for k in share]

    def _begun(self, number: int, answer: Any, given: dict[int, int | None]) -> dict[int, tuple[Any, dict[str, Any]]]:
        """What environments of an actor began with; if it was lost, they begin in another, unless others go on."""
        if len(given) < len(self._shares[number]):
            return self._own(number, answer)
        try:
            return self._get(number, answer)
        except self._ray.exceptions.RayActorError as error:
            log.warning("%s; they are reset in another", self._anew(number, error))
        return self._own(number, self._actors[number].reset.remote(given))

    def _own(self, number: int, answer: Any) -> Any:
        """What an actor answers; its loss is an error."""
        try:
            return self._get(number, answer)
        except self._ray.exceptions.RayActorError as error:
            raise TaskError(self._anew(number, error)) from error

    def _anew(self, number: int, error: Exception) -> str:
        """Make a lost actor anew; what is said of it."""
        self._actors[number] = self._actor(number)
        return f"the Ray actor of environments was lost, of {self._numbers(number)}: {str(error).splitlines()[0]}"

    def _numbers(self, number: int) -> str:
        return f"numbers {', '.join(map(str, self._shares[number]))}"

    def _get(self, number: int, answer: Any) -> Any:
        """What an actor answers; an error that it raised is raised here as it was.

        Raises:
            TaskError: It does not answer.
        """
        try:
            return self._ray.get(answer, timeout=self._limit)
        except self._ray.exceptions.GetTimeoutError as error:
            raise TaskError(
                f"the Ray actor of environments does not answer in {self._limit:g} s, of {self._numbers(number)}: "
                "close them and make them anew; backend_options={'time_limit': ...} gives it more time"
            ) from error
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause or error from None

    def _batched(self) -> Any:
        empty: Any = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.zeros)
        return concatenate(self.single_observation_space, self._last, empty)


class _Group:
    """The environments of one actor, on its node."""

    def __init__(self, factory: Callable[[], gymnasium.Env[Any, Any]], count: int) -> None:
        self._factory, self._ended = factory, [False] * count

    @cached_property
    def _envs(self) -> list[Any]:
        """They are made at the first call: what a constructor raises, Ray gives as the loss of the actor."""
        return [self._factory() for _ in self._ended]

    def describe(self) -> tuple[Any, ...]:
        env = self._envs[0]
        raises = getattr(env.unwrapped, "on_failure", "raise") == "raise"
        return env.observation_space, env.action_space, env.metadata, env.render_mode, raises

    def end_all(self) -> None:
        self._ended = [True] * len(self._envs)

    def reset(self, seeds: dict[int, int | None]) -> dict[int, tuple[Any, dict[str, Any]]]:
        for number in seeds:
            self._ended[number] = False
        return {number: self._envs[number].reset(seed=seed) for number, seed in seeds.items()}

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
