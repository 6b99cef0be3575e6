"""Cases whose answer libuipc's CUDA engine of version 0.0.29 did not give on an NVIDIA H100, and the likely reasons.

The answers are those of the energies as libuipc's specification had them before August 2026, and as the CPU engine has
them; see docs/howto/gpu_or_cpu.md. The reasons of single cases were not examined one by one.
"""

from __future__ import annotations

BARRIER = "libuipc's CUDA engine has the barrier κ (D - D̂)² ln²(D/D̂), and limits κ by the scene's mass and size"
SOLID = "libuipc's CUDA engine has another StableNeoHookean, with the parameters of the former one"
INEXACT = "libuipc's CUDA engine solves its linear systems to 1e-3 only"
THIN = "libuipc's CUDA engine holds the rod at a gap below d̂, as if both had no thickness"

DIFFERENCES = {  # by a test's name, with its parameters in brackets where others hold
    "test_affine_and_soft_cubes_in_a_stack": BARRIER,
    "test_solids_of_two_constitutions_on_the_ground": BARRIER,
    "test_stack_of_stiff_cubes": BARRIER,
    "test_contact_models_by_pair": BARRIER,
    "test_cubes_on_a_ramp": BARRIER,
    "test_pile_of_cubes": BARRIER,
    "test_overlapping_parts_of_one_body": BARRIER,
    "test_contact_mask": BARRIER,
    "test_subscenes[cuda-True]": BARRIER,
    "test_pile_of_tetrahedra": BARRIER,
    "test_tetrahedron_on_the_ground": BARRIER,
    "test_d_hat_of_a_mesh": BARRIER,
    "test_column_of_cubes_on_the_ground": BARRIER,
    "test_a_solid_on_the_ground": BARRIER,
    "test_d_hat_of_a_soft_mesh": BARRIER,
    "test_particles_without_radius_rest_as_points": BARRIER,
    "test_newtons_law_of_a_solid": SOLID,
    "test_a_vertex_follows_its_aim": SOLID,
    "test_one_body_balances_on_another[cuda-1_abd_contact_pt]": INEXACT,
    "test_one_body_balances_on_another[cuda-2_abd_contact_ee]": INEXACT,
    "test_two_bodies_meet[cuda-1_abd_contact_pt]": INEXACT,
    "test_two_bodies_meet[cuda-2_abd_contact_ee]": INEXACT,
    "test_two_bodies_meet[cuda-3_abd_contact_pe]": INEXACT,
    "test_rod_rests_on_a_shell": THIN,
}
