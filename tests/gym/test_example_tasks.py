"""The example tasks: solved by their scripted policies without an intersection, and drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.peg_in_mujoco import PegInMujoco
from ipc_articulation.gym import Env
from scenes.policies.peg_in_hole import PegInHole
from scenes.policies.push_crate import PushCrate


@pytest.mark.slow
@pytest.mark.parametrize(("name", "policy"), [("push_crate", PushCrate), ("peg_in_hole", PegInHole)])
@pytest.mark.parametrize("seed", [1, 7])
def test_a_policy_solves_its_task_and_nothing_intersects(name: str, policy: Callable[[], Any], seed: int) -> None:
    env, control, distances, is_over = Env(f"example:{name}", engine="cpu"), policy(), [], False
    env.coupling.observers.append(lambda: distances.append(env.minimum_distance))
    observation, _ = env.reset(seed=seed)
    while not is_over:
        observation, _, terminated, truncated, info = env.step(control(observation))
        is_over = terminated or truncated
    assert info["success"]
    assert min(distances) > 0.0
    assert min(distances) < 0.002  # they have touched
    env.close()


def test_the_peg_of_mujoco_starts_like_ours_and_goes_into_the_block() -> None:
    env, peer, control = Env("example:peg_in_hole", engine="cpu"), PegInMujoco(), PegInHole()
    observation, info = env.reset(seed=2)
    theirs = peer.reset(info["drawn"])
    assert theirs == pytest.approx(observation, abs=1e-6)
    for _ in range(30):  # on the way, before anything touches
        action = control(observation)
        observation, *_ = env.step(action)
        theirs, _ = peer.step(action)
    assert theirs[:18] == pytest.approx(observation[:18], abs=1e-5)
    control.begin()
    theirs, is_in = peer.reset(info["drawn"]), False
    for _ in range(400):
        theirs, is_in = peer.step(control(theirs))
        if is_in:
            break
    assert is_in
    assert peer.depth > 5e-5
    env.close()


@pytest.mark.slow
def test_a_point_moves_as_actions_say_and_its_link_turns() -> None:
    env = Env("example:push_crate", engine="cpu")
    action, poses = np.array([0.2, -0.1, 0.15, 0.2]), []
    for actions in ([], [action] * 10):
        env.reset(seed=0)
        for each in [*actions, *[np.zeros(4)] * 40]:  # until the servos have arrived, as far as weight lets them
            env.step(each)
        poses.append(env.state.pose("tip"))
    moved, turned = (poses[1] - poses[0])[:3, 3], poses[1][:3, :3] @ poses[0][:3, :3].T
    assert moved == pytest.approx(10 * 0.012 * action[:3], abs=1e-3)
    assert np.arctan2(turned[1, 0], turned[0, 0]) == pytest.approx(10 * 0.06 * action[3], abs=5e-3)
    assert turned[2, 2] == pytest.approx(1.0, abs=1e-4)
    env.close()


@pytest.mark.slow
def test_pictures_show_what_moves_and_marks() -> None:
    pytest.importorskip("pyvista", reason="needs the extra 'view'")
    env = Env("example:push_crate", engine="cpu", render_mode="rgb_array", size=(640, 400))
    env.reset(seed=0)
    first, again = env.render(), env.render()
    assert (first.shape, first.dtype) == ((400, 640, 3), np.uint8)
    np.testing.assert_array_equal(first, again)
    red, green, blue = np.moveaxis(first.astype(int), -1, 0)
    assert ((red > green + 60) & (blue > green)).any()  # the mark
    for _ in range(10):
        env.step([0.0, 0.0, -1.0, 0.0])
    assert (env.render() != first).any()
    env.close()
