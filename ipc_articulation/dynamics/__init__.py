"""Our multibody engine: models of robots, and the algorithms of rigid-body dynamics on them.

    from ipc_articulation import dynamics as dyn

    model = dyn.read_urdf("panda.urdf").build()
    a = dyn.forward_dynamics(model, q, v, tau)

Conventions (docs/conventions.md): SI units; world axes z up unless gravity says otherwise; spatial vectors [angular;
linear]; quaternions (w, x, y, z). q holds, joint by joint, angles and distances, and (position, quaternion) of a
floating joint, whose velocity is (ṗ, ω) in the world's axes. Every algorithm takes one state or a batch with leading
axes, except `implicit`, which takes one state.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "algorithms.aba": ["forward_dynamics"],
    "algorithms.bias": ["bias_forces", "coriolis_forces", "gravity_forces"],
    "algorithms.centre_of_mass": [
        "centre_of_mass",
        "centre_of_mass_jacobian",
        "centroidal_momentum",
        "centroidal_momentum_matrix",
    ],
    "algorithms.coriolis": ["coriolis_matrix"],
    "algorithms.crba": ["mass_matrix"],
    "algorithms.derivatives": ["forward_dynamics_derivatives", "inverse_dynamics_derivatives"],
    "algorithms.energy": ["kinetic_energy", "potential_energy"],
    "algorithms.inverse_mass": ["inverse_mass_matrix"],
    "algorithms.jacobian": ["jacobian", "jacobian_rate"],
    "algorithms.joint_wrenches": ["joint_wrenches"],
    "algorithms.kinematics": ["frame_accelerations", "frame_poses", "frame_velocities"],
    "algorithms.manifold": ["difference", "integrate", "normalised", "random_position", "rate"],
    "algorithms.rnea": ["inverse_dynamics"],
    "equations": ["Skeleton", "World"],
    "forces.actuation": ["PD", "within_effort"],
    "forces.passive": ["damping_forces", "friction_forces", "passive_forces", "spring_energy", "spring_forces"],
    "integrators": [
        "Drive",
        "ImplicitStep",
        "Scheme",
        "Step",
        "acceleration",
        "implicit",
        "midpoint",
        "runge_kutta_4",
        "semi_implicit_euler",
        "trapezoid",
    ],
    "model": ["Link", "Mechanism", "Mimic", "Model", "PlacedJoint"],
    "reading": ["read_urdf"],
    "reading.loops": ["read_robot"],
    "reading.mujoco.loops": ["robot_from_mujoco"],
    "reading.mujoco.mechanism": ["mechanism_from_mujoco"],
    "reading.osim": ["OsimModel", "read_osim"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "joints"])


def __getattr__(name: str) -> Any:
    if name == "joints":
        return import_module("ipc_articulation.dynamics.joints")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ipc_articulation.dynamics' has no attribute '{name}'")
    return getattr(import_module(f"ipc_articulation.dynamics.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
