"""Vector environments: what gymnasium asks of them, and environments that fail beside others."""

import os
import signal
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep
from typing import Any
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from ipc_articulation.examples.policies.peg_in_hole import PegInHole
from ipc_articulation.examples.policies.push_crate import PushCrate

from ipc_articulation.errors import SceneFileError, SolverError, TaskError
from ipc_articulation.gym import Env, Task, make_vec, ray_vector
from ipc_articulation.gym.shared import SharedScene
from ipc_articulation.gym.vector import _one_thread_each
from ipc_articulation.gym.world import World

COUNT = 3


class Fragile(Task):
    """A step that pushes hard fails."""

    def act(self, action: np.ndarray, state: Any) -> Any:
        if action[0] > 0.9:
            raise SolverError("Newton did not converge")
        return super().act(action, state)


def fragile(scene: Path) -> type[Task]:
    return type("FragileHere", (Fragile,), {"scene": scene})


def rollout(envs: VectorEnv, steps: int = 20) -> tuple[np.ndarray, ...]:
    """Observations, rewards and ends, with the same actions every time."""
    rng, seen = np.random.default_rng(0), [envs.reset(seed=5)[0]]
    rewards, ends = [], []
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = envs.step(rng.uniform(-0.8, 0.8, (COUNT, 1)).astype(np.float32))
        seen.append(observation)
        rewards.append(reward)
        ends.append(terminated | truncated)
    return np.array(seen), np.array(rewards), np.array(ends)


def require_as_gymnasium_says(envs: VectorEnv) -> None:
    """What gymnasium's own tests ask of a vector environment."""
    assert envs.num_envs == COUNT
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert envs.observation_space.shape == (COUNT, *envs.single_observation_space.shape)
    assert envs.action_space.shape == (COUNT, *envs.single_action_space.shape)
    observation, info = envs.reset(seed=0)
    assert observation in envs.observation_space
    assert info["_success"].all()
    observation, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
    assert observation in envs.observation_space
    assert (reward.shape, reward.dtype) == ((COUNT,), np.float64)
    for ended in (terminated, truncated):
        assert (ended.shape, ended.dtype) == ((COUNT,), np.bool_)


def alone(scene: Path) -> list[np.ndarray]:
    """Observations of each environment by itself, until its first end."""
    rng, seen = np.random.default_rng(0), []
    actions = np.array([rng.uniform(-0.8, 0.8, (COUNT, 1)).astype(np.float32) for _ in range(15)])
    env = Env(scene, engine="cpu")
    for k in range(COUNT):
        own = [env.reset(seed=5 + k)[0]]
        own += [env.step(actions[step, k])[0] for step in range(15)]
        seen.append(np.array(own))
    env.close()
    return seen


@pytest.mark.slow
def test_environments_in_this_process_are_as_each_alone(scene: Path) -> None:
    envs = make_vec(scene, COUNT, backend="here", engine="cpu")
    require_as_gymnasium_says(envs)
    seen, rewards, ends = rollout(envs)
    envs.close()
    np.testing.assert_array_equal(np.flatnonzero(ends[:, 0]), [14])  # truncated, and reset in the next step
    assert not rewards[15].any()
    for k, own in enumerate(alone(scene)):
        np.testing.assert_array_equal(seen[:16, k], own)


@pytest.mark.slow
def test_environments_in_one_scene_are_as_in_scenes_of_their_own(scene: Path) -> None:
    """Bit for bit, with resets of some while others go on."""
    here, there = (make_vec(scene, COUNT, backend=name, engine="cpu") for name in ("here", "scene"))
    require_as_gymnasium_says(there)
    for ours, theirs in zip(rollout(here), rollout(there), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for envs in (here, there):
        envs.reset(options={"reset_mask": np.array([False, True, False])})
    for _ in range(5):
        ours, theirs = (envs.step(np.full((COUNT, 1), 0.3))[0] for envs in (here, there))
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(TaskError, match="the action of environment 1 is array"):
        there.step(np.array([[0.0], [np.nan], [0.0]]))
    for envs in (here, there):
        envs.close()


@pytest.mark.slow
@pytest.mark.parametrize(("task", "policy"), [("push_crate", PushCrate), ("peg_in_hole", PegInHole)])
def test_the_example_tasks_are_the_same_in_one_scene(task: str, policy: type) -> None:
    seen = []
    for backend in ("here", "scene"):
        envs, own = make_vec(f"example:{task}", 2, backend=backend, engine="cpu"), [policy(), policy()]
        observations = [envs.reset(seed=4)[0]]
        for _ in range(15):
            actions = np.array([one(at) for one, at in zip(own, observations[-1], strict=True)])
            observations.append(envs.step(actions)[0])
        envs.close()
        seen.append(np.array(observations))
    np.testing.assert_array_equal(*seen)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_one_scene_knows_the_ways_to_reset(scene: Path, mode: AutoresetMode) -> None:
    seen = []
    for backend in ("here", "scene"):
        envs = make_vec(scene, 2, backend=backend, engine="cpu", backend_options={"autoreset_mode": mode})
        envs.reset(seed=3)
        own = []
        for _ in range(18):
            observation, _, terminated, truncated, info = envs.step(np.zeros((2, 1)))
            own.append(np.array([*observation.ravel(), *truncated]))
            if (truncated | terminated).any() and mode is AutoresetMode.DISABLED:
                own.append(envs.reset(options={"reset_mask": truncated | terminated})[0].ravel())
            elif truncated.any():
                own.append(info["final_obs"][0])
        seen.append(np.concatenate(own))
        envs.close()
    np.testing.assert_array_equal(*seen)


class Unstable(Task):
    """An environment whose robot loses its state if it is pushed hard."""

    def act(self, action: np.ndarray, state: Any) -> Any:
        if action[0] > 0.9:
            state._coupling.adapter.data.qvel[0] = np.nan
        return super().act(action, state)


def test_a_step_that_fails_in_one_scene_ends_the_episode_of_its_environment(scene: Path) -> None:
    task = type("UnstableHere", (Unstable,), {"scene": scene})
    envs, actions = make_vec(task, COUNT, backend="scene", engine="cpu"), np.full((COUNT, 1), 0.5)
    envs.reset(seed=0)
    undisturbed = [envs.step(actions)[0] for _ in range(6)]
    first = envs.reset(seed=0)[0]
    for step in range(6):
        given = actions.copy()
        given[1] = 1.0 if step == 2 else 0.5
        observation, _, _, truncated, info = envs.step(given)
        np.testing.assert_array_equal(observation[[0, 2]], undisturbed[step][[0, 2]])
        assert truncated.tolist() == [False, step == 2, False]
        if step == 2:
            assert info["error"][1].startswith("AdapterError: ")
    assert not np.array_equal(observation[1], first[1])  # it was reset, and goes on
    envs.close()


@pytest.mark.slow
def test_processes_are_as_one_process(scene: Path) -> None:
    here, there = (make_vec(scene, COUNT, backend=name, engine="cpu") for name in ("here", "processes"))
    require_as_gymnasium_says(there)
    for ours, theirs in zip(rollout(here), rollout(there), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(TaskError, match="the action of environment 1 is array"):
        there.step(np.array([[0.0], [np.nan], [0.0]]))
    there.step(np.zeros((COUNT, 1)))  # goes on
    for envs in (here, there):
        envs.close()


@pytest.mark.parametrize("backend", ["here", "scene", pytest.param("processes", marks=pytest.mark.slow)])
def test_one_that_fails_is_reported_and_the_others_go_on_with_the_same_bits(scene: Path, backend: str) -> None:
    envs, actions = make_vec(fragile(scene), COUNT, backend=backend, engine="cpu"), np.full((COUNT, 1), 0.5)
    envs.reset(seed=0)
    undisturbed = [envs.step(actions)[0] for _ in range(6)]
    envs.reset(seed=0)
    for step in range(6):
        given = actions.copy()
        given[1] = 1.0 if step == 2 else 0.5
        observation, _, _, truncated, info = envs.step(given)
        np.testing.assert_array_equal(observation[[0, 2]], undisturbed[step][[0, 2]])
        assert truncated.tolist() == [False, step == 2, False]
        if step == 2:
            assert info["error"][1] == "SolverError: Newton did not converge"
            assert info["_error"].tolist() == [False, True, False]
    envs.close()


@pytest.mark.parametrize("backend", ["here", "scene"])
def test_after_a_step_that_was_interrupted_all_begin_anew(
    scene: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of environments may be one of numpy's."""
    envs, actions = make_vec(scene, np.int64(2), backend=backend, engine="cpu"), np.zeros((2, 1))
    envs.reset(seed=0)
    with monkeypatch.context() as patch:
        patch.setattr(World if backend == "here" else SharedScene, "step", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            envs.step(actions)
    for _ in range(2):
        with pytest.raises(TaskError, match="the action before this one did not come to its end"):
            envs.step(actions)
    envs.reset(seed=0)
    envs.step(actions)
    envs.close()


@pytest.mark.parametrize("backend", ["here", "scene"])
def test_one_that_fails_may_stop(scene: Path, backend: str) -> None:
    envs = make_vec(fragile(scene), 2, backend=backend, engine="cpu", on_failure="stop")
    envs.reset(seed=0)
    stopped = envs.step([[0.2], [1.0]])[0][1]
    for _ in range(4):
        observation, *_, info = envs.step([[0.2], [0.2]])
        np.testing.assert_array_equal(observation[1], stopped)
        assert "did not converge" in info["error"][1]
    envs.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0, must be at least 1"),
        ({"num_envs": 2, "backend": "proceses"}, "there is no backend 'proceses'; did you mean 'processes'?"),
        ({"num_envs": 2, "backend": ["here"]}, "there is no backend ['here']; did you mean 'here'?"),
        ({"num_envs": 1.5}, "num_envs is 1.5, must be a whole number"),
        (
            {"num_envs": 2, "backend": "here", "engin": "cpu"},
            "make_vec: unknown option 'engin'; did you mean 'engine'? "
            "valid: backend, backend_options, engine, on_failure, render_mode, settings, size",
        ),
        *(
            (
                {"num_envs": 2, "backend": backend, "backend_options": given},
                f"make_vec: backend_options of '{backend}'{text}",
            )
            for backend, given, text in [
                ("here", {"x": 1}, ": unknown option 'x'; valid: autoreset_mode, copy, observation_mode"),
                (
                    "scene",
                    {"autoreset_mode": "x"},
                    ": autoreset_mode is 'x', must be an AutoresetMode, or one of 'Next",
                ),
                ("processes", {"context": "nope"}, ": context is 'nope', must be one of "),
                ("processes", {"shared_memory": "q"}, ": shared_memory is 'q', must be True or False"),
                ("ray", {"actors": 0}, ": actors is 0, must be a whole number, one or more, or None"),
                ("ray", {"actors": "x"}, ": actors is 'x', must be a whole number, one or more, or None"),
                ("ray", {"address": 5}, ": address is 5, must be a str"),
                ("ray", {"time_limit": 0}, ": time_limit is 0, must be a positive, finite number"),
            ]
        ),
        ({"num_envs": 2, "bakend": "here"}, "unknown option 'bakend'; did you mean 'backend'?"),
    ],
)
def test_what_cannot_be_made_is_refused(scene: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError) as caught:
        make_vec(scene, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("backend", ["here", "scene"])
def test_seeds_options_and_actions_of_all_are_refused_by_name(scene: Path, backend: str) -> None:
    envs = make_vec(scene, 2, backend=backend, engine="cpu")
    for seed in (-1, 1.5, "a", [1, -1]):
        with pytest.raises(TaskError, match=r"reset: seed is .*, must be a whole number, zero or more, or None"):
            envs.reset(seed=seed)
    with pytest.raises(TaskError, match="3 seeds were given for 2 environments"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(TaskError, match="reset: options is 5, must be a Mapping, or None"):
        envs.reset(options=5)
    envs.reset(seed=np.int64(3))
    for actions, kind in (([[1j], [0.0]], "list"), (np.zeros((2, 1), dtype=complex), "ndarray"), ("ab", "str")):
        with pytest.raises(TaskError, match=rf"the actions are a {kind}, must be \(2, 1\) numbers from -1 to 1, a row"):
            envs.step(actions)
    envs.close()


def test_processes_that_two_threads_start_leave_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    ended = Event()

    def start() -> None:
        with _one_thread_each():
            ended.wait(10.0)

    thread = Thread(target=start)
    with _one_thread_each():
        thread.start()
        sleep(0.05)
    ended.set()
    thread.join()
    assert "OMP_NUM_THREADS" not in os.environ


MASKS = [np.array([True]), [True, False], np.array([False, False]), np.array([0, 1]), "x"]


def require_one_behaviour(envs: VectorEnv) -> None:
    """What is asked of two environments of any backend before the first reset, at resets of some, and after the end."""
    actions, some = np.zeros((2, 1)), np.array([False, True])
    with pytest.raises(TaskError, match=r"step before reset: episodes begin with envs.reset\(\)"):
        envs.step(actions)
    with pytest.raises(TaskError, match="'reset_mask' leaves out environments; the first reset is of all"):
        envs.reset(options={"reset_mask": some})
    first = envs.reset(seed=0)[0]
    for mask in MASKS:
        with pytest.raises(
            TaskError, match=r"options: 'reset_mask' is .*, must be an array of numpy with 2 Booleans, at"
        ):
            envs.reset(options={"reset_mask": mask})
    moved, options = envs.step(actions + 0.5)[0], {"reset_mask": some}
    observations, infos = envs.reset(seed=0, options=options)
    assert list(options) == ["reset_mask"]  # gymnasium takes it out
    np.testing.assert_array_equal(observations, [moved[0], first[1]])
    assert infos["_drawn"].tolist() == [False, True]
    envs.step(actions)
    envs.close()
    for call in (envs.reset, lambda: envs.step(actions), envs.render):
        with pytest.raises(TaskError, match="closed; make "):
            call()


@pytest.mark.parametrize("backend", ["here", "scene", pytest.param("processes", marks=pytest.mark.slow)])
def test_begins_and_ends_are_the_same_in_all_backends(scene: Path, backend: str) -> None:
    require_one_behaviour(make_vec(scene, 2, backend=backend, engine="cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("actors", [1, 2])
def test_begins_and_ends_are_the_same_on_ray(ray: Any, scene: Path, actors: int) -> None:
    require_one_behaviour(make_vec(scene, 2, backend="ray", engine="cpu", backend_options={"actors": actors}))


@pytest.mark.slow
def test_actors_without_a_cpu_are_named(ray: Any, scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_vector, "_PATIENCE", 3.0)
    envs = make_vec(scene, 2, backend="ray", engine="cpu")
    with pytest.raises(
        TaskError, match="2 Ray actors need one free CPU each; 0 of the 2 CPUs of the cluster were free"
    ):
        make_vec(scene, 2, backend="ray", engine="cpu")
    envs.close()


@pytest.mark.slow
def test_environments_that_actors_cannot_make_are_named_as_here(ray: Any) -> None:
    for backend in ("here", "ray"):
        with pytest.raises(SceneFileError, match="there is no example 'nothing'"):
            make_vec("example:nothing", 2, backend=backend, engine="cpu")


def step_on(envs: VectorEnv) -> None:
    while True:
        envs.step(np.zeros((2, 1)))


@pytest.mark.slow
def test_a_cluster_that_is_lost_is_named(ray: Any, scene: Path) -> None:
    """As when its only node is lost: nothing of what was made there is known any more."""
    envs = make_vec(scene, 2, backend="ray", engine="cpu", backend_options={"actors": 1})
    envs.reset(seed=0)
    ray.util.remove_placement_group(envs._room)  # type: ignore[attr-defined]
    for _ in range(2):
        with pytest.raises(
            TaskError, match=r"the Ray cluster is lost: .*Connect to one, and make the environments anew"
        ):
            step_on(envs)
    envs.close()


class Sleepy(Task):
    """An action takes long."""

    def act(self, action: np.ndarray, state: Any) -> Any:
        sleep(60.0)


@pytest.mark.slow
def test_an_actor_that_does_not_answer_is_named(ray: Any, scene: Path) -> None:
    task = type("SleepyHere", (Sleepy,), {"scene": scene})
    envs = make_vec(task, 2, backend="ray", engine="cpu", backend_options={"actors": 1, "time_limit": 30.0})
    envs.reset(seed=0)
    envs._limit = 0.5  # type: ignore[attr-defined]
    with pytest.raises(TaskError, match=r"does not answer in 0.5 s, of numbers 0, 1: close them and make them anew"):
        envs.step(np.zeros((2, 1)))
    envs.close()


@pytest.mark.slow
def test_processes_that_are_killed_are_named_and_nothing_waits(scene: Path) -> None:
    """Before a reset, before a step, and while others wait for what it holds."""
    for call in (lambda envs: envs.reset(), lambda envs: envs.step(np.zeros((2, 1)))):
        envs = make_vec(scene, 2, backend="processes", engine="cpu", backend_options={"max_concurrency": 1})
        with pytest.raises(TaskError, match="reset: seed is -1"):
            envs.reset(seed=-1)
        envs.reset(seed=0)
        os.kill(envs.processes[1].pid, signal.SIGKILL)  # type: ignore[attr-defined]
        begun = perf_counter()
        for _ in range(2):
            with pytest.raises(TaskError, match=r"environment 1 has ended with exit code -9; the episodes of all 2"):
                call(envs)
        envs.close()
        assert perf_counter() - begun < 10.0


@pytest.mark.slow
def test_a_process_that_is_killed_in_its_step_is_named(scene: Path) -> None:
    task = type("DyingHere", (Dying,), {"scene": scene})
    envs = make_vec(task, 2, backend="processes", engine="cpu", backend_options={"max_concurrency": 1})
    envs.reset(seed=0)
    begun = perf_counter()
    with pytest.raises(TaskError, match="environment 0 has ended with exit code -9"):
        envs.step(np.array([[1.0], [0.0]]))
    envs.close()
    assert perf_counter() - begun < 10.0


class Dying(Task):
    """Its process is killed if it is pushed hard."""

    def act(self, action: np.ndarray, state: Any) -> Any:
        if action[0] > 0.9:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(action, state)


@pytest.mark.slow
def test_actors_of_ray_that_were_killed_are_made_anew_by_reset(ray: Any, scene: Path, caplog: Any) -> None:
    envs = make_vec(scene, 2, backend="ray", engine="cpu", backend_options={"actors": 2})
    first = envs.reset(seed=0)[0]
    number = envs._actors[1].__ray_call__.remote(lambda group: os.getpid())  # type: ignore[attr-defined]
    os.kill(ray.get(number), signal.SIGKILL)
    np.testing.assert_array_equal(envs.reset(seed=0)[0], first)
    assert "the Ray actor of environments was lost, of numbers 1" in caplog.text
    np.testing.assert_array_equal(envs.reset(seed=0)[0], first)
    assert not envs.step(np.zeros((2, 1)))[3].any()
    envs.close()


@pytest.fixture(scope="module")
def ray() -> Any:
    """Ray on this machine, with two CPUs."""
    ray = pytest.importorskip("ray", reason="needs the extra 'cluster'")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80 * 2**20)
    yield ray
    ray.shutdown()


@pytest.mark.slow
def test_actors_of_ray_are_as_one_process_and_are_made_anew(ray: Any, scene: Path) -> None:
    here, there = (make_vec(scene, COUNT, backend=name, engine="cpu") for name in ("here", "ray"))
    require_as_gymnasium_says(there)
    for ours, theirs in zip(rollout(here), rollout(there), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    here.close()
    with pytest.raises(TaskError, match="the action of environment 1 is array"):
        there.step(np.array([[0.0], [np.nan], [0.0]]))
    there.reset(seed=0)
    ray.kill(there._actors[0])  # type: ignore[attr-defined]
    _, _, _, truncated, info = there.step(np.zeros((COUNT, 1)))
    assert truncated.tolist() == [True, True, False]
    assert "the Ray actor of environments was lost" in info["error"][0]
    _, _, _, truncated, info = there.step(np.zeros((COUNT, 1)))
    assert not truncated.any()
    there.close()


@pytest.mark.slow
def test_gymnasium_makes_the_example_tasks_by_name() -> None:
    spec = gymnasium.spec("ipc_articulation/PushCrate-v0")
    assert spec.kwargs == {"task": "example:push_crate"}
    env = gymnasium.make("ipc_articulation.gym:ipc_articulation/PegInHole-v0", engine="cpu")
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    env.close()
