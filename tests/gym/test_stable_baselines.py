"""Environments for stable-baselines3, against its own wrapper of single environments."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="needs the extra 'train'")

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import DummyVecEnv

from ipc_articulation.errors import TaskError
from ipc_articulation.gym import Env
from ipc_articulation.gym.stable_baselines import make_vec_env
from tests.docs.pages import DOCS, code_blocks

COUNT = 3

Make = Callable[..., Any]


@pytest.fixture
def make(scene: Path) -> Iterator[Make]:
    made: list[Any] = []

    def envs(**options: Any) -> Any:
        made.append(make_vec_env(scene, COUNT, engine="cpu", backend_options={"observation_mode": "same"}, **options))
        return made[-1]

    yield envs
    for each in made:
        each.close()


def played(envs: Any, steps: int = 70) -> list[Any]:
    """What the same actions give, over two ends of episodes."""
    rng = np.random.default_rng(0)
    envs.seed(5)
    seen = [envs.reset()]
    for _ in range(steps):
        observations, rewards, ended, infos = envs.step(rng.uniform(-0.8, 0.8, (COUNT, 1)).astype(np.float32))
        last = [info.get("terminal_observation") for info in infos]
        cut = [info["TimeLimit.truncated"] for info in infos]
        seen.append((observations, rewards, ended, last, cut, [info["success"] for info in infos]))
    return seen


@pytest.mark.parametrize("backend", ["here", "scene", pytest.param("processes", marks=pytest.mark.slow)])
def test_episodes_are_those_of_stable_baselines_own_wrapper(scene: Path, make: Make, backend: str) -> None:
    theirs = DummyVecEnv([lambda: Env(scene, engine="cpu", on_failure="reset")] * COUNT)
    one, other = played(theirs), played(make(backend=backend))
    theirs.close()
    assert sum(ended.any() for _, _, ended, *_ in other[1:]) >= 2
    for mine, wanted in zip(other, one, strict=True):
        np.testing.assert_equal(mine, wanted)


def test_a_policy_learns_and_is_evaluated(make: Make) -> None:
    envs = make()
    model = PPO("MlpPolicy", envs, n_steps=40, batch_size=40, n_epochs=1, device="cpu").learn(120)
    mean, _ = evaluate_policy(model, envs, n_eval_episodes=3)
    assert np.isfinite(mean)
    assert len(model.ep_info_buffer) == 6
    assert len(model.ep_success_buffer) == 6


def test_attributes_and_methods_of_environments(make: Make) -> None:
    envs = make()
    envs.reset()
    assert envs.get_attr("every", indices=[1]) == [2]
    envs.set_attr("note", 7)
    envs.set_attr("note", 8, indices=[0, 2])
    assert envs.get_attr("note") == [8, 7, 8]
    assert envs.env_method("reset", seed=3)[1][1]["drawn"]
    with pytest.raises(TaskError, match="'close' is called in all environments at once: indices must be None"):
        envs.env_method("close", indices=1)
    with pytest.raises(TaskError, match="there is no environment 7; valid indices: 0 to 2"):
        envs.get_attr("every", [7])
    with pytest.raises(TaskError, match="reset: seed is 'a', must be a whole number"):
        envs.seed("a")


def test_the_example_of_the_page_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "howto" / "reinforcement_learning.md"
    (block,) = (block for block in code_blocks(page, "python") if "stable_baselines3" in block)
    for long, short in {"200_000": "32", ", 16, ": ", 2, ", "n_steps=128": "n_steps=16", "=256": "=32"}.items():
        assert long in block
        block = block.replace(long, short)
    exec(compile(block, str(page), "exec"), {"__name__": "example"})
    assert PPO.load("push_crate", device="cpu").num_timesteps == 32
