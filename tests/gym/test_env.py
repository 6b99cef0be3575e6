"""Environments: what gymnasium asks of them, and how episodes begin, end and fail."""

import re
import warnings
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from ipc_articulation.errors import SolverError, TaskError
from ipc_articulation.gym import Env
from tests.gym.conftest import MakeEnv


def test_gymnasium_finds_nothing_wrong(make_env: MakeEnv) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*observation space m.*imum value is.*infinity")
        warnings.filterwarnings("ignore", ".*not having a spec")
        check_env(make_env())


def play(env: Env, seed: int, actions: np.ndarray) -> np.ndarray:
    observation, _ = env.reset(seed=seed)
    seen = [np.append(observation, 0.0)]
    for action in actions:
        observation, reward, *_ = env.step(action)
        seen.append(np.append(observation, reward))
    return np.array(seen)


def test_the_same_seed_gives_the_same_bits_whatever_was_before(make_env: MakeEnv) -> None:
    env, actions = make_env(), np.full((12, 1), 0.8, dtype=np.float32)
    fresh = play(env, 3, actions)
    assert np.abs(np.diff(fresh[:, 1])).max() > 1e-3  # the box is pushed
    play(env, 4, -actions)
    np.testing.assert_array_equal(play(env, 3, actions), fresh)
    assert not np.array_equal(play(env, 5, actions), fresh)


def test_an_episode_is_truncated_after_as_many_actions_as_fill_the_steps_of_the_file(make_env: MakeEnv) -> None:
    env = make_env()
    env.reset(seed=0)
    ends = [env.step([-0.1])[2:4] for _ in range(15)]
    assert ends == [(False, False)] * 14 + [(False, True)]


def test_success_ends_an_episode_and_is_rewarded(make_env: MakeEnv) -> None:
    env = make_env(("steps: 30", "steps: 300"))
    env.reset(seed=0)
    for _ in range(100):
        _, reward, terminated, _, info = env.step([0.5])
        if terminated:
            break
    assert info["success"]
    assert reward > 10.0
    assert env.minimum_distance > 0.0


def test_leaving_a_box_ends_an_episode_with_a_penalty(make_env: MakeEnv) -> None:
    bounds = "  leaves: [{of: nose, low: [-0.01, -1, -1], high: [1, 1, 1]}]\n  penalty: 3.0\n"
    env = make_env(("  every: 2\n", "  every: 2\n" + bounds), ("uniform: [-0.05, 0.05]", "uniform: [0.0, 0.0]"))
    env.reset(seed=0)
    for _ in range(5):
        _, reward, terminated, _, info = env.step([-1.0])
        if terminated:
            break
    assert (terminated, info["success"], reward) == (True, False, -3.0)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ([np.nan], r"number 0 of the action is nan, must be finite: \(1,\) numbers from -1 to 1"),
        ([0.1, 0.2], r"the action has shape \(2,\), must be \(1,\) numbers from -1 to 1"),
        ("left", "the action is a str, must be"),
    ],
)
def test_actions_that_are_none_are_refused(make_env: MakeEnv, action: object, message: str) -> None:
    env = make_env()
    env.reset(seed=0)
    with pytest.raises(TaskError, match=message):
        env.step(action)


def test_an_episode_begins_with_a_reset_and_nothing_follows_close(make_env: MakeEnv) -> None:
    env = make_env()
    with pytest.raises(TaskError, match="step before reset"):
        env.step([0.0])
    env.close()
    env.close()
    with pytest.raises(TaskError, match="closed"):
        env.reset()


def failing(env: Env, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SolverError("Newton did not converge")

    monkeypatch.setattr(env._world, "step", fail)


def test_a_step_that_fails_is_raised(make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_env()
    env.reset(seed=0)
    failing(env, monkeypatch)
    with pytest.raises(SolverError, match="did not converge"):
        env.step([0.0])


def test_a_step_that_fails_truncates_and_the_next_episode_is_as_ever(
    make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, actions = make_env(on_failure="reset"), np.full((8, 1), 0.8, dtype=np.float32)
    expected = play(env, 1, actions)
    observation, _ = env.reset(seed=0)
    with monkeypatch.context() as patch:
        failing(env, patch)
        last, reward, terminated, truncated, info = env.step([0.5])
    np.testing.assert_array_equal(last, observation)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["error"] == "SolverError: Newton did not converge"
    with pytest.raises(TaskError, match="step before reset"):
        env.step([0.0])
    np.testing.assert_array_equal(play(env, 1, actions), expected)


def test_an_environment_that_failed_may_stop(make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_env(on_failure="stop")
    env.reset(seed=0)
    with monkeypatch.context() as patch:
        failing(env, patch)
        env.step([0.5])
    observation, info = env.reset()
    assert "did not converge" in info["error"]
    after, _, _, truncated, _ = env.step([0.5])
    assert truncated
    np.testing.assert_array_equal(after, observation)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"render_mode": "human"}, "Env: render_mode is 'human', must be one of 'rgb_array', or None"),
        ({"on_failure": "ignore"}, "Env: on_failure is 'ignore', must be one of 'raise', 'reset', 'stop'"),
        ({"settings": ["a=1"]}, "Env: settings is"),
        *(
            ({"size": size}, f"Env: size is {size!r}, must be a tuple of two whole numbers from 1 to 8192")
            for size in ((0, 1), 3, None, ("a", "b"), (1.5, 2), (8193, 1), (1, 2, 3), (float("nan"), 1))
        ),
        (
            {"on_failiure": "stop"},
            "Env: unknown option 'on_failiure'; did you mean 'on_failure'? "
            "valid: engine, on_failure, render_mode, settings, size",
        ),
    ],
)
def test_options_are_checked(scene: Path, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)):
        Env(scene, **arguments)  # type: ignore[arg-type]


def test_something_else_than_a_task_is_refused() -> None:
    with pytest.raises(TaskError, match="task is a int, must be a scene file or a class that extends Task"):
        Env(3)  # type: ignore[arg-type]


def test_after_an_action_that_was_interrupted_an_episode_begins_anew(make_env: MakeEnv) -> None:
    """Some of its steps have been taken: what goes on would not be at the step that the episode counts."""
    env = make_env()
    env.reset(seed=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(env._task, "reward", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.step(env.action_space.sample())
    message = "the action before this one did not come to its end, by Ctrl-C or an error; another episode begins"
    with pytest.raises(TaskError, match=message):
        env.step(env.action_space.sample())
    env.reset(seed=0)
    assert env.step(env.action_space.sample())[0] in env.observation_space


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True])
def test_seeds_that_are_none_are_refused(make_env: MakeEnv, seed: object) -> None:
    with pytest.raises(TaskError, match=r"reset: seed is .*, must be a whole number, zero or more, or None"):
        make_env().reset(seed=seed)  # type: ignore[arg-type]


def test_options_and_complex_actions_are_refused(make_env: MakeEnv) -> None:
    env = make_env()
    with pytest.raises(TaskError, match="reset: options is 5, must be a Mapping, or None"):
        env.reset(options=5)
    with pytest.raises(TaskError, match="reset: options: 'masses' is unknown; there are none"):
        env.reset(options={"masses": 1.0})
    env.reset(seed=np.int64(0))
    for action in ([1j], np.array([0j])):
        with pytest.raises(TaskError, match=r"the action is a (list|ndarray), must be \(1,\) numbers from -1 to 1"):
            env.step(action)
