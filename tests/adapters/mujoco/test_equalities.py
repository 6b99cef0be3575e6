"""Equalities against contact: what they bear at rest is MuJoCo's own, k r/R, in a hand that a mocap body guides."""

import mujoco
import numpy as np
import pytest

from tests.adapters.mujoco.driven import run_text

G, D_HAT = 9.81, 1e-3
HAND = """<mujoco><option timestep="{h}" integrator="{integrator}"/><worldbody>
  <geom name="floor" type="plane" size="2 2 0.1"/>
  <body name="target" mocap="true" pos="0 0 0.2"/>
  <body name="hand" pos="0 0 0.2">{joint}<geom type="box" size="0.025 0.025 0.025" mass="1"/></body>{more}
</worldbody><equality>{equality}</equality></mujoco>"""
SLIDE = '<joint name="lift" type="slide" axis="0 0 1"/>'
DAMPED = '<joint name="lift" type="slide" axis="0 0 1" damping="200"/>'
WELD = '<weld body1="target" body2="hand"/>'
SOFT = '<weld body1="target" body2="hand" solref="-200 -20"/>'
CONNECT = '<connect body1="target" body2="hand" anchor="0 0 0"/>'
CASES = {
    "weld": {},
    "soft": {"equality": SOFT},
    "connect": {"joint": "<freejoint/>", "equality": CONNECT},
    "free": {"joint": "<freejoint/>"},
    "damped": {"joint": DAMPED},
    "implicitfast": {"joint": DAMPED, "integrator": "implicitfast"},
    "five steps": {"count": 5},
    "two steps, damped": {"count": 2, "joint": DAMPED},
}
ARM = """<mujoco><compiler angle="radian"/><option timestep="0.005"/>
<default><joint damping="{damping}" armature="0.1"/></default>
<worldbody><geom name="wall" type="box" size="0.05 1 1" pos="0.72 0 0.5"/>
  <body name="target" mocap="true" pos="0.6 0 0.5"/>
  <body pos="0 0 0.5"><joint axis="0 0 1"/><joint axis="0 1 0"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.2 0.15 0.25" mass="2"/>
    <body pos="0.2 0.15 0.25"><joint axis="0 1 0"/>
      <geom type="capsule" size="0.025" fromto="0 0 0 0.3 -0.15 -0.2" mass="1"/>
      <body name="hand" pos="0.4 -0.15 -0.25"><joint axis="0 1 0"/><joint axis="0 0 1"/><joint axis="1 0 0"/>
        <geom type="box" size="0.03 0.03 0.03" mass="0.5"/></body></body></body>
</worldbody><equality><weld body1="target" body2="hand"/></equality></mujoco>"""


def hand(folder, count=1, options=None, **parts):
    """A hand that hangs on a mocap body above the floor."""
    parts = {"joint": SLIDE, "equality": WELD, "integrator": "Euler", "more": "", **parts}
    return run_text(HAND.format(h=0.01 / count, **parts), folder, count=count, options=options or {}, d_hat=D_HAT)


def guide(run, goal, steps):
    """Move the mocap body to a position in a straight line, and wait as long."""
    start = run.data.mocap_pos[0].copy()
    for share in np.minimum(np.arange(1, 2 * steps + 1) / steps, 1.0):
        run.data.mocap_pos[0] = start + share * (np.array(goal) - start)
        run.step()


def load_at_rest(run):
    """What the robot's forces leave for contact to bear: of gravity, and of MuJoCo's equalities at rest, k r/R."""
    model, data = run.model, mujoco.MjData(run.model)
    mujoco.mj_copyState(model, run.data, data, mujoco.mjtState.mjSTATE_INTEGRATION)
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    e = data.ne
    rows = data.efc_J[: e * model.nv].reshape(e, model.nv)
    return -(data.qfrc_smooth + rows.T @ (data.efc_aref[:e] / data.efc_R[:e]))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_hand_that_is_guided_below_the_floor_presses_as_mujocos_equality_does(case, tmp_path):
    run = hand(tmp_path, **case)
    guide(run, (0.0, 0.0, -0.075), 60)
    bottom = run.data.body("hand").xpos[2] - 0.025
    assert 0.0 < bottom < D_HAT
    assert run.coupling.drift.max() < 0.1 * D_HAT
    expected = load_at_rest(run)
    assert 300.0 < np.abs(expected).max() < 7e3  # 8 MN where the equality was rigid, 250 N where M̂ alone resisted
    np.testing.assert_allclose(run.coupling.contact_force, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize(("damping", "tolerance"), [(0.0, 1e-6), (1.0, 0.03)])
def test_an_arm_presses_a_wall_with_the_force_of_its_weld(damping, tolerance, tmp_path):
    """Where the integrator treats damping implicitly, the rows of a weld are not exact one by one."""
    run = run_text(ARM.format(damping=damping), tmp_path, d_hat=D_HAT)
    guide(run, (0.72, 0.0, 0.5), 70)
    expected = load_at_rest(run)
    assert 0.0 < 0.67 - 0.03 - run.data.body("hand").xpos[0] < D_HAT
    assert np.abs(expected).max() > 500.0
    np.testing.assert_allclose(run.coupling.contact_force, expected, atol=tolerance * np.abs(expected).max())
    assert run.coupling.drift.max() < 0.1 * D_HAT


@pytest.mark.parametrize("restraints", ["step", "exact", "engine"])
@pytest.mark.parametrize(("equality", "deflection"), [(SOFT, 4.9e-3), (WELD, 0.56e-3)])
def test_a_soft_equality_yields_to_a_load_as_in_mujoco(restraints, equality, deflection, tmp_path):
    """A crate of 1 kg on a hand of 1 kg: with MuJoCo's contact and ours."""
    crate = '<body name="crate" pos="0 0 0.246"><freejoint/><geom type="box" size="0.02 0.02 0.02" mass="1"/></body>'
    run = hand(tmp_path, equality=equality, more=crate, options={"restraints": restraints})
    own = mujoco.MjData(run.model)
    for _ in range(150):
        run.step()
        mujoco.mj_step(run.model, own)
    assert own.qpos[0] == pytest.approx(-deflection, rel=0.03)
    assert run.data.qpos[0] == pytest.approx(own.qpos[0], rel=1e-3)
    assert run.coupling.contact_force[0] == pytest.approx(-G, rel=1e-3)


def test_a_link_that_a_load_displaces_far_is_a_warning_once_that_names_it(tmp_path):
    run = hand(tmp_path, options={"stiffness_ratio": 10.0})
    with pytest.warns(UserWarning, match="link 'hand' is 0.00.* m from where the multibody engine has it") as caught:
        guide(run, (0.0, 0.0, -0.075), 60)
    assert len(caught) == 1
    assert run.coupling.drift[0] > D_HAT / 2
