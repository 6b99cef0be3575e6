"""The core names what is not finite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import SolverError
from prototypes.core.switch import switch
from ipc_articulation.engine.terms.term import Term
from tests.engine.scenes import BoxScene, translation

pytestmark = pytest.mark.slow


class Broken(Term):
    """Not finite at the second body."""

    name = "broken"

    def __init__(self, energy: float = 0.0, gradient: float = 0.0, hessian: float = 0.0) -> None:
        self.energy, self.gradient, self.hessian = energy, gradient, hessian

    def begin_step(self, state: Any, x: Array, dt: float) -> None: ...

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        E[1] += self.energy

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        _add(self.gradient, self.hessian, to)


@compiled
def _add(gradient, hessian, to):
    to.g[4] += gradient  # its first node
    to.matrix.numbers[to.matrix.own[1]] += hessian


@pytest.mark.parametrize("what", ["energy", "gradient", "hessian"])
@pytest.mark.parametrize("has_ground", [True, False])
def test_what_is_not_finite_is_named(has_ground: bool, what: str, tmp_path: Path) -> None:
    scene = BoxScene(tmp_path)
    if has_ground:
        scene.add_ground()
    for k in range(2):
        scene.add_box(translation(k, 0, 0.105))
    core, state = switch(scene.start().engine.cpu), scene.run(1).engine.cpu.state
    broken = Broken(**{what: np.nan})
    core.terms.append(broken)
    core.others.append(broken)
    named = "Hessian" if what == "hessian" else what
    with pytest.raises(
        SolverError, match=f"step 2: the {named} of the broken term is not finite at body 'box 1'; look"
    ):
        scene.run(1)
    assert scene.engine.cpu.state is state
    core.terms.remove(broken)
    core.others.remove(broken)
    scene.run(1)


def test_what_no_term_tells_is_an_error_of_the_step(tmp_path: Path) -> None:
    """Contact is asked, too."""
    scene = BoxScene(tmp_path)
    scene.add_ground()
    for k in range(2):
        scene.add_box(translation(k, 0, 0.105))
    core = switch(scene.start().engine.cpu)
    core.others.append(Broken(gradient=np.nan))
    with pytest.raises(SolverError, match="step 1: the Newton step is not finite"):
        scene.run(1)
