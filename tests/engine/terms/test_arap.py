"""ARAP by finite differences, and its bodies beside those of OrthoPotential."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import AffineBodyConstitution

from ipc_articulation import affine
from ipc_articulation.engine.terms import arap
from tests.derivatives import central_difference, relative_error
from tests.engine import nodes
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.engine.terms.test_ortho_potential import affine_states, shapes


def energy(q, c=3.0):
    """Of one body, at q (12,)."""
    return nodes.energy(shapes(arap, c), q[None])


def derivatives(q, project=True):
    return nodes.derivatives(shapes(arap, 3.0), q[None], project)


def rotations(count, stretch):
    q = affine_states(count, stretch)
    return q[np.linalg.det(affine.linear_part(q)) > 0.0]


@pytest.mark.slow
def test_energy_is_that_of_the_distance_to_the_nearest_rotation():
    q = affine_states(20, 0.3)
    near = affine.nearest_rigid(q)
    np.testing.assert_allclose([energy(one) for one in q], 3.0 * np.sum((q - near) ** 2, axis=1), rtol=1e-12)
    assert max(energy(one) for one in near) < 1e-25
    assert energy(q[0], 0.0) == 0.0


def test_gradient_equals_differences():
    for q in affine_states(50, 0.2):  # about half of them reflections
        difference = central_difference(energy, q)
        assert relative_error(derivatives(q)[0], difference) < 1e-7


def test_an_unprojected_hessian_equals_differences():
    for q in rotations(50, 0.2):
        _, H = derivatives(q, project=False)
        assert relative_error(H, central_difference(lambda x: derivatives(x)[0], q)) < 1e-6


def test_hessian_is_exact_where_a_body_is_stretched():
    for q in rotations(50, 0.05):
        q[3:] *= 1.2
        difference = central_difference(lambda x: derivatives(x)[0], q)
        assert relative_error(derivatives(q)[1], difference) < 1e-7


def test_hessian_loses_its_negative_eigenvalues_where_a_body_is_compressed():
    for q in rotations(50, 0.05):
        q[3:] *= 0.7
        w, V = np.linalg.eigh(central_difference(lambda x: derivatives(x)[0], q))
        assert w[0] < -0.1
        np.testing.assert_allclose(derivatives(q)[1], V @ np.diag(np.maximum(w, 0.0)) @ V.T, atol=1e-6)


@pytest.mark.parametrize("A", [np.eye(3), -np.eye(3), np.diag([1, 1, -1.0]), np.zeros((3, 3)), np.diag([1.0, 0, 0])])
def test_hard_shapes_give_finite_derivatives_without_negative_curvature(A):
    g, H = derivatives(np.concatenate([np.zeros(3), A.ravel()]))
    assert np.isfinite(g).all()
    assert np.linalg.eigvalsh(H)[0] > -1e-12


def test_stiff_body_turns_and_falls_as_with_the_other_energy(tmp_path):
    """At κ = 10⁹ Pa a body is as good as rigid under either; every box of a scene may have its own."""
    tolerances = {"newton__transrate_tol": 1e-3, "newton__semi_implicit__enable": 0}
    scene = BoxScene(tmp_path, contact__enable=0, **tolerances)
    spin = twist_rate(np.eye(4), linear=(0.5, 0, 0), angular=(1.0, 2.0, 3.0))
    for _ in range(2):
        scene.add_box(translation(0, 0, 0), size=(0.1, 0.2, 0.3), kappa=1e9, velocity=spin)
    AffineBodyConstitution({"name": "ARAP"}).apply_to(scene.slots[1].geometry(), 1e9)
    scene.start().run(50)
    assert {term.name for term in scene.engine.cpu.workspace.core.terms} >= {"ARAP", "ortho potential"}
    np.testing.assert_allclose(scene.q[1], scene.q[0], atol=1e-5)
    assert scene.q[1, 2] == pytest.approx(-9.8 * 1e-4 * 50 * 51 / 2)
    np.testing.assert_allclose(affine.nearest_rigid(scene.q), scene.q, atol=1e-5)


def test_stretch_swings_at_its_own_frequency(tmp_path):
    """E = v κ Σ (sᵢ-1)² and mass S₀₀ on s₀:  ω² = 2 v κ/S₀₀."""
    kappa, dt = 1e4, 1e-4
    config = {"dt": dt, "integrator__type": "bdf2", "newton__velocity_tol": 1e-4, "newton__transrate_tol": 1e-4}
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, **config)
    slot = scene.add_box(np.eye(4))
    AffineBodyConstitution({"name": "ARAP"}).apply_to(slot.geometry(), kappa)
    view(slot.geometry().transforms())[0] = np.diag([1.05, 1.0, 1.0, 1.0])
    scene.start()
    omega = np.sqrt(2 * 0.2**3 * kappa / scene.masses()[0][3, 3])
    quarter = round(np.pi / 2 / omega / dt)
    assert scene.run(quarter).q[0, 3] == pytest.approx(1.0, abs=1e-3)
    assert scene.run(quarter).q[0, 3] == pytest.approx(0.95, abs=2e-4)
