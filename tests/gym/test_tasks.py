"""Tasks in Python, and what the sections of a file observe, reward and do."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from ipc_articulation.errors import TaskError
from ipc_articulation.gym import Env, Task, TaskState
from tests.gym.conftest import MakeEnv


def task_in(file: Path, **members: Any) -> type[Task]:
    return type("Own", (Task,), {"scene": file, **members})


def test_a_task_replaces_what_it_likes(scene: Path) -> None:
    def observe(self: Task, state: TaskState) -> np.ndarray:
        return np.concatenate([state.theta, state.position("box")])

    def act(self: Task, action: np.ndarray, state: TaskState) -> dict[str, float]:
        return {"slide": 0.1 * float(action[0])}

    members = {
        "observe": observe,
        "act": act,
        "reward": lambda self, state: state.theta[0],
        "is_success": lambda self, state: state.theta[0] > 0.02,
        "action_space": gymnasium.spaces.Box(-1.0, 1.0, (1,)),
    }
    env = Env(task_in(scene, **members), engine="cpu")
    observation, _ = env.reset(seed=1)
    assert env.observation_space.shape == observation.shape == (4,)
    for _ in range(15):
        _, reward, terminated, _, info = env.step([1.0])
        if terminated:
            break
    assert reward == pytest.approx(env.state.theta[0])
    assert info["success"]
    env.close()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"reward": lambda self, state: np.nan}, "Own.reward gave nan as number 0, must be finite"),
        ({"reward": lambda self, state: "much"}, "Own.reward gave 'much', must be a number"),
        ({"act": lambda self, action, state: {"slyde": 1.0}}, "Own.act returned targets of an unknown joint 'slyde'"),
        ({"act": lambda self, action, state: None}, "Own.act returned None for targets"),
        ({"observe": lambda self, state: np.full(3, np.inf)}, "Own.observe gave inf as number 0"),
        ({"observe": lambda self, state: state.position("bax")}, "there is no link, body or mark 'bax'"),
    ],
)
def test_what_a_task_gives_is_checked(scene: Path, members: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=message):  # noqa: PT012
        env = Env(task_in(scene, **members), engine="cpu")
        env.reset(seed=0)
        env.step([0.0])


def test_an_observation_keeps_its_shape(scene: Path) -> None:
    own = task_in(scene, observe=lambda self, state: np.zeros(1 + round(state.time / state.dt)))
    env = Env(own, engine="cpu")
    env.reset(seed=0)
    with pytest.raises(TaskError, match=r"Own.observe gave shape \(3,\), must be \(1,\)"):
        env.step([0.0])


def test_a_task_has_a_scene() -> None:
    with pytest.raises(TaskError, match="Bare has no scene"):
        Env(type("Bare", (Task,), {}))


def test_observations_are_what_the_file_says(make_env: MakeEnv) -> None:
    env = make_env(("{type: joint_positions}", "{type: joint_positions, scale: 10.0}"))
    env.reset(seed=2)
    observation, *_ = env.step([0.25])
    state = env.state
    expected = [
        *(10.0 * state.theta),
        *(state.position("box") - state.position("goal"))[:2],
        *state.velocity("box"),
        0.25,
    ]
    assert observation == pytest.approx(np.array(expected, dtype=np.float32))


def test_an_action_beyond_its_bounds_counts_as_the_bound(make_env: MakeEnv) -> None:
    env = make_env()
    env.reset(seed=0)
    start = env.state.targets
    observation, *_ = env.step([-7.0])
    assert observation[-1] == -1.0
    assert env.state.targets - start == pytest.approx([-0.02])


def test_progress_adds_up_to_the_way(make_env: MakeEnv) -> None:
    env = make_env(("  - {type: success, weight: 10.0}\n", ""), ("steps: 30", "steps: 80"))
    env.reset(seed=0)
    before = env.state.position("goal")[0] - env.state.position("box")[0]
    total = sum(env.step([0.5])[1] for _ in range(30))
    after = env.state.position("goal")[0] - env.state.position("box")[0]
    assert before - after > 0.02
    assert total == pytest.approx(before - after)


def test_torques_push(make_env: MakeEnv) -> None:
    targets = "{type: targets, joints: slide, scale: 0.02}"
    env = make_env((targets, "{type: torques, joints: slide, scale: 40.0}"))
    env.reset(seed=0)
    start = env.state.theta[0]
    for _ in range(14):
        env.step([-1.0])
    assert env.state.theta[0] - start == pytest.approx(-40.0 / 4000.0, rel=0.05)  # where the servo holds against it
