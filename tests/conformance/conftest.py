"""One fixture that makes scenes for every engine that this machine has."""

import itertools

import pytest

from tests.conformance.cuda_differences import DIFFERENCES

pytest.register_assert_rewrite("tests.conformance.libuipc")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def new_scene(request, tmp_path):
    """A function that makes a `CaseScene`; each gets a workspace of its own."""
    from ipc_articulation.engine.engine import has_gpu
    from tests.conformance.libuipc.case_scene import CaseScene

    if request.param == "cuda":
        if not has_gpu():
            pytest.skip("no NVIDIA GPU")
        if reason := DIFFERENCES.get(request.node.name, DIFFERENCES.get(request.function.__name__)):
            request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    count = itertools.count()
    return lambda **settings: CaseScene(request.param, tmp_path / str(next(count)), **settings)
