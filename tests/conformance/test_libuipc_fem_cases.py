"""The finite-element cases of libuipc's own suite (apps/tests/sim_case), each with an answer known from physics.

Like `test_libuipc_cases`: scenes are rebuilt small, z up, and checked. Where nothing touches, the ends of steps must
satisfy Newton's law with the forces of `ipc_articulation.elasticity`; where the ground is touched, the momentum must
follow the barrier's formula. Every step must converge and leave no surfaces that intersect. The themes are modules of
`tests/conformance/libuipc_fem`. Not here: 38_global_vertex_offset and 43_abd_fem_state_access, which are about CUDA's
memory and about an interface of its own; 56_fem_mas_bunny_ground and 59_fem_mas_vs_diag_benchmark, about a
preconditioner.
"""

import pytest

pytest.register_assert_rewrite("tests.conformance.libuipc_fem")

from tests.conformance.libuipc_fem import constraints, mixed, solids, thin_bodies  # noqa: E402
from tests.conformance.libuipc_fem.constraints import *  # noqa: E402, F403
from tests.conformance.libuipc_fem.mixed import *  # noqa: E402, F403
from tests.conformance.libuipc_fem.solids import *  # noqa: E402, F403
from tests.conformance.libuipc_fem.thin_bodies import *  # noqa: E402, F403
from tests.conformance.test_libuipc_cases import cases_of  # noqa: E402

THEMES = [constraints, mixed, solids, thin_bodies]

CASES = """
    13_fem_3d_gravity 14_fem_3d_ground_contact 15_fem_3d_fixed_point 16_fem_3d_scaling 17_fem_multi_constituion
    18_abd_fem_contact 19_shell_fixed_point 20_spring_fixed_point 21_particle_ground 22_fem_animated_vertices
    23_kirchhoff_rod_bending 27_particle_abd 28_fem_periodically_pressed_tet 29_abd_fem_recover
    30_fem_animiator_substep 33_discrete_shell_bending 34_particle_rods 36_no_surf_but_contact_on
    39_soft_vertex_stitch 41_abd_fem_mesh_d_hat 42_abd_fem_subscene 45_finite_element_external_vertex_force
    50_fem_adaptive_kappa 53_fem_mas_single_tet 54_fem_mas_cube_ground 55_fem_mas_stiff_stack 57_fem_mas_two_cubes
    58_fem_mas_hybrid_mix 60_fem_mas_cloth 61_fem_mas_rod 67_soft_vertex_triangle_stitch 68_soft_vertex_edge_stitch
    70_svts_degenerate_rest_shape 81_fem_mas_cloth_with_empty 82_discrete_shell_bending_strain_plastic_open_strip
    83_discrete_shell_bending_strain_plastic_residual 84_strain_plastic_discrete_shell_bending_recover
    85_stress_plastic_discrete_shell_bending_open_strip 86_discrete_shell_bending_stress_plastic_residual
    87_stress_plastic_discrete_shell_bending_recover 93_dynamic_dt
"""


def themed_tests():
    return [f for theme in THEMES for name, f in vars(theme).items() if name.startswith("test_")]


def test_every_case_is_covered():
    named = set().union(*map(cases_of, themed_tests()))
    assert set(CASES.split()) - named == set()


def test_no_test_of_a_theme_hides_another():
    assert all(globals()[function.__name__] is function for function in themed_tests())
