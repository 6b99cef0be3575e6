"""Every public function refuses what it cannot work on, by an error that names the argument."""

import re
from functools import partial

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import loops
from ipc_articulation.dynamics.algorithms import projection
from ipc_articulation.errors import IpcArticulationError

MECHANISM = dyn.Mechanism("toy")
for _name, _joint, _parent in (
    ("base", dyn.joints.FloatingJoint(), "world"),
    ("arm", dyn.joints.RzJoint(), "base"),
    ("ball", dyn.joints.SphericalJoint(), "arm"),
    ("slider", dyn.joints.TzJoint(), "ball"),
):
    MECHANISM.add_link(_name, 1.0, (0.1, 0.2, 0.3), 1.0)
    MECHANISM.add_joint(_name + "_joint", _joint, _parent, _name, friction=1.0, stiffness=1.0, lower=-2.0, upper=2.0)
MODEL = MECHANISM.build()  # q: 7 + 1 + 4 + 1, v: 6 + 1 + 3 + 1
NQ, NV, NB = 13, 11, 4
BAD_NUMBERS = {"nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "words": "abc", "several": [1.0, 2.0]}
BAD_STEPS = {**BAD_NUMBERS, "none": None, "zero": 0.0, "negative": -1e-3, "huge": 1e308}


def with_entry(good, place, value):
    bad = np.array(good)
    bad.flat[place] = value
    return bad


def bad_arrays(good):
    """Of an array of the right shape."""
    numbers = {name: with_entry(good, -1, value) for name, value in (("nan", np.nan), ("inf", np.inf))}
    shapes = {"too short": good[:-1], "too long": np.concatenate([good, good[-1:]])}
    other = {"text": good.astype(str), "truth values": good.astype(bool), "dates": good.astype("datetime64[s]")}
    masked = {"masked": np.ma.masked_array(good, good == good.flat[0])}
    others = {"words": "abc", "none": None, "ragged": [[1.0, 2.0], [3.0]], "complex": good + 0j}
    return {**numbers, **shapes, **other, **masked, **others}


def bad_batches(good):
    """Three states; the other arguments have two."""
    return {"another batch": np.stack([good] * 3)}


def bad_quaternions(q, at):
    """All with the four numbers from a place on."""
    zero, double, nan = (with_entry(q, range(at, at + 4), value) for value in (0.0, 2.0 * q[at : at + 4], np.nan))
    return {"zero quaternion": zero, "double quaternion": double, "nan quaternion": nan}


Q, V, W = MODEL.neutral, np.full(NV, 0.1), np.full((NB, 6), 0.1)
BAD_Q = {**bad_arrays(Q), **bad_quaternions(Q, 3), **{k + " of a ball": x for k, x in bad_quaternions(Q, 8).items()}}
BAD_V, BAD_W = bad_arrays(V), bad_arrays(W)
BAD_OUT = {"words": "abc", "whole numbers": np.zeros(1, dtype=int), "wrong shape": np.zeros((2, 7, 3))}

ARRAYS = {"q": (Q, BAD_Q), "v": (V, BAD_V), "a": (V, BAD_V), "tau": (V, BAD_V), "wrenches": (W, BAD_W)}
FORCES = {name: bad for name, bad in BAD_V.items() if name != "none"}

TAKES = {
    "bias_forces": "q v out",
    "centre_of_mass": "q out",
    "centre_of_mass_jacobian": "q out",
    "centroidal_momentum": "q v out",
    "centroidal_momentum_matrix": "q out",
    "coriolis_forces": "q v out",
    "coriolis_matrix": "q v out",
    "damping_forces": "v",
    "forward_dynamics": "q v tau wrenches",
    "forward_dynamics_derivatives": "q v tau wrenches",
    "frame_accelerations": "q v a",
    "frame_poses": "q",
    "frame_velocities": "q v",
    "friction_forces": "v",
    "gravity_forces": "q out",
    "integrate": "q v",
    "inverse_dynamics": "q v a wrenches",
    "inverse_dynamics_derivatives": "q v a wrenches",
    "inverse_mass_matrix": "q out",
    "joint_wrenches": "q v a wrenches",
    "kinetic_energy": "q v",
    "mass_matrix": "q out",
    "passive_forces": "q v",
    "potential_energy": "q",
    "rate": "q v",
    "spring_energy": "q",
    "spring_forces": "q",
    "acceleration": "q v",
}
STEPS = [dyn.semi_implicit_euler, dyn.trapezoid, dyn.runge_kutta_4, dyn.midpoint, dyn.implicit]
OF_OTHER_THINGS = {
    "Drive",
    "ImplicitStep",
    "Link",
    "Mechanism",
    "Mimic",
    "Model",
    "PlacedJoint",
    "Scheme",
    "Step",
    "joints",
}

_loose = dyn.Mechanism("loose")
_loose.add_link("a", 1.0, (0.1, 0.0, 0.0), 1.0)
_loose.add_joint("slide", dyn.joints.TzJoint(), "world", "a")
LOOSE = _loose.build()

_chain = dyn.Mechanism("bars")
for _name, _parent in (("a", "world"), ("b", "world"), ("c", "a_link")):
    _chain.add_link(_name + "_link", 1.0, (0.1, 0.0, 0.0), 1.0)
    _chain.add_joint(_name, dyn.joints.RzJoint(), _parent, _name + "_link")
LOOPED = _chain.build().with_loops([("abc", loops.FourBar((0.4, 0.25, 0.4), (0.07, 0.24)))])
X, Y = LOOPED.closed([1.2, 1.1, -1.0]), np.array([0.3])
BAD_X, BAD_Y = bad_arrays(X), {k: bad for k, bad in bad_arrays(Y).items() if k != "too long"}


def cases():
    """(what, function, its good arguments, name in messages, key of the argument, a bad value)."""
    for name, arguments in TAKES.items():
        yield from of_states(name, arguments.split())
    for step in STEPS:
        good = {"q": Q, "v": V, "dt": 1e-3}
        for argument, bad in (("q", BAD_Q), ("v", BAD_V), ("dt", BAD_STEPS)):
            yield from each(step.__name__, partial(step, MODEL), good, argument, argument, bad)
        for argument, bad in (("tau", {**FORCES, **bad_batches(V)}), ("wrenches", {**BAD_W, **bad_batches(W)})):
            drives = {k: dyn.Drive(**{argument: x}) for k, x in bad.items() if x is not None}
            states = good if step is dyn.implicit else {**good, "q": np.stack([Q] * 2)}
            yield from each(
                step.__name__, partial(step, MODEL), {**states, "drive": dyn.Drive()}, argument, "drive", drives
            )
        for argument, field in (("kp", "kp"), ("kd", "kd"), ("v", "target velocity")):
            fields = {"kp": V, "kd": V, "q": Q, "v": V}
            drives = {k: dyn.Drive(pd=dyn.PD(**{**fields, argument: x})) for k, x in BAD_V.items()}
            yield from each(step.__name__, partial(step, MODEL), {**good, "drive": dyn.Drive()}, field, "drive", drives)
    yield from each("integrate", partial(dyn.integrate, MODEL), {"q": Q, "v": V, "dt": 1.0}, "dt", "dt", BAD_NUMBERS)
    creep = {"creep": 1e-3, "v": V}
    yield from each("friction_forces", partial(dyn.friction_forces, MODEL), creep, "creep", "creep", BAD_STEPS)
    for key in ("q0", "q1"):
        call = partial(dyn.difference, MODEL)
        yield from each("difference", call, {"q0": Q, "q1": Q}, key, key, BAD_Q)
        other = {"q0": np.stack([Q] * 2), "q1": np.stack([Q] * 2)}
        yield from each("difference", call, other, key, key, bad_batches(Q))
    bad_q = {k: x for k, x in BAD_Q.items() if not k.startswith(("zero", "double"))}
    zero = {k: x for k, x in BAD_Q.items() if k.startswith("zero")}
    yield from each("normalised", partial(dyn.normalised, MODEL), {"q": Q}, "q", "q", {**bad_q, **zero})
    yield from each("within_effort", partial(dyn.within_effort, MODEL), {"tau": V}, "tau", "tau", FORCES)
    rng = np.random.default_rng(0)
    counts = {"words": "abc", "negative": -1, "half": 0.5, "truth": True}
    yield from each(
        "random_position", partial(dyn.random_position, MODEL), {"rng": rng, "count": 1}, "count", "count", counts
    )
    others = {"none": None, "seed": 5, "words": "abc"}
    yield from each("random_position", partial(dyn.random_position, MODEL), {"rng": rng}, "rng", "rng", others)
    bad_q = {k: x for k, x in BAD_Q.items() if x is not None}
    for name in ("damping_forces", "friction_forces"):
        yield from each(name, partial(getattr(dyn, name), MODEL), {"v": V, "q": Q}, "q", "q", bad_q)
    yield from other_objects()
    yield from frames()
    yield from control()
    yield from equations()
    yield from with_loops()


def of_states(name, arguments):
    good = {argument: ARRAYS[argument][0] for argument in arguments if argument != "out"}
    call = partial(getattr(dyn, name), MODEL)
    for argument, value in good.items():
        bad = {k: x for k, x in ARRAYS[argument][1].items() if not (argument == "wrenches" and x is None)}
        yield from each(name, call, good, argument, argument, bad)
        if len(good) > 1:
            yield from each(
                name, call, {k: np.stack([x] * 2) for k, x in good.items()}, argument, argument, bad_batches(value)
            )
    if "out" in arguments:
        yield from each(name, call, {**good, "out": None}, "out", "out", BAD_OUT)


def frames():
    for name in ("jacobian", "jacobian_rate"):
        good = {"q": Q, "frame": "arm", "point": (0.0, 0.0, 0.0)} | ({"v": V} if name == "jacobian_rate" else {})
        call = partial(getattr(dyn, name), MODEL)
        yield from each(name, call, good, "q", "q", BAD_Q)
        yield from each(name, call, good, "frame", "frame", {"none": None, "no such": "leg", "number": 99, "half": 0.5})
        yield from each(name, call, good, "point", "point", bad_arrays(np.zeros(3)))
        if "v" in good:
            yield from each(name, call, good, "v", "v", BAD_V)
    bad = {"a name alone": "arm", "a number alone": 1, "no such": ["leg"], "number": [99], "none": [None]}
    yield from each("frame_poses", partial(dyn.frame_poses, MODEL), {"q": Q, "frames": None}, "frame", "frames", bad)


def control():
    good = {"q": Q, "kp": V, "kd": V, "v": V}
    gains = {**{k: x for k, x in BAD_V.items() if k != "none"}, "negative": -V}
    for key, name, bad in (
        ("q", "target position", BAD_Q),
        ("kp", "kp", gains),
        ("kd", "kd", gains),
        ("v", "target velocity", FORCES),
    ):
        yield from each("PD.to", partial(dyn.PD.to, MODEL), good, name, key, bad)
    bad_shapes = {"one": np.ones(1), "a number": 1.0, "a batch": np.ones((2, NV)), "a column": np.ones((NV, 1))}
    for field, name in (("kp", "kp"), ("kd", "kd"), ("v", "target velocity"), ("q", "target position")):
        fields = {"kp": V, "kd": V, "q": Q, "v": V}
        for method in ("forces", "limited"):

            def call(x, field=field, fields=fields, method=method):
                getattr(dyn.PD(**{**fields, field: x}), method)(MODEL, Q, V)

            yield from each(f"PD.{method}", call, {"x": fields[field]}, name, "x", {**BAD_V, **bad_shapes})
    pd = dyn.PD.to(MODEL, Q, 1.0, 1.0)
    for method in ("forces", "limited"):
        for key, bad in (("q", BAD_Q), ("v", BAD_V)):
            yield from each(f"PD.{method}", partial(getattr(pd, method), MODEL), {"q": Q, "v": V}, key, key, bad)


def equations():
    yield from each("Skeleton", partial(dyn.Skeleton, MODEL), {"dt": 1e-3}, "dt", "dt", BAD_STEPS)
    skeleton = dyn.Skeleton(MODEL)
    for whole in (skeleton, dyn.World([skeleton])):
        for name, bad in (("positions", BAD_Q), ("velocities", BAD_V), ("control_forces", BAD_V)):
            call = partial(lambda whole, name, value: setattr(whole, name, value), whole, name)
            kind = type(whole).__name__
            yield from each(f"{kind}.{name}", call, {"value": None}, name.replace("_", " "), "value", bad)
    good = {"frame": "arm", "force": np.ones(3), "point": np.zeros(3), "moment": np.ones(3)}
    for key in ("force", "point", "moment"):
        yield from each("Skeleton.push", skeleton.push, good, key, key, bad_arrays(np.zeros(3)))


def with_loops():
    r = LOOPED
    move = partial(dyn.integrate, r)
    yield from each("integrate", move, {"q": X, "v": Y, "dt": 1e-3}, "dt", "dt", BAD_NUMBERS)
    yield from each("implicit", partial(dyn.implicit, r), {"q": X, "v": Y, "dt": 1e-3}, "dt", "dt", BAD_STEPS)
    for function in (r.spanning, r.motion, r.closed, r.G, r.g):
        good = {"x": X} | ({"v": Y} if function in (r.motion, r.g) else {})
        yield from each(f"Model.{function.__name__}", function, good, "x", "x", BAD_X)
        if "v" in good:
            yield from each(f"Model.{function.__name__}", function, good, "velocity", "v", BAD_Y)
    yield from each("Model.K", r.K, {"q": X}, "q", "q", BAD_X)
    yield from each("Model.k", r.k, {"q": X, "q_dot": X}, "q_dot", "q_dot", BAD_X)
    for name, key, bad in (("q", "q", BAD_X), ("v", "v", BAD_Y)):
        yield from each("integrate", move, {"q": X, "v": Y}, name, key, bad)
    for key, bad in (("q", BAD_X), ("v", BAD_Y), ("tau", BAD_Y)):
        good = {"q": X, "v": Y, "tau": Y}
        yield from each("forward_dynamics", partial(dyn.forward_dynamics, r), good, key, key, bad)
    for key, name, bad in (("x", "x", BAD_X), ("y_dot", "velocity", BAD_Y), ("tau", "tau", BAD_Y)):
        good = {"x": X, "y_dot": Y, "tau": Y}
        yield from each("projected_dynamics", partial(projection.projected_dynamics, r), good, name, key, bad)
    drives = {k: dyn.Drive(tau=x) for k, x in bad_arrays(X).items() if x is not None}
    good = {"q": X, "v": Y, "dt": 1e-3, "drive": dyn.Drive()}
    yield from each("implicit", partial(dyn.implicit, r), good, "tau", "drive", drives)


def other_objects():
    """Objects of another class where a model, a drive, a scheme or skeletons are expected."""
    for name, arguments in TAKES.items():
        good = {argument: ARRAYS[argument][0] for argument in arguments.split() if argument != "out"}
        yield from each(
            name, getattr(dyn, name), {"model": MODEL, **good}, "model", "model", {"none": None, "text": "m"}
        )
    for name, good in {
        "difference": {"q0": Q, "q1": Q},
        "jacobian": {"q": Q, "frame": "arm"},
        "jacobian_rate": {"q": Q, "v": V, "frame": "arm"},
        "inverse_dynamics_derivatives": {"q": Q, "v": V, "a": V},
        "normalised": {"q": Q},
        "random_position": {"rng": np.random.default_rng(0)},
        "within_effort": {"tau": V},
        "Skeleton": {},
    }.items():
        yield from each(
            name, getattr(dyn, name), {"model": MODEL, **good}, "model", "model", {"none": None, "text": "m"}
        )
    good = {"model": MODEL, "q": Q, "kp": 1.0, "kd": 1.0}
    yield from each("PD.to", dyn.PD.to, good, "model", "model", {"none": None, "text": "m"})
    pd = dyn.PD.to(MODEL, Q, 1.0, 1.0)
    for method in (pd.forces, pd.limited):
        good = {"model": MODEL, "q": Q, "v": V}
        yield from each(f"PD.{method.__name__}", method, good, "model", "model", {"none": None, "text": "m"})
    bad_drives = {"none": None, "text": "x", "number": 3.0}
    for step in STEPS:
        good = {"model": MODEL, "q": Q, "v": V, "dt": 1e-3, "drive": dyn.Drive()}
        yield from each(step.__name__, step, good, "model", "model", {"none": None})
        yield from each(step.__name__, step, good, "drive", "drive", bad_drives)
    good = {"model": MODEL, "q": Q, "v": V, "dt": 1e-3, "scheme": dyn.Scheme.FULL}
    yield from each("implicit", dyn.implicit, good, "scheme", "scheme", {"none": None, "text": "implicit"})
    yield from each("Drive", dyn.Drive, {"pd": None}, "pd", "pd", {"text": "x", "number": 3.0})
    skeletons = {"none": None, "one": dyn.Skeleton(MODEL), "models": [MODEL]}
    yield from each("World", dyn.World, {"skeletons": [dyn.Skeleton(MODEL)]}, "skeletons", "skeletons", skeletons)


def each(what, call, good, name, key, bad):
    for kind, value in bad.items():
        yield pytest.param(call, good, name, key, value, id=f"{what}-{name}-{kind}")


@pytest.mark.parametrize(("call", "good", "name", "key", "value"), list(cases()))
def test_an_error_names_the_argument(call, good, name, key, value):
    if good[key] is not None:
        call(**good)
    with pytest.raises(IpcArticulationError, match=rf"\b{re.escape(name)}s?\b"):
        call(**{**good, key: value})


def test_every_public_function_is_here():
    here = {parameters.id.split("-")[0].split(".")[0] for parameters in cases()}
    readers = {name for name, home in dyn._HOME_OF.items() if home.startswith("reading")}
    assert here >= set(dyn.__all__) - OF_OTHER_THINGS - readers


@pytest.mark.parametrize("joint", [dyn.joints.SphericalJoint(), dyn.joints.FloatingJoint()])
def test_joints_refuse_quaternions_that_are_not_unit(joint):
    for size, words in ((0.0, "is zero"), (2.0, "has length 2")):
        q = joint.neutral() * size
        for call in (
            lambda q=q: joint.pose_at(q),
            lambda q=q: joint.integrate(q, np.zeros(joint.ndof)),
            lambda q=q: joint.difference(joint.neutral(), q),
            lambda q=q: joint.difference(q, joint.neutral()),
        ):
            with pytest.raises(
                IpcArticulationError, match=f"^the position of a {type(joint).__name__}: the quaternion {words}"
            ):
                call()


@pytest.mark.parametrize("step", [dyn.semi_implicit_euler, dyn.implicit])
def test_a_step_that_ends_out_of_range_is_refused(step):
    with pytest.raises(
        IpcArticulationError, match=r"^a step with dt = 1e\+59 s ends where q\[.* is .*e\+\d+; that is too la.*"
    ):
        step(LOOSE, np.zeros(1), np.ones(1), 1e59)
    assert np.isfinite(step(LOOSE, np.zeros(1), np.ones(1), 1e20).q).all()
