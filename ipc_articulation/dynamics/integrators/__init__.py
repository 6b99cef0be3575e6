"""Time integrators."""

from ipc_articulation.dynamics.forces.actuation import PD
from ipc_articulation.dynamics.integrators.drive import Drive, acceleration
from ipc_articulation.dynamics.integrators.explicit import runge_kutta_4, semi_implicit_euler, trapezoid
from ipc_articulation.dynamics.integrators.implicit import implicit
from ipc_articulation.dynamics.integrators.midpoint import midpoint
from ipc_articulation.dynamics.integrators.scheme import Scheme
from ipc_articulation.dynamics.integrators.step import ImplicitStep, Step
