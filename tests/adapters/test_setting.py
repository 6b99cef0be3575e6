"""Every adapter sets positions and velocities of its joints, and tells where its links would be."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import affine, spatial
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.errors import StateError
from tests.adapters.mujoco.models import arm
from tests.adapters.native.floating import oblique
from tests.adapters.native.linkages import linkage_adapter, press_model
from tests.adapters.native.test_adapter import driven
from tests.adapters.native.test_floating import press as floating_press
from tests.adapters.shared.engines import cases, side

FLOATING = """<mujoco><option timestep="0.01"/><worldbody><body name="trunk" pos="0 0 1">
  <freejoint name="root"/><geom type="box" size="0.2 0.1 0.05" pos="0.03 0.01 0"/>
  <body name="leg" pos="0.2 0 0"><joint name="hip" type="ball" pos="0 0 0.1"/><geom size="0.05" pos="0 0 -0.2"/>
    <body name="foot" pos="0 0 -0.4"><joint name="slide" type="slide" axis="1 0 0"/>
      <joint name="turn" axis="0 1 1" pos="0 0 0.1"/><joint name="ball" type="ball" pos="0 0.1 0"/>
      <geom size="0.04" pos="0.1 0 0"/></body></body></body></worldbody></mujoco>"""


def mujoco_adapter() -> MujocoAdapter:
    return MujocoAdapter(*arm())


def floating() -> MujocoAdapter:
    import mujoco

    model = mujoco.MjModel.from_xml_string(FLOATING)
    return MujocoAdapter(model, mujoco.MjData(model))


def shared(engine, robot):
    return side(engine).make(robot)


def native_adapter() -> NativeAdapter:
    return driven(free=[CoupledBody("crate", np.eye(4), mass=1.0)])


def press() -> NativeAdapter:
    return linkage_adapter(press_model(rotor=True))


def all_joints() -> NativeAdapter:
    return NativeAdapter(oblique().build(), 0.01)


def pinocchio_adapter():
    """A hinge, a free-flyer and a slide in oblique frames."""
    pytest.importorskip("pinocchio")
    from tests.adapters.pinocchio.models import chain, moving

    return moving(chain("FreeFlyer"))


def dart_adapter(kind: str):
    """A hinge, a joint of a kind and a slide in oblique frames, with a weld between them."""
    pytest.importorskip("dartpy")
    from ipc_articulation.adapters.dart import DartAdapter

    from tests.adapters.dart.worlds import chain

    return DartAdapter(chain(kind))


ADAPTERS = [mujoco_adapter, floating, native_adapter, press, all_joints, floating_press, pinocchio_adapter]
ADAPTERS += [partial(dart_adapter, kind) for kind in ("Free", "Ball", "Planar", "Universal")]
ADAPTERS += [partial(shared, *case.values) for case in cases()]


def random_motion(adapter, seed=3):
    rng = np.random.default_rng(seed)
    count = len(adapter.theta())
    return adapter.theta() + rng.uniform(-0.3, 0.3, count), rng.normal(size=count)


def set_joints(adapter, theta, theta_dot):
    free = adapter.describe().free
    poses, rates = (np.reshape([getattr(body, key) for body in free], (-1, 4, 4)) for key in ("pose", "velocity"))
    adapter.set_state((theta, theta_dot), poses, rates)


@pytest.mark.parametrize("make", ADAPTERS)
def test_what_was_set_is_the_state(make):
    adapter = make()
    theta, theta_dot = random_motion(adapter)
    told, _ = adapter.link_motion(theta, theta_dot)
    set_joints(adapter, theta, theta_dot)
    np.testing.assert_allclose(adapter.theta(), theta, atol=1e-12)
    np.testing.assert_allclose(adapter.theta_dot(), theta_dot, atol=1e-12)
    np.testing.assert_allclose(adapter.link_poses(), told, atol=1e-12)


@pytest.mark.parametrize("make", ADAPTERS)
def test_rates_of_links_are_those_of_their_poses(make):
    """Central difference of the poses along the adapter's own motion: `commit` moves the joints by ±h θ̇."""
    h, motion = 1e-6, random_motion(make())
    _, rates = make().link_motion(*motion)
    poses = []
    for sign in (1.0, -1.0):
        adapter = make()
        set_joints(adapter, *motion)
        adapter.predict()
        free = np.reshape([body.pose for body in adapter.describe().free], (-1, 4, 4))
        adapter.commit(sign * h * motion[1], free, np.zeros_like(free))
        poses.append(adapter.link_poses())
    np.testing.assert_allclose(rates, (poses[0] - poses[1]) / (2.0 * h), atol=1e-7)
    assert np.abs(rates).max() > 0.1


@pytest.mark.parametrize("make", ADAPTERS)
def test_telling_where_links_would_be_changes_nothing(make):
    adapter = make()
    before = {key: np.array(value) for key, value in adapter.state().items()}
    adapter.link_motion(*random_motion(adapter))
    for key, value in adapter.state().items():
        np.testing.assert_array_equal(value, before[key])


def test_a_state_of_mujoco_has_no_warm_start_and_keeps_time_and_controls():
    adapter = mujoco_adapter()
    adapter.data.qacc_warmstart[:] = 7.0
    adapter.data.time, adapter.data.ctrl[:] = 3.0, 0.5
    set_joints(adapter, *random_motion(adapter))
    assert not adapter.data.qacc_warmstart.any()
    assert adapter.data.time == 3.0
    assert (adapter.data.ctrl == 0.5).all()


@pytest.mark.parametrize("make", [mujoco_adapter, native_adapter])
def test_free_bodies_are_set_and_joints_stay(make):
    adapter = make()
    theta, theta_dot = adapter.theta().copy(), adapter.theta_dot().copy()
    pose = spatial.pose(spatial.rotation_about([0.0, 0.6, 0.8], 0.7), [1.0, 2.0, 3.0])
    rate = affine.transform_rate_from_qdot(
        affine.qdot_from_twist(affine.q_from_transform(pose), [1.0, 2.0, 3.0], [0.3, 0.2, 0.1])
    )
    adapter.set_state(None, pose[None], rate[None])
    (crate,) = adapter.describe().free
    np.testing.assert_allclose(crate.pose, pose, atol=1e-12)
    np.testing.assert_allclose(crate.velocity, rate, atol=1e-12)
    np.testing.assert_array_equal(adapter.theta(), theta)
    np.testing.assert_array_equal(adapter.theta_dot(), theta_dot)
    adapter.predict()  # MuJoCo's adapter refuses free bodies that were moved behind its back


def test_limits_are_those_of_the_models():
    model, data = arm()
    model.jnt_limited[0], model.jnt_range[0] = 1, [-0.1, 0.2]
    np.testing.assert_array_equal(MujocoAdapter(model, data).limits()[:2], [[-0.1, 0.2], [-np.inf, np.inf]])
    assert floating().limits().shape == (14, 2)
    assert not np.isfinite(floating().limits()).any()
    ours = driven().model
    limited = NativeAdapter(replace(ours, coordinates=replace(ours.coordinates, lower=np.array([-1.0, -2.0]))), 0.01)
    np.testing.assert_array_equal(limited.limits()[:, 0], [-1.0, -2.0])
    np.testing.assert_array_equal(limited.limits()[:, 1], ours.coordinates.upper)


def test_limits_of_pinocchio_are_those_of_joints_with_plain_coordinates():
    adapter = pinocchio_adapter()
    adapter.model.lowerPositionLimit = -np.arange(1.0, 10.0)
    adapter.model.upperPositionLimit = np.arange(11.0, 20.0)
    unlimited = [[-np.inf, np.inf]] * 6
    np.testing.assert_array_equal(adapter.limits(), [[-1.0, 11.0], *unlimited, [-9.0, 19.0]])


def test_a_loop_is_never_set_to_another_branch():
    """At -0.3 rad the crank closes the loop only on the branch behind a dead centre."""
    adapter = press()
    theta = adapter.theta() - [2.0, 0.0]
    with pytest.raises(StateError, match=r"the loop of joints 'crank joint'.* cannot be closed from here"):
        adapter.link_motion(theta, np.zeros(2))


def test_a_mimic_joint_beside_its_place_is_named():
    from ipc_articulation.dynamics.joints import PrismaticJoint
    from ipc_articulation.dynamics.model import Mechanism, Mimic

    mechanism = Mechanism("gripper", gravity=np.zeros(3))
    for name, mimic in (("left", None), ("right", Mimic("left", 2.0, 0.01))):
        mechanism.add_joint(name, PrismaticJoint([1.0, 0.0, 0.0]), "world", f"{name} finger", mimic=mimic)
        mechanism.add_link(f"{name} finger", 1.0, (0.0, 0.0, 0.0), 0.01)
    adapter = NativeAdapter(mechanism.build(), 0.01, q=[0.1, 0.21])
    adapter.link_motion(np.array([0.2, 0.41]), np.zeros(2))
    with pytest.raises(StateError, match=r"joint 'right' follows joint 'left': it must be at 0.41, not at 0.4$"):
        adapter.link_motion(np.array([0.2, 0.4]), np.zeros(2))
