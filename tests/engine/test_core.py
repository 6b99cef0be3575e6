"""What a core keeps between steps."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.engine.workspace import make_workspace
from tests.contact.contact_scenes import of_many_models
from tests.engine.dumping_run import make as tumbling_hinge
from tests.engine.scenes import BoxScene

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("law", ["lagged", "anchored"])
def test_a_step_depends_on_the_state_alone(law: str, monkeypatch: Any, tmp_path: Path) -> None:
    """And not on what a core has kept of the steps before."""
    monkeypatch.setattr(BoxScene, "start", partialmethod(BoxScene.start, friction=law))
    one, other = (tumbling_hinge(tmp_path / name) for name in ("lasting", "anew"))
    for _ in range(30):
        cpu = other.engine.cpu
        cpu.workspace = make_workspace(cpu.model, "once more")
        one.world.advance()
        other.world.advance()
        lasting, anew = one.engine.cpu.state, cpu.state
        for field, left, right in zip(lasting._fields, lasting, anew, strict=True):
            assert left.tobytes() == right.tobytes(), field
    assert (len(anew.anchored) > 0) == (law == "anchored")


def test_an_affine_body_that_touches_itself_has_friction_that_holds(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(BoxScene, "start", partialmethod(BoxScene.start, friction="anchored"))
    state = of_many_models(tmp_path).run(8).engine.cpu.state
    rows = len(state.q) + 1
    assert np.any(state.anchored // rows == state.anchored % rows)  # it remembers its own contacts
