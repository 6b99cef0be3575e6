"""The affine-body cases of libuipc's own suite (apps/tests/sim_case), each with an answer that is known from physics.

libuipc's cases mostly assert that a scene runs. Here each scene is rebuilt small, z up, and checked: parabolas,
weights, gaps by the barrier's formula, momenta, textbook accelerations. The themes are modules of
`tests/conformance/libuipc`; docstrings and parameters name the cases. They run on the CPU engine, and on CUDA where
there is a GPU.
"""

import re

from tests.conformance.libuipc import contact, driven_joints, free_motion, friction_and_animation, joints
from tests.conformance.libuipc.contact import *  # noqa: F403
from tests.conformance.libuipc.driven_joints import *  # noqa: F403
from tests.conformance.libuipc.free_motion import *  # noqa: F403
from tests.conformance.libuipc.friction_and_animation import *  # noqa: F403
from tests.conformance.libuipc.joints import *  # noqa: F403

THEMES = [contact, driven_joints, free_motion, friction_and_animation, joints]

CASES = """
    0_abd_gravity 1_abd_contact_pt 2_abd_contact_ee 3_abd_contact_pe 4_abd_contact_pp 5_abd_contact_ee_parallel
    6_abd_cube_pile 7_abd_tet_pile 8_abd_multi_contact_model 9_abd_multi_constitution 10_abd_ground_contact
    11_abd_ramp_sliding 12_abd_self_ground_contact 24_abd_animated_translation 25_abd_animated_rotation
    26_abd_ramp_ground 29_abd_fem_recover 31_contact_mask 32_different_gravity 35_abd_surf_cube_pile
    36_no_surf_but_contact_on 37_abd_revolute_joint 40_abd_ignore_self_intersection 41_abd_fem_mesh_d_hat
    42_abd_fem_subscene 43_abd_fem_state_access 44_affine_body_external_body_force 45_abd_prismatic_joint
    46_external_articulation_constraint 47_external_articulation_multijoints 49_abd_adaptive_kappa
    51_abd_prismatic_joint_limit 52_abd_revolute_joint_limit 63_abd_codim_shell_gravity 64_abd_codim_rod_gravity
    65_abd_codim_shell_rod_contact 66_abd_codim_galileo 69_affine_body_from_rigid_body 71_abd_driving_prismatic_joint
    72_abd_driving_revolute_joint 73_abd_prismatic_joint_external_force 74_abd_revolute_joint_external_force
    75_abd_mass_properties 76_abd_bdf2_rebound_higher_than_bdf1 77_abd_fixed_joint 78_abd_spherical_joint
    79_abd_prismatic_joint_driving_and_external_force 80_abd_revolute_joint_driving_and_external_torque
    84_proxy_abd_gravity 88_abd_revolute_joint_local 89_abd_prismatic_joint_local 90_abd_fixed_joint_local
    91_abd_spherical_joint_local 92_abd_stc_off_origin_cm 93_dynamic_dt
"""


def cases_of(function):
    """The words of a test's docstring and of its parameters' names, where its cases are named."""
    ids = [mark.kwargs.get("ids", ()) for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    return set(re.findall(r"\w+", " ".join([function.__doc__ or "", *(name for names in ids for name in names)])))


def themed_tests():
    return [f for theme in THEMES for name, f in vars(theme).items() if name.startswith("test_")]


def test_every_case_is_covered():
    named = set().union(*map(cases_of, themed_tests()))
    assert set(CASES.split()) - named == set()


def test_no_test_of_a_theme_hides_another():
    assert all(globals()[function.__name__] is function for function in themed_tests())
