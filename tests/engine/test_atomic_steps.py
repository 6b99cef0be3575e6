"""An error anywhere in a step leaves no trace: what is kept from step to step is either new or old, never half.

The error is raised between two lines of the engine or of contact, as by a signal handler; afterwards the run has the
same bits as one that was not disturbed.
"""

import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.engine.newton import direction, stages, touching
from tests.engine.joints import add_hinge
from tests.engine.scenes import BoxScene, translation, twist_rate

STEPS = 12
_FOLDERS = ("/ipc_articulation/engine/", "/ipc_articulation/contact/")


class Disturbed(Exception):  # noqa: N818 - it is no failure
    pass


def falling(workspace, dt=0.02, speed=3.0):
    """Boxes that fall onto a plate, two of them joined: contact begins, patterns change, bodies come to rest."""
    scene = BoxScene(workspace, dt=dt)
    scene.add_box(translation(0, 0, -0.05), size=(4, 4, 0.1), is_fixed=1)
    for k in range(4):
        T = translation(0.15 * (k % 2), 0, 0.135 + 0.3 * k)
        T[:3, :3] = Rotation.from_rotvec([0.3 * k, 0.2, 0.0]).as_matrix()
        scene.add_box(T, velocity=twist_rate(T, linear=(0, 0, -speed)))
    add_hinge(scene, scene.slots[3], scene.slots[4], [[0.1, 0, 0.9], [0.1, 0.1, 0.9]])
    return scene.start()


def hinge(workspace):
    """Two bodies that cannot touch."""
    scene = BoxScene(workspace, contact__enable=0)
    slots = [scene.add_box(translation(0, 0, 0), is_fixed=1), scene.add_box(translation(0.5, 0, 0))]
    add_hinge(scene, *slots, [[0.25, 0, 0], [0.25, 0.1, 0]])
    return scene.start()


def bits(scene):
    return b"".join(array.tobytes() for array in scene.engine.cpu.state)


class Disturbance:
    """Raises at the line of a number, counted in the engine and in contact; a number of 0 only counts."""

    def __init__(self, number=0):
        self.number, self.lines = number, 0

    def __enter__(self):
        sys.settrace(self._call)
        return self

    def __exit__(self, *error):
        sys.settrace(None)

    def _call(self, frame, event, argument):
        code = frame.f_code  # `do_advance` itself restores what was before, and signals are deferred there
        is_ours = any(folder in code.co_filename for folder in _FOLDERS) and code.co_name != "do_advance"
        return self._line if is_ours else None

    def _line(self, frame, event, argument):
        if event == "line":
            self.lines += 1
            if self.lines == self.number:
                raise Disturbed(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return self._line


def advance(scene, disturbance):
    """Try to take a step; where the error was raised."""
    try:
        with disturbance:
            scene.world.advance()
    except Disturbed as where:
        return str(where)
    return "nowhere"


@pytest.mark.slow
@pytest.mark.parametrize("make", [falling, hinge])
def test_an_error_at_any_line_of_a_step_leaves_no_trace(tmp_path, make):
    undisturbed, scene = make(tmp_path / "undisturbed"), make(tmp_path / "disturbed")
    rng = np.random.default_rng(0)
    for step in range(1, STEPS + 1):
        counting = Disturbance()
        advance(undisturbed, counting)
        places = []
        for number in rng.integers(1, counting.lines, size=10):
            if scene.world.frame() < step:  # else it came after the step, which is then taken
                places.append(advance(scene, Disturbance(number)))
        if scene.world.frame() < step:
            scene.world.advance()
        assert scene.world.frame() == undisturbed.world.frame() == step
        assert bits(scene) == bits(undisturbed), f"step {step}, after errors at {places}"


@pytest.mark.parametrize(
    ("module", "stage"), [(stages, "decide"), (touching, "assemble"), (direction, "solve"), (stages, "end_iteration")]
)
def test_an_error_after_a_stage_leaves_the_old(tmp_path, monkeypatch, module, stage):
    """That has written all that it writes, in the second iteration."""
    undisturbed, scene = (falling(tmp_path / name, dt=0.002, speed=0.5) for name in ("undisturbed", "disturbed"))
    whole, calls, failed = getattr(module, stage), [], 0

    def fail(*args):
        calls.append(1)
        found = whole(*args)
        if len(calls) == 2:
            raise Disturbed(stage)
        return found

    for _ in range(40):
        undisturbed.world.advance()
        before = bits(scene)
        calls.clear()
        monkeypatch.setattr(module, stage, fail)
        try:
            scene.world.advance()
        except Disturbed:
            failed += 1
            assert bits(scene) == before
        monkeypatch.setattr(module, stage, whole)
        if bits(scene) == before:
            scene.world.advance()
        assert bits(scene) == bits(undisturbed)
    assert failed > 10
