"""A small recording with a seeded content, for tests."""

from pathlib import Path

import numpy as np

from ipc_articulation.recording import Contacts, Header, RecordingWriter, Scenery, SoftShape, Surface, Visual, layout
from ipc_articulation.recording.quantities import QUANTITIES

NAMES = ("arm", "crate", "the ground")
HEADER = Header(
    "push",
    0.01,
    ("turn", "slide"),
    ("arm", "crate"),
    ("crate",),
    ("kinetic", "contact"),
    ("solve",),
    NAMES,
    {"title": "Größe"},
    ("sponge", "cable"),
    (4, 3),
)
SOFT = (
    SoftShape("sponge", np.array([[0, 1, 2, 3]], dtype=np.int32), np.eye(4, 3), 0.0),
    SoftShape("cable", np.array([[0, 1], [1, 2]], dtype=np.int32), 2.0 + np.eye(3), 0.01, 0.9 * np.eye(3)),
)
TRIANGLE = np.array([[0, 1, 2]], dtype=np.int32)
VISUAL = (Visual(np.eye(3), TRIANGLE, (1.0, 0.5, 0.25, 1.0)), Visual(2.0 * np.eye(3), TRIANGLE))
UP = np.array([0.0, 0.0, 1.0])


def scenery() -> Scenery:
    rng = np.random.default_rng(0)
    faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    surfaces = tuple(
        Surface(name, role, rng.normal(size=(4, 3)), faces, rng.normal(size=(4, 4)), visual)
        for name, role, visual in (("arm", "link", ()), ("crate", "free", VISUAL), ("post", "fixed", VISUAL[:1]))
    )
    return Scenery(surfaces, ((np.zeros(3), UP),), UP, eye=(1.0, 2.0, 3.0), soft=SOFT)


def rows(count: int) -> list[tuple[dict[str, np.ndarray], Contacts]]:
    """Values and contacts of each row; row k has k % 4 contacts."""
    rng = np.random.default_rng(1)
    made = []
    for row in range(count):
        values = {name: rng.normal(size=q.sizes(HEADER.counts)) for name, q in QUANTITIES.items()}
        values["body_poses"] = np.eye(4) + 0.1 * values["body_poses"]
        k = row % 4
        pairs = tuple((NAMES[i], NAMES[2]) for i in rng.integers(0, 2, k))
        made.append((values, Contacts(rng.normal(size=(k, 3)), rng.normal(size=(k, 3)), pairs)))
    return made


def write(folder: Path, count: int, expected: int | None = None) -> RecordingWriter:
    """A writer that has appended rows and not flushed them."""
    writer = RecordingWriter.create(folder, HEADER, scenery(), count if expected is None else expected)
    for values, contacts in rows(count):
        writer.append(values, contacts)
    return writer


def assert_holds(recording, count: int, version: int = layout.VERSION) -> None:
    """The recording has just the first rows of the quantities of a version."""
    expected = rows(count)
    assert recording.rows == count
    for name, quantity in QUANTITIES.items():
        if layout.SINCE.get(name, 1) > version:
            assert getattr(recording, name).size == 0
            continue
        values = [values[name] for values, _ in expected]
        stacked = np.reshape(values, (count, *quantity.sizes(HEADER.counts)))
        np.testing.assert_array_equal(getattr(recording, name), stacked)
    for row, (_, contacts) in enumerate(expected):
        read = recording.contacts(row)
        assert read.bodies == contacts.bodies
        np.testing.assert_array_equal(read.points, contacts.points.astype(np.float32))
        np.testing.assert_array_equal(read.forces, contacts.forces.astype(np.float32))


def assert_shows(shown: Scenery) -> None:
    """It is `scenery`."""
    for ours, theirs in zip(scenery().surfaces, shown.surfaces, strict=True):
        assert (ours.name, ours.role) == (theirs.name, theirs.role)
        for part in ("vertices", "faces", "pose"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
        for drawn, read in zip(ours.visual, theirs.visual, strict=True):
            assert drawn.colour == read.colour
            np.testing.assert_array_equal(drawn.vertices, read.vertices)
            np.testing.assert_array_equal(drawn.faces, read.faces)
    for soft, read in zip(SOFT, shown.soft, strict=True):
        assert (soft.name, soft.radius) == (read.name, read.radius)
        np.testing.assert_array_equal(soft.cells, read.cells)
        np.testing.assert_array_equal(soft.vertices, read.vertices)
        np.testing.assert_array_equal(soft.rest, read.rest)
    assert [soft.unstrained is None for soft in shown.soft] == [True, False]
    np.testing.assert_array_equal(shown.planes[0], [[0, 0, 0], UP])
    assert (shown.eye, shown.target) == ((1.0, 2.0, 3.0), None)
