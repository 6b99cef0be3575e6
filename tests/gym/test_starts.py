"""Random starts: what is drawn, and how the scene is put back."""

import numpy as np
import pytest

from ipc_articulation.errors import SceneError
from tests.gym.conftest import MakeEnv


def test_what_is_drawn_is_where_the_scene_starts(make_env: MakeEnv) -> None:
    env, seen = make_env(), []
    for seed in range(6):
        _, info = env.reset(seed=seed)
        drawn = info["drawn"]
        box, goal = env.state.position("box"), env.state.position("goal")
        assert box == pytest.approx([drawn["bodies.box.pose.position[0]"], 0.0, 0.0515], abs=1e-12)
        assert goal == pytest.approx([drawn["marks.goal.position[0]"], 0.0, 0.05])
        assert env.state.theta == pytest.approx([drawn["robot.initial.slide"]], abs=1e-12)
        assert env.state.targets == pytest.approx(env.state.theta)
        assert env.state.time == 0.0
        seen.append([drawn["bodies.box.pose.position[0]"], *env.state.theta])
    low, high = np.min(seen, axis=0), np.max(seen, axis=0)
    assert np.all(low >= [0.1, -0.05])
    assert np.all(high <= [0.15, 0.05])
    assert np.all(high - low > 0.01)


def test_all_that_moved_is_put_back_at_rest(make_env: MakeEnv) -> None:
    env = make_env(("steps: 30", "steps: 300"))
    env.reset(seed=0)
    for _ in range(20):
        env.step([0.7])
    assert env.state.velocity("box")[0] > 0.05
    assert env.state.velocity("nose")[0] == pytest.approx(env.state.theta_dot[0], rel=1e-3)
    env.reset(seed=0)
    assert not env.state.velocity("box").any()
    assert not env.state.theta_dot.any()
    assert not env.state.contact_force.any()
    assert not env.state.action.any()
    assert env.coupling.adapter.data.time == 0.0  # type: ignore[attr-defined]


@pytest.mark.slow
def test_fixed_bodies_start_at_random_too_and_are_touched_there(make_env: MakeEnv) -> None:
    stop = "{name: stop, shape: {type: box, size: [0.02, 0.2, 0.2]}, pose: {position: [0.3, 0, 0.11]}, fixed: true}"
    drawn = 'randomise:\n  - {path: "bodies.stop.pose.position[0]", uniform: [-0.05, 0.05]}\n'
    env = make_env(("bodies:\n", f"bodies:\n  - {stop}\n"), ("randomise:\n", drawn), ("steps: 30", "steps: 300"))
    for seed in range(2):
        _, info = env.reset(seed=seed)
        place = info["drawn"]["bodies.stop.pose.position[0]"]
        assert env.state.position("stop") == pytest.approx([place, 0.0, 0.11])
        for _ in range(40):
            env.step([0.5])
        gap = place - 0.01 - (env.state.position("box")[0] + 0.05)
        assert 0.0 < gap < 0.002
        assert env.minimum_distance > 0.0


def test_starts_with_intersections_are_drawn_again(make_env: MakeEnv) -> None:
    env = make_env(("uniform: [0.0, 0.05]", "uniform: [-0.2, 0.0]"))
    starts = []
    for seed in range(4):
        _, info = env.reset(seed=seed)
        starts.append(info["drawn"]["bodies.box.pose.position[0]"])
        assert env.minimum_distance > 0.0
    _, again = env.reset(seed=3)
    assert again["drawn"]["bodies.box.pose.position[0]"] == starts[-1]


def test_starts_that_all_intersect_are_an_error(make_env: MakeEnv) -> None:
    env = make_env(("uniform: [0.0, 0.05]", "uniform: [-0.14, -0.1]"))
    with pytest.raises(SceneError, match=r"no start without intersections in 100 draws; the last: .*'box'"):
        env.reset(seed=0)
