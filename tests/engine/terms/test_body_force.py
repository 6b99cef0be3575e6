"""External forces on bodies: a = F/m and α = I⁻¹τ, on those that are switched on and can feel it."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import AffineBodyExternalBodyForce

from ipc_articulation import affine
from ipc_articulation.errors import SceneError
from tests.engine.bodies import ProxyScene
from tests.engine.joints import term
from tests.engine.nodes import derivatives
from tests.engine.scenes import twist_rate

DT = 0.01


def push(force, enable=True):
    return lambda geometry: AffineBodyExternalBodyForce().apply_to(geometry, np.array(force, dtype=float), enable)


def torque(tau):
    """Generalised force of a torque τ [N·m] on a body that has not turned: F_A = ½ [τ]ₓ."""
    x, y, z = 0.5 * np.array(tau)
    return np.array([0, 0, 0, 0, -z, y, z, 0, -x, -y, x, 0])


@pytest.mark.parametrize("kind", ["bdf1", "bdf2"])
def test_force_accelerates_the_centre_of_mass(tmp_path, kind):
    scene = ProxyScene(tmp_path, integrator__type=kind)
    scene.add_proxy(mass=2.0, apply=[push([6.0, 0.0, -2.0])])
    scene.start().run()
    first_step = 1.0 if kind == "bdf1" else 2 / 3
    np.testing.assert_allclose(scene.qdot[0, :3], first_step * DT * np.array([3.0, 0, -1.0]), atol=1e-12)
    scene.run(99)
    assert scene.qdot[0, 0] == pytest.approx(3.0 * DT * (100 if kind == "bdf1" else 99.5), rel=1e-9)


def test_torque_turns_a_body_by_its_inertia(tmp_path):
    """From rest, ω = dt I⁻¹ τ after one step, to first order in the angle."""
    scene = ProxyScene(tmp_path, dt=1e-3, newton__transrate_tol=1e-6)
    inertia, tau = np.array([1.0, 2.0, 2.5]), np.array([0.3, -0.4, 0.5])
    scene.add_proxy(inertia=inertia, kappa=1e12, apply=[push(torque(tau))])
    scene.start().run()
    _, omega = affine.twist_from_qdot(scene.q[0], scene.qdot[0])
    np.testing.assert_allclose(omega, 1e-3 * tau / inertia, rtol=1e-5)


def test_force_off_the_centre_of_mass(tmp_path):
    """The body's origin moves with the centre of mass and turns about it: a_O = F/m + α x (O - c)."""
    scene = ProxyScene(tmp_path, dt=1e-3, newton__transrate_tol=1e-6, newton__velocity_tol=1e-6)
    c = np.array([0.0, 1.0, 0.0])
    scene.add_proxy(mass=1.0, center=c, inertia=(2.0, 2.0, 2.0), kappa=1e12, apply=[push([1.0, 0, 0])])
    scene.start().run()
    _, omega = affine.twist_from_qdot(scene.q[0], scene.qdot[0])
    np.testing.assert_allclose(omega, [0, 0, 1e-3 * 1.0 / 2.0], atol=1e-8)
    np.testing.assert_allclose(scene.qdot[0, :3], [1e-3 * (1.0 + 0.5), 0, 0], atol=1e-8)


def test_a_force_that_no_mass_withstands_is_refused(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(mass=2.0, apply=[push([0.0, 1e20, 0.0])])
    text = r"'external_force' is 1e\+20 N, which would bring 2 kg to 5e\+17 m/s in a step of 0.01 s; at most 1e\+09 m/s"
    with pytest.raises(SceneError, match=text):
        scene.start().run()


def test_who_feels_it(tmp_path):
    scene = ProxyScene(tmp_path)
    for flag in (None, "is_fixed", "is_dynamic"):
        scene.add_proxy(mass=1.0, apply=[push([1.0, 0, 0])])
        if flag:
            view(scene.slots[-1].geometry().instances().find(flag))[:] = flag == "is_fixed"
    scene.add_proxy(mass=1.0, apply=[push([1.0, 0, 0], enable=False)])
    scene.start().run(2)
    x = scene.q[:, 0] / DT**2
    np.testing.assert_allclose(x, [3.0, 0.0, 2.0, 0.0], atol=1e-9)  # not dynamic: starts from rest each step


def test_callback_changes_and_switches_it(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(mass=1.0, apply=[push([0.0, 0, 0], enable=False)])

    def rise(instances, info):
        view(instances.find("external_force"))[0, :3, 0] = [float(info.frame()), 0.0, 0.0]
        view(instances.find("external_force/is_constrained"))[0] = info.frame() < 3

    scene.animate(rise)
    scene.start()
    velocities = [scene.run().qdot[0, 0] for _ in range(4)]
    np.testing.assert_allclose(velocities, DT * np.array([1.0, 3.0, 3.0, 3.0]), atol=1e-12)


@pytest.mark.slow
def test_orbit(tmp_path):
    """A force that points to the centre keeps a body on its circle: ω² r = F/m."""
    scene = ProxyScene(tmp_path, dt=2e-3, integrator__type="bdf2")
    scene.add_proxy(mass=2.0, apply=[push([0.0, 0, 0])])
    geometry = scene.slots[0].geometry()
    view(geometry.transforms())[0, 0, 3] = 1.0
    view(geometry.instances().find("velocity"))[0] = twist_rate(np.eye(4), linear=(0, 1.0, 0))

    def pull(instances, info):
        position = instances.find("transform").view()[0, :3, 3]
        view(instances.find("external_force"))[0, :3, 0] = -2.0 * position

    scene.animate(pull)
    scene.start().run(round(2 * np.pi / 2e-3))
    np.testing.assert_allclose(scene.q[0, :3], [1.0, 0.0, 0.0], atol=1e-2)


def test_force_that_is_not_finite(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[push([1.0, 0, 0])])

    def spoil(instances, info):
        view(instances.find("external_force"))[0, 4] = np.nan if info.frame() == 2 else 0.0

    scene.animate(spoil)
    scene.start().run()
    before = scene.q
    with pytest.raises(SceneError, match=r"body 'proxy 0': its 'external_force' is not finite"):
        scene.run()
    scene.world.retrieve()
    np.testing.assert_array_equal(scene.q, before)


def test_it_does_not_push_bodies_whose_inertia_an_articulation_owns(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[push([1.0, 0, 0])])
    scene.add_proxy(apply=[push([1.0, 0, 0])])
    view(scene.slots[1].geometry().instances().find("external_kinetic"))[:] = 1
    scene.start().run()
    g, _ = derivatives(term(scene, "body force"), scene.q)
    np.testing.assert_allclose(g.reshape(2, 12)[:, 0], [-(DT**2), 0.0])


def test_a_switch_that_is_neither_0_nor_1_is_refused(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[push([1.0, 0, 0])])
    view(scene.slots[0].geometry().instances().find("external_force/is_constrained"))[:] = 2
    with pytest.raises(SceneError, match="'external_force/is_constrained' of instance 0 is 2; it must be 0 or 1"):
        scene.start().run()
