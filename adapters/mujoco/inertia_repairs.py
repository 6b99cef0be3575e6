"""Masses and inertias of a MuJoCo model that no body has, or that MuJoCo does not take, replaced by near ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.physical_inertia import WITHOUT_ROUNDING, physical_inertia
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import repair

_MASS = 1e-9  # [kg], of a moving body without mass
_SIZE = 1e-3  # [m], radius of gyration of a moving body without inertia
_NONE = float(mujoco.mjMINVAL)  # kg or kg·m², as MuJoCo counts none
_NO_MOMENTS = "MuJoCo needs positive moments of inertia of a body that moves"
_FLAGS = ("balanceinertia", "boundmass", "boundinertia", "inertiafromgeom")


Place = Callable[[Any], str]  # of a body: the file, and the line if it is known


def repair_inertias(spec: mujoco.MjSpec, place: Place) -> None:
    """Make a model compile in spite of its bodies' masses and inertias; those that MuJoCo takes stay as they are.

    A tensor that no body has is replaced by the nearest that one has. A moving point gets a radius of gyration of 1 mm,
    and a moving body without mass 1e-9 kg. A body whose mass comes from its geoms stays as it is.

    Raises:
        ModelError: Repairs are refused, and a body has impossible mass properties; or one is not finite.
    """
    given = [body for body in spec.bodies[1:] if body.explicitinertial]
    if spec.compiler.inertiafromgeom != mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
        for body in given if not _accepted(spec, given) else ():
            if not _accepted(spec, [body]):
                _repair_tensor(spec, body, place)
    for body in spec.bodies[1:]:
        if list(body.joints) and not any(map(_has_mass, _welded(body))):
            give_inertia(spec, body, place)


def give_inertia(spec: mujoco.MjSpec, body: Any, place: Place) -> None:
    """Give a moving body the least mass and moments; if its geoms have a mass, only the least moments.

    Raises:
        ModelError: Repairs are refused.
    """
    if body.explicitinertial and body.mass > _NONE:
        _add_moments(body, place)
        return
    if not body.explicitinertial and _has_mass(body) and _give_mass_of_geoms(spec, body, place):
        return
    repair(_part(body), "MuJoCo needs a mass of a body that moves", f"{_MASS:g} kg is used", at=place(body))
    body.mass, body.inertia, body.fullinertia = _MASS, [_least_moment(_MASS)] * 3, [np.nan, 0, 0, 0, 0, 0]
    body.ipos, body.iquat, body.explicitinertial = np.zeros(3), [1.0, 0.0, 0.0, 0.0], True


def _give_mass_of_geoms(spec: mujoco.MjSpec, body: Any, place: Place) -> bool:
    """Give a body the mass of its geoms, as MuJoCo computes it, with the least moments; whether MuJoCo can."""
    probe = spec.copy()
    probe.compiler.boundmass = probe.compiler.boundinertia = least = 10.0 * _NONE
    try:
        model = probe.compile()
    except (ValueError, RuntimeError):
        return False
    index = body.id
    body.mass, body.inertia = model.body_mass[index], model.body_inertia[index]
    body.ipos, body.iquat, body.explicitinertial = model.body_ipos[index], model.body_iquat[index], True
    repair(_part(body), _NO_MOMENTS, "the least are used", at=place(body), detail=f"{least:g} kg·m²")
    return True


def _add_moments(body: Any, place: Place) -> None:
    _refuse_infinite(body, place)
    least = _least_moment(body.mass)
    repair(_part(body), _NO_MOMENTS, "the least is added", at=place(body), detail=f"{least:g} kg·m²")
    _set_tensor(body, _tensor(body) + least * np.eye(3))


def _least_moment(mass: float) -> float:
    """The moments of inertia [kg·m²] of a body of some mass [kg] that has none."""
    return max(mass * _SIZE**2, 10.0 * _NONE)


def _repair_tensor(spec: mujoco.MjSpec, body: Any, place: Place) -> None:
    _refuse_infinite(body, place)
    tensor = _tensor(body)
    nearest = physical_inertia(tensor, slack=WITHOUT_ROUNDING)
    if nearest is not tensor:
        moments = ", ".join(f"{moment:.4g}" for moment in np.linalg.eigvalsh(tensor))
        fault, remedy = "no body has its principal moments of inertia", "replaced by the nearest that a body can have"
        repair(_part(body), fault, remedy, at=place(body), found=f"{moments} kg·m²")
        _set_tensor(body, nearest)
    if not _accepted(spec, [body]):  # a point, or nearly one
        _add_moments(body, place)


def _refuse_infinite(body: Any, place: Place) -> None:
    if not (np.isfinite(_tensor(body)).all() and np.isfinite(body.mass)):
        raise ModelError(f"{place(body)}: {_part(body)}: its mass and inertia must be finite")


def _accepted(spec: mujoco.MjSpec, bodies: Sequence[Any]) -> bool:
    """Whether MuJoCo takes the masses and inertias of some bodies, by its own rule: in a model of them alone."""
    probe = mujoco.MjSpec()
    for flag in _FLAGS:
        setattr(probe.compiler, flag, getattr(spec.compiler, flag))
    for body in bodies:
        copy = probe.worldbody.add_body(mass=body.mass, ipos=body.ipos, explicitinertial=True)
        if np.isnan(body.fullinertia[0]):
            copy.inertia, copy.iquat = body.inertia, body.iquat
        else:
            copy.fullinertia = body.fullinertia
    try:
        probe.compile()
    except ValueError:
        return False
    return True


def _welded(body: Any) -> Iterator[Any]:
    """A body and those that are welded to it."""
    yield body
    for child in body.bodies:
        if not list(child.joints):
            yield from _welded(child)


def _has_mass(body: Any) -> bool:
    if body.explicitinertial:
        return bool(body.mass > _NONE and np.all(np.linalg.eigvalsh(_tensor(body)) > _NONE))
    return any(geom.mass > 0.0 if np.isfinite(geom.mass) else geom.density > 0.0 for geom in body.geoms)


def _tensor(body: Any) -> Array:
    """The inertia about the centre of mass, (3, 3), in the frame of the body's inertia or in that of the body."""
    full = body.fullinertia
    if np.isnan(full[0]):
        return np.diag(body.inertia)
    return np.array([[full[0], full[3], full[4]], [full[3], full[1], full[5]], [full[4], full[5], full[2]]])


def _set_tensor(body: Any, tensor: Array) -> None:
    if np.isnan(body.fullinertia[0]):
        body.inertia = np.diagonal(tensor)
    else:
        body.fullinertia = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def _part(body: Any) -> str:
    return f"body '{body.name}'"
