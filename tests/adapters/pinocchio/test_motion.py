"""Without contact every joint of Pinocchio moves in the scene as Pinocchio's own algorithms say."""

import numpy as np
import pinocchio as pin
import pytest

from ipc_articulation.errors import UnsupportedError
from tests.adapters.pinocchio.models import DT, JOINTS, add_body, chain, moving, own_step, run

NONE = np.zeros((0, 4, 4))


@pytest.mark.parametrize("name", JOINTS)
def test_motion_without_contact_is_that_of_pinocchios_algorithms(name, tmp_path) -> None:
    adapter, own = moving(chain(name)), moving(chain(name))
    for each in (adapter, own):
        each.tau, each.kd = np.cos(np.arange(each.model.nv)), 0.2 * np.ones(each.model.nv)
    for _ in range(20):
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
        own_step(own)
    np.testing.assert_allclose(pin.difference(own.model, own.q, adapter.q), 0.0, rtol=0, atol=1e-12)
    coupling = run(adapter, tmp_path, 20)
    for _ in range(20):
        own_step(own)
    np.testing.assert_allclose(pin.difference(own.model, own.q, adapter.q), 0.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(adapter.v, own.v, rtol=0, atol=1e-6)
    assert coupling.drift.max() < 1e-7


@pytest.mark.parametrize("name", JOINTS)
def test_the_last_link_of_each_joint_has_its_frame(name) -> None:
    adapter = moving(chain(name))
    model, data = adapter.model, adapter.model.createData()
    pin.forwardKinematics(model, data, adapter.q)
    robot = adapter.describe()
    places = {link.name: link.pose for link in robot.links}
    for joint in range(1, model.njoints):
        np.testing.assert_allclose(places[model.names[joint]], data.oMi[joint].homogeneous, atol=1e-14)
    assert sum(link.mass > 0.0 for link in robot.links) == 3


@pytest.mark.parametrize("name", ["FreeFlyer", "Planar"])
def test_the_mass_is_the_hessian_of_the_step(name) -> None:
    """K(δθ) = ½ (δθ - δθ̃)ᵀ Bᵀ M̂ B (δθ - δθ̃), B = ∂ξ/∂δθ by finite differences of the position that δθ commits."""
    adapter = moving(chain(name))
    start, prediction = adapter.state(), adapter.predict()
    M = pin.crba(adapter.model, adapter.model.createData(), adapter.q) + DT * np.diag(adapter.model.damping)

    def ends(change):
        adapter.restore(start)
        adapter.predict()
        adapter.commit(change, NONE, NONE)
        return pin.difference(adapter.model, start["q"], adapter.q)

    small = 1e-6
    steps = small * np.eye(len(prediction.delta_theta_tilde))
    B = np.column_stack([(ends(step) - ends(-step)) / (2.0 * small) for step in steps])
    np.testing.assert_allclose(prediction.mass, B.T @ M @ B, rtol=0, atol=1e-6)
    assert np.abs(B - np.round(B)).max() > 1e-3  # it is not the identity


def mimicking(factor: float, middle: str = "RX") -> pin.Model:
    model = chain(middle)
    add_body(model, 3, pin.JointModelRY(), 4, "follower")
    return pin.transformJointIntoMimic(model, 1, 4, factor, 0.2)


@pytest.mark.parametrize("factor", [2.0, -0.5])
def test_a_mimic_joint_follows_in_the_scene(factor, tmp_path) -> None:
    adapter, own = moving(mimicking(factor)), moving(mimicking(factor))
    assert [joint.name for joint in adapter.describe().tied_joints] == ["follower"]
    coupling = run(adapter, tmp_path, 20)
    for _ in range(20):
        own_step(own)
    np.testing.assert_allclose(adapter.q, own.q, rtol=0, atol=1e-8)
    assert coupling.drift.max() < 1e-8


def test_a_mimic_joint_that_follows_by_nothing_is_named() -> None:
    with pytest.raises(UnsupportedError, match="joint 'follower' mimics another one by a factor of 0; make it a fixed"):
        moving(mimicking(0.0))


def test_a_joint_without_counterpart_is_named() -> None:
    model = chain("RX")
    add_body(model, 3, pin.JointModelEllipsoid(0.1, 0.2, 0.3), 4, "egg")
    with pytest.raises(UnsupportedError, match="joint 'egg' is of kind Ellipsoid; an articulation has revolute"):
        moving(model)


def test_a_mimic_joint_beside_a_composite_one_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="joint 'follower' mimics another one, in a model with composite joints"):
        moving(mimicking(1.0, "Composite"))


def test_gains_of_velocity_are_in_the_mass() -> None:
    adapter = moving(chain("RX"))
    before = adapter.predict().mass
    adapter.kd = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(adapter.predict().mass - before, DT * np.diag(adapter.kd), atol=1e-14)


@pytest.mark.parametrize("name", ["FreeFlyer", "Planar", "RX"])
def test_motor_forces_do_the_work_of_forces_on_the_freedoms(name) -> None:
    adapter = moving(chain(name))
    forces = np.cos(np.arange(adapter.model.nv))
    assert adapter.motor_forces(forces) @ adapter.v == pytest.approx(forces @ adapter.theta_dot(), rel=1e-12)
    assert np.allclose(adapter.motor_forces(forces), forces) == (name == "RX")
