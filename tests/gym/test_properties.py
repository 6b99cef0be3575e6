"""Masses and friction that are drawn for each episode."""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError, StateError, TaskError
from ipc_articulation.gym import make_vec
from tests.gym.conftest import MakeEnv

G = 9.81
DRAWN = """randomise:
  - {path: bodies.box.mass, uniform: [-0.8, 3.0], relative: true}
  - {path: contact.friction, uniform: [-0.15, 0.5]}
"""
ALL = ("randomise:\n", DRAWN), ("steps: 30", "steps: 300")
SLIDING = ("    mass: 1.0\n", "    mass: 1.0\n    velocity: {linear: [3.0, 0, 0]}\n")


def rollout(env, seed, steps=15):
    """Observations of an episode, and what was drawn for it."""
    observation, info = env.reset(seed=seed)
    seen = [observation, *(env.step([0.8])[0] for _ in range(steps))]
    return np.array(seen), info["drawn"]


def test_an_episode_has_the_bits_of_its_seed_whatever_was_before(make_env: MakeEnv) -> None:
    env = make_env(*ALL)
    first, drawn = rollout(env, 3)
    other, others = rollout(env, 4)
    again, redrawn = rollout(env, 3)
    assert drawn == redrawn
    assert set(drawn) >= {"bodies.box.mass", "contact.friction"}
    assert drawn["bodies.box.mass"] != others["bodies.box.mass"]
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    fresh, _ = rollout(make_env(), 3)
    np.testing.assert_array_equal(first, fresh)


def test_a_box_slides_with_the_friction_that_was_drawn(make_env: MakeEnv) -> None:
    env, seen = make_env(*ALL, SLIDING), []
    for seed in range(3):
        friction = env.reset(seed=seed)[1]["drawn"]["contact.friction"]
        for _ in range(3):
            env.step([0.0])
        before, began = env.state.velocity("box")[0], env.state.time
        for _ in range(4):
            env.step([0.0])
        measured = (before - env.state.velocity("box")[0]) / (env.state.time - began)
        assert measured == pytest.approx(friction * G, rel=0.03)
        seen.append(friction)
    assert np.ptp(seen) > 0.1


@pytest.mark.slow
def test_a_heavier_box_is_pushed_with_more_force(make_env: MakeEnv) -> None:
    """In steady motion the ram feels the friction of the box, μ m g."""
    env, seen = make_env(*ALL), []
    for seed in range(4):
        drawn = env.reset(seed=seed)[1]["drawn"]
        forces = []
        for _ in range(60):
            env.step([0.3 + 0.01 * env.state.time])
            forces.append(-env.state.contact_force[0])
        seen.append((drawn["bodies.box.mass"] * drawn["contact.friction"] * G, np.max(forces)))
    expected, largest = np.transpose(seen)
    assert np.ptp(expected) > 2.0
    assert (largest > 0.9 * expected).all()


@pytest.mark.slow
def test_environments_in_one_scene_draw_their_own_and_are_as_alone(scene: Path) -> None:
    text = scene.read_text().replace("randomise:\n", DRAWN)
    scene.write_text(text)
    rng, seen, drawn = np.random.default_rng(0), [], []
    actions = rng.uniform(-0.8, 0.8, (20, 3, 1))
    for backend in ("here", "scene"):
        envs = make_vec(scene, 3, backend=backend, engine="cpu")
        observation, info = envs.reset(seed=5)
        own = [observation]
        for step, action in enumerate(actions):  # all are reset after 15 actions
            own.append(envs.step(action)[0])
            if step == 7:
                own.append(envs.reset(options={"reset_mask": np.array([False, True, False])})[0])
        seen.append(np.array(own))
        drawn.append(info["drawn"]["bodies.box.mass"])
        envs.close()
    np.testing.assert_array_equal(*drawn)
    assert len(np.unique(drawn)) == 3
    np.testing.assert_array_equal(*seen)


@pytest.mark.parametrize("own", [False, True])
def test_links_have_the_friction_of_the_scene_unless_they_have_one(make_env: MakeEnv, own: bool) -> None:
    env = make_env(*ALL, *[("robot:\n", "robot:\n  friction: 0.7\n")] * own)
    drawn = env.reset(seed=0)[1]["drawn"]["contact.friction"]
    assert env._world.start.properties.friction == {"box": drawn, "ground": drawn, "ram": 0.7 if own else drawn}


def test_materials_and_densities_are_drawn_too(make_env: MakeEnv) -> None:
    drawn = """materials:
  wood: {density: 500, friction: 0.3}
randomise:
  - {path: materials.wood.density, normal: 0.1, relative: true}
  - {path: materials.wood.friction, uniform: [0.0, 0.3]}
"""
    env = make_env(
        ("randomise:\n", drawn), ("    mass: 1.0\n", "    material: wood\n"), ("friction: 0.2", "friction: 0")
    )
    _, info = env.reset(seed=0)
    slot = env.coupling.placed.bodies.free[0]
    mass = slot.geometry().meta().find("abd_mass").view()[0]
    assert mass == pytest.approx(1e-3 * info["drawn"]["materials.wood.density"])
    assert mass != pytest.approx(0.5)


def test_masses_and_friction_that_cannot_be_are_an_error(make_env: MakeEnv) -> None:
    env = make_env(("randomise:\n", "randomise:\n  - {path: bodies.box.mass, uniform: [-2, -2]}\n"))
    with pytest.raises(StateError, match=r"what was drawn for 'bodies\.box\.mass' is -1\.0, must be a positive"):
        env.reset(seed=0)


def test_a_mass_of_nothing_is_an_error_of_reset_and_no_step_follows_it(make_env: MakeEnv) -> None:
    env = make_env(("randomise:\n", "randomise:\n  - {path: bodies.box.mass, uniform: [-1, -1], relative: true}\n"))
    with pytest.raises(StateError, match=r"what was drawn for 'bodies\.box\.mass' is 0\.0, must be a positive"):
        env.reset(seed=0)
    with pytest.raises(TaskError, match="step before reset"):
        env.step(env.action_space.sample())


def test_the_mass_of_a_fixed_body_is_not_drawn(make_env: MakeEnv) -> None:
    drawn = "randomise:\n  - {path: bodies.stop.mass, uniform: [0, 1]}\n"
    stop = "{name: stop, shape: {type: sphere, radius: 0.1}, pose: {position: [3, 0, 1]}, fixed: true, mass: 1}"
    with pytest.raises(SceneFileError, match=r"nothing is drawn for 'bodies\.stop\.mass': the body is fixed"):
        make_env(("bodies:\n", f"bodies:\n  - {stop}\n"), ("randomise:\n", drawn))


def retuned(text: str) -> str:
    """The scene with a robot that is drawn anew."""
    drawn = """randomise:
  - {path: "robot.actuators[0].kp", uniform: [-0.5, 0.5], relative: true}
  - {path: robot.damping, uniform: [0, 50]}
  - {path: robot.armature, uniform: [0, 5]}
"""
    text = text.replace("robot:\n", "robot:\n  damping: 5\n  armature: 0\n")
    return text.replace("randomise:\n", drawn)


def test_the_robot_has_what_was_drawn(make_env: MakeEnv, scene: Path) -> None:
    scene.write_text(retuned(scene.read_text()))
    env, masses = make_env(), []
    for seed in range(2):
        drawn = env.reset(seed=seed)[1]["drawn"]
        env.step([0.1])
        kp, damping, armature = (
            value for path, value in drawn.items() if path.startswith("robot.") and "init" not in path
        )
        expected = 2.0 + armature + 0.01 * (damping + 200.0) + 0.01**2 * kp  # M̂ of implicitfast has no stiffness
        assert env.coupling.mass[0, 0] == pytest.approx(expected - 0.01**2 * kp, rel=1e-6)
        model = env.coupling.adapter.model  # type: ignore[attr-defined]
        assert model.actuator_gainprm[0, 0] == kp
        assert model.dof_M0[0] == pytest.approx(2.0 + armature)
        masses.append(env.coupling.mass[0, 0])
    assert np.ptp(masses) > 0.1


@pytest.mark.slow
def test_robots_in_one_scene_have_what_was_drawn_for_each(scene: Path) -> None:
    scene.write_text(retuned(scene.read_text()))
    seen = []
    for backend in ("here", "scene"):
        envs = make_vec(scene, 2, backend=backend, engine="cpu")
        own = [envs.reset(seed=1)[0], *(envs.step(np.full((2, 1), 0.5))[0] for _ in range(17))]
        envs.close()
        seen.append(np.array(own))
    np.testing.assert_array_equal(*seen)
    assert not np.allclose(np.diff(seen[0][:3, :, 0], axis=0)[:, 0], np.diff(seen[0][:3, :, 0], axis=0)[:, 1])


def test_robots_that_are_read_once_are_not_drawn(make_env: MakeEnv, scene: Path) -> None:
    scene.write_text(retuned(scene.read_text()).replace("adapter: mujoco", "adapter: native"))
    with pytest.raises(SceneFileError, match="adapter 'native' reads it once; `mujoco` follows it"):
        make_env()


def test_gains_that_cannot_be_are_an_error(make_env: MakeEnv, scene: Path) -> None:
    scene.write_text(retuned(scene.read_text()).replace("uniform: [0, 50]", "uniform: [-50, -40]"))
    with pytest.raises(
        StateError, match=r"what was drawn for 'robot\.damping' is -[34]\d\.\d+, must be a finite number"
    ):
        make_env().reset(seed=0)
