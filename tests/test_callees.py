"""Functions that compiled functions call are compiled into them, and apart only where Python calls them too."""

import numpy as np
import pytest
from numba import config

from ipc_articulation.callees import Callee
from ipc_articulation.compiled import compiled

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")


def make():
    """A function that calls another, and that one; neither is on disk."""

    def inner(x):
        if x[0] < 0.0:
            raise ValueError("negative", x[0])
        return 2.0 * x[0]

    def outer(x):
        return inner(x) + 1.0

    inner = compiled(inner)
    inner._cache.disable()
    outer = compiled(outer)
    outer._cache.disable()
    return outer, inner


def entries(function):
    return [made.entry_point for made in function.overloads.values()]


def test_a_callee_has_no_machine_code_of_its_own():
    outer, inner = make()
    assert outer(np.ones(1)) == 3.0
    assert isinstance(entries(inner)[0], Callee)
    assert not isinstance(entries(outer)[0], Callee)


def test_python_can_call_a_callee_before_and_after_its_caller():
    outer, inner = make()
    assert (outer(np.ones(1)), inner(np.ones(1)), outer(np.ones(1))) == (3.0, 2.0, 3.0)
    assert not isinstance(entries(inner)[0], Callee)
    outer, inner = make()
    assert (inner(np.ones(1)), outer(np.ones(1)), inner(np.ones(1))) == (2.0, 3.0, 2.0)


def test_a_callee_raises_with_the_values_of_its_arguments():
    outer, inner = make()
    for function in (outer, inner):
        with pytest.raises(ValueError, match="negative") as caught:
            function(np.array([-1.5]))
        assert caught.value.args == ("negative", -1.5)


def test_each_signature_is_compiled_once():
    outer, inner = make()
    outer(np.ones(1)), outer(np.ones(1, dtype=np.float32)), outer(np.ones(2))
    assert len(inner.overloads) == len(outer.overloads) == 2
