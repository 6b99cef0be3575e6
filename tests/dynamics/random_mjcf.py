"""Random trees as MJCF, each a function of its seed alone, for comparison with MuJoCo.

Every tree has all kinds of joints, several on one body, off the body's origin, with references, springs, damping and
armature. Nothing collides, and there are no limits and no friction loss: all forces are smooth.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

import mujoco
import numpy as np

from ipc_articulation import spatial

BODIES = (  # kinds of the joints of each body; the free one comes first on the world
    ("free",),
    ("hinge",),
    ("slide",),
    ("ball",),
    ("hinge", "hinge"),
    ("slide", "hinge", "slide"),
    ("hinge", "ball", "slide"),
    (),
)


def random_mjcf(seed: int) -> str:
    """A tree of eight bodies and twenty-one degrees of freedom as MJCF; some bodies hang on the world."""
    rng = np.random.default_rng(seed)
    root = Element("mujoco", model=f"random {seed}")
    SubElement(root, "compiler", angle="radian")
    SubElement(root, "option", gravity=_text(5.0 * rng.normal(size=3)))
    hosts = [SubElement(root, "worldbody")]
    for number in rng.permutation(len(BODIES)):
        kinds = BODIES[number]
        host = hosts[0] if "free" in kinds else hosts[rng.integers(len(hosts))]
        hosts.append(_add_body(rng, host, f"body_{number}", kinds))
    return tostring(root, encoding="unicode")


def random_state(model: mujoco.MjModel, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions with unit quaternions, (nq,), and velocities, (nv,), of size about one: MuJoCo's qpos and qvel."""
    rng = np.random.default_rng(seed)
    qpos = rng.normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, qpos)
    return qpos, rng.normal(size=model.nv)


def _add_body(rng: np.random.Generator, host: Element, name: str, kinds: tuple[str, ...]) -> Element:
    body = SubElement(host, "body", name=name, pos=_text(rng.normal(size=3)), quat=_quaternion(rng))
    _add_inertia(rng, body)
    for k, kind in enumerate(kinds):
        _add_joint(rng, body, f"{name}_{kind}_{k}", kind)
    SubElement(body, "site", name=f"site_of_{name}", pos=_text(rng.normal(size=3)), quat=_quaternion(rng))
    return body


def _add_joint(rng: np.random.Generator, body: Element, name: str, kind: str) -> None:
    numbers = ("damping", "armature", "stiffness", "ref", "springref")
    properties = {number: _text(rng.uniform(0.1, 1.0)) for number in numbers}
    SubElement(body, "joint", name=name, type=kind, pos=_text(rng.normal(size=3)), axis=_text(rng.normal(size=3)))
    body[-1].attrib.update(properties)


def _add_inertia(rng: np.random.Generator, body: Element) -> None:
    """The inertia of a random cloud of mass: with second moments S, I = tr(S) 1 - S is one that a body can have."""
    A = rng.normal(size=(3, 3))
    S = A @ A.T
    inertia = np.trace(S) * np.eye(3) - S
    full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]  # xx yy zz xy xz yz
    mass = rng.uniform(0.5, 2.0)
    SubElement(body, "inertial", pos=_text(rng.normal(size=3)), mass=_text(mass), fullinertia=_text(mass * full))


def _quaternion(rng: np.random.Generator) -> str:
    return _text(spatial.quaternion_exp(rng.normal(size=3)))


def _text(numbers: np.ndarray | float) -> str:
    return " ".join(repr(float(x)) for x in np.atleast_1d(numbers))
