"""Tendons, equality constraints, fluids and actuators: MuJoCo's own step contains their forces, and so does ours."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import UnsupportedError
from tests.adapters.mujoco.driven import INTEGRATORS, Run, run_text

MODEL = """<mujoco><option timestep="0.005" {option}/><default><geom conaffinity="0"/></default><worldbody>
  <body name="torso" pos="0 0 1"><joint name="hip" axis="0 1 0" damping="0.1"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="torso" pos="0.1 0 0.05"/>
    <body name="left" pos="0.3 0 0"><joint name="left" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="left" pos="0.3 0 0"/></body>
    <body name="right" pos="0.1 0 0"><joint name="right" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03"/><site name="right" pos="0 0 0.3"/></body>
  </body>
  <body name="cart" pos="0.9 0 1"><joint name="cart" type="slide" axis="1 0 0"/>
    <geom size="0.1"/><site name="cart"/></body>
  <body name="guest" pos="0 2 1"><joint name="guest" axis="1 0 0"/><geom size="0.1" pos="0 0 -0.3"/>
    <site name="guest" pos="0 0 -0.3"/></body>
</worldbody>{more}</mujoco>"""

ROPE = '<tendon><spatial name="rope" {}><site site="left"/><site site="cart"/></spatial></tendon>'
FORK = '<tendon><spatial name="fork" {}><site site="left"/><site site="right"/></spatial></tendon>'
LEASH = '<tendon><spatial name="leash" {}><site site="left"/><site site="guest"/></spatial></tendon>'
BELT = """<tendon><fixed name="belt" {}>
  <joint joint="left" coef="1"/><joint joint="right" coef="-2"/><joint joint="cart" coef="2"/></fixed></tendon>"""

TENDONS = {"rope": (ROPE, 0.25), "fork": (FORK, 0.25), "leash": (LEASH, 2.1), "belt": (BELT, 0.1)}  # their limits

CASES = {
    **{
        f"{name} with {attribute}": {"more": tendon.format(attribute)}
        for name, (tendon, length) in TENDONS.items()
        for attribute in (
            'stiffness="30" springlength="0.1"',
            'damping="0.2"',
            'frictionloss="0.5"',
            f'range="0 {length}" limited="true"',
            'armature="0.1"',
        )
    },
    "tendon equality": {"more": BELT.format("") + '<equality><tendon tendon1="belt"/></equality>'},
    "connect": {"more": '<equality><connect body1="left" body2="cart" anchor="0.3 0 0"/></equality>'},
    "weld": {"more": '<equality><weld body1="left" body2="right"/></equality>'},
    "weld to an ignored body": {"more": '<equality><weld body1="left" body2="guest"/></equality>'},
    "fluid": {"option": 'density="1000" viscosity="0.1" wind="1 0 0"'},
    "actuator of a tendon": {
        "more": BELT.format("") + '<actuator><position tendon="belt" kp="5" kv="0.1"/></actuator>'
    },
    "muscle": {"more": ROPE.format("") + '<actuator><muscle tendon="rope" lengthrange="0.2 1"/></actuator>'},
    "actuator between sites": {
        "more": '<actuator><position site="left" refsite="cart" gear="1 0 1 0 0 0" kp="30" kv="3"/></actuator>'
    },
    "slider-crank": {
        "more": """<actuator><general cranksite="left" slidersite="torso" cranklength="0.4" gainprm="10"
                   biastype="affine" biasprm="0 0 -5"/></actuator>"""
    },
    "joint in parent": {
        "more": """<actuator><general jointinparent="left" gainprm="10" biastype="affine"
                   biasprm="0 0 -5"/></actuator>"""
    },
    "filter": {"more": '<actuator><general joint="left" dyntype="filter" dynprm="0.1" gainprm="3"/></actuator>'},
    "filterexact": {
        "more": '<actuator><general joint="left" dyntype="filterexact" dynprm="0.1" gainprm="3"/></actuator>'
    },
    "integrated velocity": {"more": '<actuator><intvelocity joint="left" kp="30" actrange="-2 2"/></actuator>'},
}


def model_of(case, integrator):
    parts = {"option": "", "more": "", **CASES[case]}
    model = mujoco.MjModel.from_xml_string(MODEL.format(**parts))
    model.opt.integrator = INTEGRATORS[integrator]
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    data.qpos[:], data.qvel[:] = 0.1 * rng.normal(size=model.nq), 0.1 * rng.normal(size=model.nv)
    data.ctrl[:] = 0.5
    return model, data


def ignoring_the_guest(model, data):
    return MujocoAdapter(model, data, ignore=["guest"])


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("case", CASES)
def test_without_contact_the_motion_is_mujocos_own(case, integrator, tmp_path):
    model, data = model_of(case, integrator)
    run = Run(model, data, tmp_path, ignoring_the_guest)
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    start = data.qpos.copy()
    for _ in range(20):
        run.step()
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-6)
    np.testing.assert_allclose(data.qvel, own.qvel, atol=1e-4)
    np.testing.assert_array_equal(data.act, own.act)
    assert np.abs(data.qpos - start).max() > 1e-3


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("case", CASES)
def test_the_minimiser_of_k_is_mujocos_own_step(case, integrator):
    """∇K = 0 at δθ̃ means M̂ (v' - v) = dt·f: the forces that MuJoCo reports must come out of M̂ without equalities."""
    model, data = model_of(case, integrator)
    moved = ignoring_the_guest(model, data).predict().delta_theta_tilde
    links = slice(0, 4)
    mujoco.mj_forward(model, data)
    force = (data.qfrc_smooth + data.qfrc_constraint)[links]
    gain = moved / model.opt.timestep - data.qvel[links]
    data.eq_active[:] = 0
    mass = ignoring_the_guest(model, data).predict().mass
    np.testing.assert_allclose(mass @ gain, model.opt.timestep * force, atol=1e-11 * max(np.abs(force).max(), 1.0))


@pytest.mark.parametrize("case", [case for case in CASES if "<equality>" in CASES[case].get("more", "")])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_load_at_rest_meets_the_equalities_of_an_undamped_robot(case, integrator):
    """-M̂ δθ̃ is dt² times the force that holds the joints where they are, the equalities' being aref/R."""
    model, data = model_of(case, integrator)
    data.qvel[:] = model.dof_damping[:] = 0.0
    prediction = ignoring_the_guest(model, data).predict()
    mujoco.mj_forward(model, data)
    rows, guest = data.efc_J[: data.ne * model.nv].reshape(data.ne, model.nv), slice(4, None)
    others = rows[:, guest] @ data.qacc[guest]  # the ignored body goes on meanwhile
    force = data.qfrc_smooth + rows.T @ ((data.efc_aref[: data.ne] - others) / data.efc_R[: data.ne])
    expected = model.opt.timestep**2 * force[:4]
    np.testing.assert_allclose(
        prediction.mass @ prediction.delta_theta_tilde, expected, atol=1e-11 * max(np.abs(expected).max(), 1e-4)
    )


def test_derivatives_of_own_forces_are_in_m_hat():
    """With implicitfast, dt times the damping of a tendon within a tree, J = (0, 1, -2), is added to its joints."""
    model, data = model_of('belt with damping="0.2"', "implicitfast")
    prediction = ignoring_the_guest(model, data).predict()
    model.tendon_damping[:] = 0.0
    without = ignoring_the_guest(model, data).predict()
    added = model.opt.timestep * 0.2 * np.array([1.0, 4.0])  # MuJoCo keeps no entries between two branches
    np.testing.assert_allclose(np.diag(prediction.mass - without.mass)[1:3], added, rtol=1e-9)


def test_an_edited_tendon_is_followed(tmp_path):
    model, data = model_of('belt with damping="0.2"', "implicitfast")
    run = Run(model, data, tmp_path, ignoring_the_guest)
    model.tendon_damping[:] = 0.4
    model.tendon_stiffness[:] = 3.0
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    run.step(5)
    mujoco.mj_step(model, own, 5)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-6)


@pytest.mark.parametrize(
    ("field", "attributes"),
    [("tendon_armature", ""), ("tendon_springyield", 'stiffness="30" springlength="0.1" springyield="0.001"')],
)
def test_an_edited_armature_or_yield_of_a_tendon_is_followed(field, attributes, tmp_path):
    if not hasattr(mujoco.MjModel, field):
        pytest.skip(f"this MuJoCo has no {field}")
    model = mujoco.MjModel.from_xml_string(MODEL.format(option="", more=BELT.format(attributes)))
    run, unedited = Run(model, mujoco.MjData(model), tmp_path, ignoring_the_guest), mujoco.MjData(model)
    mujoco.mj_step(model, unedited, 20)
    getattr(model, field)[:] = 0.3
    own = mujoco.MjData(model)
    run.step(20)
    mujoco.mj_step(model, own, 20)
    np.testing.assert_allclose(run.data.qpos, own.qpos, atol=1e-6)
    assert np.abs(own.qpos - unedited.qpos).max() > 1e-3


@pytest.mark.parametrize("field", ["tendon_stiffness", "tendon_armature"])
def test_a_tendon_of_a_free_body_may_not_begin_to_act(field, tmp_path):
    text = """<mujoco><worldbody><body name="stone"><freejoint/><geom size="0.1"/><site name="nose"/></body>
      <site name="hook" pos="0 0 1"/></worldbody>
      <tendon><spatial name="rope"><site site="nose"/><site site="hook"/></spatial></tendon></mujoco>"""
    run = run_text(text, tmp_path)
    run.step()
    getattr(run.model, field)[0] = 3.0
    with pytest.raises(UnsupportedError, match="tendon 'rope' acts on free body 'stone', which IPC moves without it"):
        run.step()
