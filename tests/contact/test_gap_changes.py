"""How much a step changes gaps, by which it may be the last one."""

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers
from ipc_articulation.contact.readouts import placed
from tests.contact.worlds import D_HAT, boxes, pose


@compiled
def changes(work, ahead):
    """Of bodies (B,), by a step to nodes `ahead`."""
    gaps = np.zeros(len(work.moving))
    y = placed(work.scene, ahead)
    barriers.add_changes(work.scene.table, work.now.stencils, work.now.y, y, work.moving, gaps)
    return gaps


@pytest.mark.parametrize("soft", [0, 1, 2])
@pytest.mark.parametrize("below", [0, 1], ids=["half-plane", "body"])
@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (0.5, 0.45, 0.1),  # of gaps as large as their depth below d̂
        (0.01, 0.012, 0.2),  # of small gaps
        (0.99, 0.985, 0.5 / 1.5),  # of shallow depths, those after the step
        (0.985, 0.99, 0.5 / 1.5),  # or before it
        (1.01, 0.99, 2.0),  # also where the step leads into d̂
        (0.99, 1.01, 2.0),  # or out of it
        (1.0 - 1e-6, 1.0 - 2e-6, 1e-2),  # depths without a force count as 1e-4 d̂
        (1.3, 1.1, 0.0),
    ],
)
def test_gaps_change_relative_to_themselves_and_to_their_depth(below, before, after, change, soft):
    world = boxes(2, soft=soft, fixed=(0,) if below else (1,), friction=0.0)
    x, ahead = (
        world.nodes(np.stack([pose(0, 0, 0.15), pose(0, 0, 0.35 + gap * D_HAT)]))
        if below
        else world.nodes(np.stack([pose(0, 0, 0.1 + gap * D_HAT), pose(0, 0, 0.55)]))
        for gap in (before, after)
    )
    world.begin(x)
    world.place(x)
    world.look(ahead)
    assert changes(world.work, ahead)[below] == pytest.approx(change, rel=1e-6, abs=1e-12)
