"""Cases of vertices that follow a callback, and of creases that stay when it lets go."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    DiscreteShellBending,
    SoftPositionConstraint,
    StrainPlasticDiscreteShellBending,
    StressPlasticDiscreteShellBending,
)

from tests.conformance.libuipc.case_scene import DT, ZERO
from tests.conformance.libuipc_fem.soft_scene import (
    NO_CONTACT,
    SMOOTH,
    TETRAHEDRON,
    TIGHT,
    SoftBodies,
    marked,
    membrane,
    rubber,
    sheet,
    tetrahedron,
)

TIP = TETRAHEDRON[0]
STRENGTH = 100.0


def circle(frame):
    """The aim of a vertex: once around in 360 frames."""
    angle = frame * 2 * np.pi / 360
    return np.array([0.0, np.sin(angle), np.cos(angle)])


def pressing(frame):
    """The aim of a vertex that is pressed down and let up."""
    return TIP - [0.0, 0.0, np.sin(np.pi * DT * frame)]


def follows(aim):
    def callback(geometry, frame):
        view(geometry.vertices().find("is_constrained"))[0] = 1
        view(geometry.vertices().find("aim_position"))[0] = np.reshape(aim(frame), (3, 1))

    return callback


def held(mesh, strength=STRENGTH):
    SoftPositionConstraint().apply_to(mesh, strength)
    return mesh


@pytest.mark.parametrize("substeps", [1, 3], ids=["22_fem_animated_vertices", "30_fem_animiator_substep"])
def test_a_vertex_follows_its_aim(new_scene, substeps):
    """The force of the constraint is s m (aim - x)/dt² at the end of a step, with substeps too."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    slot = soft.add(held(rubber(tetrahedron(), nu=0.4)))
    soft.scene.animate(slot, follows(circle))
    soft.scene.scene.animator().substep(substeps)
    m = soft.start().bodies[0].mass[0]

    def pull(x):
        force = np.zeros((4, 3))
        force[0] = STRENGTH * m * (circle(soft.scene.world.frame()) - x[0][0]) / DT**2
        return [force]

    soft.run_free(12, pull)
    assert np.linalg.norm(soft.x[0][0] - circle(12)) < 0.01


@pytest.mark.parametrize("substeps", [1, 3], ids=["28_fem_periodically_pressed_tet", "30_fem_animiator_substep"])
def test_a_solid_is_pressed_onto_the_ground(new_scene, substeps):
    """The other vertices stop at the ground, the tip goes on."""
    soft = SoftBodies(new_scene(**SMOOTH))
    soft.scene.add_ground(height=-0.02)
    slot = soft.add(held(rubber(tetrahedron(), nu=0.4)))
    soft.scene.animate(slot, follows(pressing))
    soft.scene.scene.animator().substep(substeps)
    soft.start().run(20)
    assert np.linalg.norm(soft.x[0][0] - pressing(20)) < 0.05
    assert -0.02 < soft.x[0][:, 2].min() < 0.0


def test_an_aim_does_not_move_a_fixed_vertex(new_scene):
    """22_fem_animated_vertices, of a vertex that is fixed as well."""
    soft = SoftBodies(new_scene(**NO_CONTACT))
    slot = soft.add(held(rubber(tetrahedron())), is_fixed=marked(4, 0))
    soft.scene.animate(slot, follows(lambda frame: np.array([3.0, 0.0, 0.0])))
    soft.start().run(5)
    np.testing.assert_array_equal(soft.x[0][0], TIP)


# Creases


def plain(mesh):
    DiscreteShellBending().apply_to(mesh, 20.0)


def strain_plastic(mesh):
    StrainPlasticDiscreteShellBending().apply_to(mesh, 20.0, 0.03)


def stress_plastic(mesh):
    StressPlasticDiscreteShellBending().apply_to(mesh, 20.0, 1.0)


UP = np.array([0.0, 0.0, 1.0])
LIFT = 0.3  # [m] of a corner that is folded up


def folded(scene, bending):
    """A square whose corner 2 is lifted in 20 frames, held for 10 and let go: its bodies, not begun."""
    soft = SoftBodies(scene)
    mesh = membrane(sheet(side=0.6), 1e5, radius=0.001)
    bending(mesh)
    slot = soft.add(held(mesh), is_fixed=marked(4, 0, 1, 3))
    corner = np.array(mesh.positions().view()[2, :, 0])

    def lift(geometry, frame):
        view(geometry.vertices().find("is_constrained"))[2] = frame <= 30
        aim = corner + UP * LIFT * min(frame, 20) / 20
        view(geometry.vertices().find("aim_position"))[2] = aim[:, None]

    soft.scene.animate(slot, lift)
    return soft.start()


def fold(x):
    """The angle [rad] between the triangles (0, 2, 3) and (0, 3, 1)."""
    a, b = np.cross(x[2] - x[0], x[3] - x[0]), np.cross(x[3] - x[0], x[1] - x[0])
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


@pytest.mark.parametrize(
    ("bending", "least", "most"),
    [(plain, 0.0, 1e-2), (strain_plastic, 0.05, 1.6), (stress_plastic, 0.05, 1.6)],
    ids=[
        "elastic",
        "83_discrete_shell_bending_strain_plastic_residual",
        "86_discrete_shell_bending_stress_plastic_residual",
    ],
)
def test_a_crease_stays_if_the_hinge_is_plastic(new_scene, bending, least, most):
    """Let go, an elastic sheet is flat again."""
    soft = folded(new_scene(gravity=ZERO, **NO_CONTACT), bending)
    soft.run(30)
    assert fold(soft.x[0]) > 0.3
    soft.run(45)
    assert least <= fold(soft.x[0]) < most


@pytest.mark.parametrize(
    "bending",
    [strain_plastic, stress_plastic],
    ids=["82_discrete_shell_bending_strain_plastic_open_strip", "85_stress_plastic_discrete_shell_bending_open_strip"],
)
def test_a_sheet_of_plastic_hinges_is_folded_open(new_scene, bending):
    """A vertex in the middle of a sheet is lifted and pushed down again, all others are held where they are."""
    soft = SoftBodies(new_scene(gravity=ZERO, **NO_CONTACT))
    mesh = membrane(sheet(4, 1.0))
    bending(mesh)
    slot = soft.add(held(mesh))
    rest = np.array(mesh.positions().view())

    def lift(geometry, frame):
        view(geometry.vertices().find("is_constrained"))[:] = 1
        aim = view(geometry.vertices().find("aim_position"))
        aim[:] = rest
        aim[12, 2, 0] += 0.3 * np.sin(np.pi * min(frame, 20) / 20)

    soft.scene.animate(slot, lift)
    heights = [soft.start().run().x[0][12, 2] for _ in range(1)] + [soft.run().x[0][12, 2] for _ in range(24)]
    assert max(heights) > 0.1
    assert abs(heights[-1]) < 0.05


@pytest.mark.parametrize(
    "bending",
    [strain_plastic, stress_plastic],
    ids=["84_strain_plastic_discrete_shell_bending_recover", "87_stress_plastic_discrete_shell_bending_recover"],
)
def test_creases_are_recovered(new_scene, bending):
    """From a dump after it has yielded, with the same bits."""
    soft = folded(new_scene(gravity=ZERO, **NO_CONTACT), bending)
    soft.run(28)
    assert soft.scene.world.dump()
    end = soft.run(12).x[0]
    assert soft.scene.world.recover(28)
    np.testing.assert_array_equal(soft.run(12).x[0], end)
