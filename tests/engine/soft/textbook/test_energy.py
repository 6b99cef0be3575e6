"""Soft bodies that move freely: with backward Euler their energy never grows, and their momentum stays."""

import numpy as np
import pytest
from uipc.constitution import (
    ARAP,
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    HookeanSpring,
    KirchhoffRodBending,
    NeoHookeanShell,
    StableNeoHookean,
    StrainLimitingBaraffWitkinShell,
    StrainPlasticDiscreteShellBending,
    StressPlasticDiscreteShellBending,
)

from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.soft.soft_scenes import SoftScene, moved, vertices
from tests.engine.soft.textbook.statics import bar_mesh, line_mesh, points, strip_mesh

DT, RHO, RADIUS = 0.01, 1000.0, 0.002
PLANE = ElasticModuli2D.youngs_poisson(1e5, 0.4)


def solid(law):
    mesh = bar_mesh((3, 2, 2), (0.3, 0.2, 0.2), 0.2)
    law.apply_to(mesh, *((5e4,) if isinstance(law, ARAP) else (ElasticModuli.youngs_poisson(1e5, 0.45),)), RHO)
    return mesh


def shell(bending, *numbers):
    mesh = strip_mesh((5, 3), (0.5, 0.3), 0.2)
    NeoHookeanShell().apply_to(mesh, PLANE, RHO, RADIUS)
    bending.apply_to(mesh, *numbers)
    return mesh


def cloth():
    mesh = strip_mesh((5, 3), (0.5, 0.3), 0.2)
    StrainLimitingBaraffWitkinShell().apply_to(mesh, PLANE, PLANE, RHO, RADIUS)
    return mesh


def rod():
    mesh = line_mesh(np.linspace([0, 0, 0], [1.0, 0, 0], 9))
    HookeanSpring().apply_to(mesh, 1e6, RHO, RADIUS)
    KirchhoffRodBending().apply_to(mesh, 1e9)
    return mesh


KINDS = {
    "stable neo-Hookean": lambda: solid(StableNeoHookean()),
    "ARAP": lambda: solid(ARAP()),
    "shell": lambda: shell(DiscreteShellBending(), 0.01),
    "strain-plastic": lambda: shell(StrainPlasticDiscreteShellBending(), 0.01, 0.2, 0.0),
    "stress-plastic": lambda: shell(StressPlasticDiscreteShellBending(), 0.01, 0.005, 0.0),
    "cloth": cloth,
    "rod": rod,
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_energy_never_grows_in_free_motion(tmp_path, make):
    """Stretched by a third and let go, with velocities of 1 m/s at random: 100 steps.

    The energies are not convex, so this is no theorem: it needs steps that are short for what pulls a body apart.
    """
    scene = SoftScene(
        tmp_path, gravity=(0, 0, 0), contact__enable=False, newton__velocity_tol=1e-4, newton__transrate_tol=1e-3
    )
    mesh, rng = make(), np.random.default_rng(3)
    v = rng.normal(size=points(mesh).shape)
    start = vertices(moved(make(), 0, 0, 0, turn=np.diag([1.33, 0.9, 1.0])), velocity=v)
    scene.add_soft(start, rest=mesh)
    scene.start()
    mass = scene.engine.cpu.model.context.bodies.soft.bodies[0].mass
    energies = []
    for _ in range(100):
        scene.run()
        assert scene.report.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)
        kinetic = 0.5 * np.sum(mass[:, None] * scene.v() ** 2)
        energies.append(kinetic + scene.report.energies["elasticity"] / DT**2)
    np.testing.assert_allclose(mass @ scene.v(), mass @ v, atol=1e-9 * np.sum(mass[:, None] * np.abs(v)))
    assert np.diff(energies).max() < 1e-9 * abs(energies[0])
