"""Mass properties of rigid bodies: checks, and the sum over links joined rigidly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.errors import ModelError

SLACK = 1e-6  # violation due to rounding in files, relative to the largest principal moment


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], centre of mass (3,) [m], inertia about it (3, 3) [kg·m²], in one frame."""

    mass: float
    centre: Array
    tensor: Array

    @staticmethod
    def none() -> Inertia:
        """The inertia of nothing: mass zero."""
        return Inertia(0.0, np.zeros(3), np.zeros((3, 3)))

    def moved(self, H: Array) -> Inertia:
        """The same in another frame: c' = R c + p, I' = R I Rᵀ, with H (4, 4) from this frame to the other one."""
        R, p = H[:3, :3], H[:3, 3]
        return Inertia(self.mass, R @ self.centre + p, R @ self.tensor @ R.T)

    def __add__(self, other: Inertia) -> Inertia:
        """The sum: c = Σ m c / Σ m, I = Σ I + m (|d|² 1 - d dᵀ), with d from the common centre to each centre."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return self
        centre = (self.mass * self.centre + other.mass * other.centre) / mass
        tensor = self.tensor + other.tensor
        for part in (self, other):
            d = part.centre - centre
            tensor = tensor + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return Inertia(mass, centre, tensor)


def checked(link: Link, where: str) -> Inertia:
    """Mass properties of a link.

    Args:
        link: The link.
        where: Beginning of the message.

    Raises:
        ModelError: The properties are not finite, or physically impossible.
    """
    centre, tensor = np.asarray(link.centre, dtype=float), np.asarray(link.inertia, dtype=float)
    if centre.shape != (3,) or tensor.shape != (3, 3):
        raise ModelError(
            f"{where}: centre and inertia have shapes {centre.shape} and {tensor.shape}; give (3,), (3, 3)"
        )
    if not (np.isfinite(link.mass) and np.isfinite(centre).all() and np.isfinite(tensor).all()):
        raise ModelError(f"{where}: mass, centre and inertia must be finite")
    if link.mass < 0.0 or (link.mass == 0.0 and tensor.any()):
        raise ModelError(f"{where}: mass {link.mass:g} kg; it must be positive, or zero with no inertia at all")
    scale = np.abs(tensor).max()
    if np.abs(tensor - tensor.T).max() > SLACK * scale:
        raise ModelError(f"{where}: the inertia is not symmetric: {tensor.tolist()}")
    return Inertia(float(link.mass), centre, tensor)


def unphysical(inertia: Inertia) -> str | None:
    """The reason why an inertia is physically impossible, or None if it is possible.

    A principal moment is neither negative nor above the sum of the other two.
    """
    a, b, c = np.linalg.eigvalsh(inertia.tensor)
    if min(a, a + b - c) >= -SLACK * c:
        return None
    return (
        f"principal moments of inertia {a:.6g}, {b:.6g}, {c:.6g} kg·m² belong to no body: none may be negative, and "
        "none larger than the sum of the other two (is the inertia about the centre of mass?)"
    )
