"""Contact forces as arrows, of one scale over a whole recording.

An arrow begins where bodies touch and is s·f long, f the force [N]. The scale s [m/N] is such that the ordinary force F
is an eighth of the scene. With F_p the median over time of the greatest force of a pair p of bodies while it touches,

    F = exp(median_p log F_p),

so that neither an impact nor a pair that presses much harder than the others makes their arrows short. What would be
more than twice as long as an ordinary arrow is cut there; a scale that is given cuts nothing. `legend` says both.
Two bodies that touch have many contacts side by side: those within one cell of a grid make one arrow.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import ViewingError
from ipc_articulation.naming import matching
from ipc_articulation.patterns import is_match
from ipc_articulation.recording import Recording
from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.viewing.bodies import bounds
from ipc_articulation.viewing.moments import spread

NONE = np.zeros((0, 2, 3))
_LOOKS = 100  # moments at which the ordinary force is measured
_SHARE, LONGEST = 0.125, 2.0  # of the scene's size; of the ordinary length
_FAINT, _CELL = 0.02, 0.2  # of the ordinary length: shorter arrows are left out; width of a cell
_OFFSET = 0.382  # of a cell: scenes are often symmetric about 0, where no cell should end


class ForceArrows:
    """The arrows of a recording.

    Args:
        recording: The recording.
        of: A regular expression; only pairs are drawn of which it matches a body's whole name, or «a on b». None: all.
        scale: Length of an arrow [m/N]; None: it is chosen.

    Attributes:
        note: Why there are none; None where there are.
        legend: The scale in words; empty where there are none.
        ordinary: Length of the arrow of an ordinary force [m].
        scale: Length of an arrow [m/N].

    Raises:
        ViewingError: The expression matches no body and no pair; names the bodies.
    """

    def __init__(self, recording: Recording, of: str | None = None, scale: float | None = None) -> None:
        self._recording, self.note, self._of = recording, _absent(recording), of
        if of is not None and self.note is None:
            _require_match(of, recording.contact_names)
        low, high = bounds(recording)
        self.ordinary = ordinary_length(low, high)
        self._longest = LONGEST if scale is None else np.inf
        self.scale = 0.0 if self.note else scale or self.ordinary / (self._ordinary_force() or 1.0)
        self.legend = "" if self.note else self._legend()

    def at(self, row: int) -> Array:
        """Beginning and end of each arrow of a row: (k, 2, 3) [m], world frame.

        Each is the force on the pair's first body, or on the second where the first never moves.
        """
        if self.note is not None:
            return NONE
        return arrows_of(*self._forces(row)[:2], self.scale, self.ordinary, self._longest)

    def _forces(self, row: int) -> tuple[Array, Array, list[tuple[str, str]]]:
        moving = (*self._recording.body_names, *self._recording.soft_names)
        return forces_on(_chosen(self._recording.contacts(row), self._of), moving, self.ordinary)

    def _ordinary_force(self) -> float:
        """F [N]; 0 where nothing ever touches."""
        of_pairs: dict[frozenset[str], list[float]] = {}
        for row in spread(self._recording.rows, _LOOKS):
            _, forces, pairs = self._forces(int(row))
            greatest: dict[frozenset[str], float] = {}
            for pair, force in zip(map(frozenset, pairs), np.linalg.norm(forces, axis=1).tolist(), strict=True):
                greatest[pair] = max(force, greatest.get(pair, 0.0))
            for pair, force in greatest.items():
                of_pairs.setdefault(pair, []).append(force)
        known = [median for forces in of_pairs.values() if (median := float(np.median(forces))) > 0.0]
        return float(np.exp(np.median(np.log(known)))) if known else 0.0

    def _legend(self) -> str:
        cut = f"; cut above {self._longest * self.ordinary / self.scale:.3g} N" if np.isfinite(self._longest) else ""
        chosen = f", of {self._of}" if self._of else ""
        return f"contact forces{chosen}: {self.scale:.3g} m per N{cut}"


def ordinary_length(low: Array, high: Array) -> float:
    """Length of the arrow of an ordinary force [m] in a scene between two corners, (3,) each [m]."""
    return _SHARE * float(np.linalg.norm(high - low))


def forces_on(
    contacts: Contacts, moving: Collection[str], ordinary: float
) -> tuple[Array, Array, list[tuple[str, str]]]:
    """Points (k, 3) [m], forces (k, 3) [N], each on a body that moves, and pairs; contacts side by side are one.

    Args:
        contacts: Those of one moment.
        moving: Names of the bodies that move.
        ordinary: Length of an ordinary arrow [m].
    """
    points, forces, firsts = _gathered(contacts, _CELL * ordinary)
    signs = np.array([1.0 if contacts.bodies[k][0] in moving else -1.0 for k in firsts])
    return points, signs[:, None] * forces, [contacts.bodies[k] for k in firsts]


def arrows_of(points: Array, forces: Array, scale: float, ordinary: float, longest: float = LONGEST) -> Array:
    """Beginning and end of each arrow, (k, 2, 3) [m]; faint forces have none, very large ones a shortened one.

    Args:
        points: (n, 3) [m].
        forces: (n, 3) [N].
        scale: [m/N].
        ordinary: Length of an ordinary arrow [m].
        longest: Length at which arrows are cut, of the ordinary one.
    """
    vectors = scale * forces
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors * np.minimum(1.0, longest * ordinary / np.maximum(lengths, 1e-300))
    arrows = np.stack([points, points + vectors], axis=1)
    return arrows[lengths[:, 0] > _FAINT * ordinary]


def _require_match(pattern: str, names: Sequence[str]) -> None:
    """Refuse an expression that matches no body and no pair of bodies."""
    try:
        if any(is_match(pattern, f"{a} on {b}") for a in names for b in names):
            return
    except ValueError as error:
        raise ViewingError(str(error)) from error
    matching(pattern, names, "body or pair «a on b»", ViewingError)


def _chosen(contacts: Contacts, pattern: str | None) -> Contacts:
    """The contacts of the pairs that an expression matches."""
    if pattern is None or not len(contacts):
        return contacts
    matches = {
        (a, b): any(is_match(pattern, text) for text in (a, b, f"{a} on {b}", f"{b} on {a}"))
        for a, b in set(contacts.bodies)
    }
    kept = [k for k, pair in enumerate(contacts.bodies) if matches[pair]]
    return Contacts(contacts.points[kept], contacts.forces[kept], tuple(contacts.bodies[k] for k in kept))


def _absent(recording: Recording) -> str | None:
    if recording.contact_names:
        return None
    return f"recording '{recording.name}' holds no contact forces (its engine does not report them): none are drawn"


def _gathered(contacts: Contacts, cell: float) -> tuple[Array, Array, Ints]:
    """The contacts of each pair of bodies in each cell as one: where they are on average by force, and the force's sum.

    Returns:
        Points, (k, 3) [m]; forces, (k, 3) [N]; the index of one contact of each.
    """
    if not len(contacts):
        return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, dtype=int)
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(contacts.bodies))}
    cells = np.floor(contacts.points / cell + _OFFSET)
    keys = np.column_stack([[numbers[pair] for pair in contacts.bodies], cells])
    _, firsts, groups = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    weights = np.linalg.norm(contacts.forces, axis=1) + 1e-300
    sums = np.zeros((len(firsts), 7))
    np.add.at(sums, groups.ravel(), np.column_stack([weights, weights[:, None] * contacts.points, contacts.forces]))
    return sums[:, 1:4] / sums[:, :1], sums[:, 4:], firsts
