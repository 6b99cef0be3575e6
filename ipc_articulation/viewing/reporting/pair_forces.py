"""How hard bodies press on each other: the net force |Σ f| of each pair over time."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.moments import spread

_POINTS = 1000  # moments, at most
_PAIRS = 8  # those that press hardest


def pair_forces(recording: Recording) -> tuple[tuple[str, ...], Array, Array]:
    """The pairs that press hardest.

    Returns:
        Names such as "crate on ground", k of them; times, (p,) [s]; forces, (p, k) [N]. k is zero where the engine does
        not report contacts, or nothing ever touches.
    """
    rows = spread(recording.rows, _POINTS)
    if not recording.contact_names:
        return (), recording.time[rows], np.zeros((len(rows), 0))
    of_rows = [recording.contacts(int(row)).by_pair() for row in rows]
    pairs = list(dict.fromkeys(pair for forces in of_rows for pair in forces))
    forces = np.array([[np.linalg.norm(net.get(pair, 0.0)) for pair in pairs] for net in of_rows])
    forces = forces.reshape(len(rows), len(pairs))
    hardest = np.argsort(-forces.max(axis=0, initial=0.0), kind="stable")[:_PAIRS]
    return tuple(" on ".join(pairs[k]) for k in hardest), recording.time[rows], forces[:, hardest]
