"""The public face: every name is there, and importing the package loads nothing heavy."""

import subprocess
import sys

import pytest

import ipc_articulation
from ipc_articulation import errors


@pytest.mark.parametrize("name", ipc_articulation.__all__)
def test_every_public_name_is_there(name):
    assert getattr(ipc_articulation, name) is not None
    assert name in dir(ipc_articulation)


def test_every_error_is_public():
    found = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert found == {name for name in ipc_articulation.__all__ if name.endswith("Error")}
    assert all(getattr(ipc_articulation, name) is getattr(errors, name) for name in found)
    assert all(issubclass(getattr(errors, name), errors.IpcArticulationError) for name in found)


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, ipc_articulation; print(sorted({'numpy', 'numba', 'uipc', 'ipctk', 'mujoco'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'ipc_articulation' has no attribute 'Motor'"):
        ipc_articulation.Motor  # noqa: B018
