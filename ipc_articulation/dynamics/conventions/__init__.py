"""Conversion of states and spatial vectors between our convention and those of other engines."""

from ipc_articulation.dynamics.conventions.convention import (
    ARBORIS,
    DART,
    MUJOCO,
    NIMBLE,
    PINOCCHIO,
    RAISIM,
    RBDA,
    Attitude,
    Axes,
    Convention,
)
from ipc_articulation.dynamics.conventions.states import (
    VelocityMap,
    acceleration_from,
    acceleration_to,
    bias_to,
    force_from,
    force_to,
    mass_matrix_to,
    position_from,
    position_to,
    velocity_from,
    velocity_map,
    velocity_to,
)
from ipc_articulation.dynamics.conventions.twists import (
    about_world_origin,
    classical_acceleration,
    in_frame,
    in_world,
    linear_first,
    spatial_acceleration,
)
