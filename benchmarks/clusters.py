"""Time of forward dynamics of robots with loops, by cluster ABA, projection and Lagrange multipliers.

aba/chainN: serial chains of N links with geared rotors, all three methods in turn; the peer is the faster of the other
two, each on the same robot and state. slope: the exponent with which cluster ABA grows from 5 to 80 clusters.
four_bar/N: chains of N planar four-bar linkages, beside Pinocchio's constrained dynamics of the same linkages, which
closes them by point constraints on their last bars.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import numpy as np

from benchmarks.harness import Row, main, samples_in_turn
from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import forward_dynamics, joints
from ipc_articulation.dynamics.algorithms import multipliers, projection
from ipc_articulation.dynamics.loops import FourBar, gear

CHAINS = (5, 10, 20, 40, 80)
LINKAGES = (2, 8)
BARS, OFFSET = (0.3, 0.25, 0.28), (0.26, 0.05)  # [m]


def geared_chain(count: int) -> dyn.Model:
    """Links in series, each with a rotor on the link before it."""
    rng, mechanism, parent, loops = np.random.default_rng(count), dyn.Mechanism(f"chain{count}"), "world", []
    for i in range(count):
        origin = spatial.pose(p=rng.uniform(-0.2, 0.2, 3))
        for kind, mass in (("link", 1.0), ("rotor", 0.1)):
            mechanism.add_link(f"{kind}{i}", mass, rng.uniform(-0.1, 0.1, 3), 0.01 * mass)
            axis = joints.RevoluteJoint(rng.normal(size=3))
            mechanism.add_joint(f"{kind} joint {i}", axis, parent, f"{kind}{i}", origin=origin)
        loops.append(((f"link joint {i}", f"rotor joint {i}"), gear(6.0)))
        parent = f"link{i}"
    return mechanism.build().with_loops(loops)


def linkages(count: int) -> dyn.Model:
    """Four-bar linkages in series, each on the second bar of the one before."""
    mechanism, parent, loops, place = dyn.Mechanism(f"linkages{count}"), "world", [], np.zeros(3)
    for i in range(count):
        names = [f"{bar}{i}" for bar in ("driver", "support", "output")]
        origins = (place, (*(place[:2] + OFFSET), 0.0), (BARS[0], 0.0, 0.0))
        for name, host, origin, length in zip(
            names, (parent, parent, names[0]), origins, (0.3, 0.28, 0.25), strict=True
        ):
            mechanism.add_link(name, 1.0, (0.5 * length, 0.0, 0.0), (0.001, 0.01, 0.01))
            mechanism.add_joint(f"to {name}", joints.RzJoint(), host, name, origin=spatial.pose(p=origin))
        loops.append((tuple(f"to {name}" for name in names), FourBar(BARS, OFFSET)))
        parent, place = names[2], np.array([BARS[1], 0.0, 0.0])
    return mechanism.build().with_loops(loops)


def measure(quick: bool) -> list[Row]:
    rows, times = [], []
    for count in CHAINS:
        ours, *others = samples_in_turn(_methods(geared_chain(count)), 20, 10 if quick else 40)
        peer = min(others, key=median)
        name = ("projection", "multipliers")[others.index(peer)]
        rows.append(Row(f"aba/chain{count}", ours, "us", peer, name))
        times.append(median(ours))
    slope = np.polyfit(np.log(CHAINS), np.log(times), 1)[0]
    return [*rows, Row("slope/chains", [float(slope)], ""), *pinocchio_rows(quick)]


def _methods(robot: dyn.Model) -> list[Callable[[], object]]:
    rng = np.random.default_rng(0)
    x = dyn.random_position(robot, rng)
    y_dot, tau = rng.normal(size=(2, robot.nv))
    return [
        lambda: forward_dynamics(robot, x, y_dot, tau),
        lambda: projection.projected_dynamics(robot, x, y_dot, tau),
        lambda: multipliers.constrained_dynamics(robot, x, y_dot, tau),
    ]


def pinocchio_rows(quick: bool) -> list[Row]:
    """Beside Pinocchio, where it is installed."""
    try:
        import pinocchio as pin
    except ImportError:
        print("pinocchio is not installed and left out")
        return []
    rows = []
    for count in LINKAGES:
        robot = linkages(count)
        rng = np.random.default_rng(0)
        x = robot.closed(np.tile([1.2, 1.1, -1.0], count))
        y_dot, tau = rng.normal(size=(2, robot.nv))
        theirs = pinocchio_linkages(pin, robot, x, y_dot, tau)
        np.testing.assert_allclose(
            theirs(), robot.G(x) @ forward_dynamics(robot, x, y_dot, tau) + robot.g(x, y_dot), rtol=1e-4
        )
        works = [lambda: forward_dynamics(robot, x, y_dot, tau), theirs]  # noqa: B023
        ours, peer = samples_in_turn(works, 20, 10 if quick else 40)
        rows.append(Row(f"four_bar/{count}", ours, "us", peer, f"pinocchio {pin.__version__}"))
    return rows


def pinocchio_linkages(pin, robot: dyn.Model, x, y_dot, tau) -> Callable[[], np.ndarray]:
    """The same tree in Pinocchio, its loops closed by point constraints; its joints must come depth first."""
    model, ids = pin.Model(), {}
    bodies = {
        body.name: (body, node) for body, node in zip(robot.spanning_tree.bodies, robot.spanning_tree.tree, strict=True)
    }
    count = len(robot.loops)
    for name in [f"{bar}{i}" for i in range(count) for bar in ("driver", "output")] + [
        f"support{i}" for i in reversed(range(count))
    ]:
        body, node = bodies[name]
        parent = 0 if body.parent < 0 else ids[robot.spanning_tree.bodies[body.parent].name]
        ids[name] = model.addJoint(parent, pin.JointModelRZ(), pin.SE3(node["R"], node["p"]), body.joint_name)
        model.appendBodyToJoint(ids[name], pin.Inertia(body.mass, body.centre, body.inertia), pin.SE3.Identity())
    closures, states = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for i in range(count):
        tips = [pin.SE3(np.eye(3), np.array([length, 0.0, 0.0])) for length in (BARS[1], BARS[2])]
        ends = ids[f"output{i}"], tips[0], ids[f"support{i}"], tips[1]
        closures.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.ReferenceFrame.LOCAL))
        states.append(closures[i].createData())
    data, settings = model.createData(), pin.ProximalSettings(1e-10, 1e-10, 20)
    pin.initConstraintDynamics(model, data, closures, states)
    order = np.array([model.joints[ids[body.name]].idx_v for body in robot.spanning_tree.bodies])
    q, v, force = np.zeros((3, model.nv))
    G = robot.G(x)
    q[order], v[order], force[order] = robot.spanning(x), G @ y_dot, np.linalg.lstsq(G.T, tau, rcond=None)[0]
    return lambda: pin.constraintDynamics(model, data, q, v, force, closures, states, settings)[order]


if __name__ == "__main__":
    main(__doc__, measure)
