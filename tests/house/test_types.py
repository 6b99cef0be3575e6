"""`make check` sees a wrong type wherever it is, in adapters/ too."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = """
[tool.setuptools]
packages = ["ipc_articulation", "ipc_articulation.adapters", "ipc_articulation.adapters.mujoco"]
[tool.setuptools.package-dir]
"ipc_articulation" = "ipc_articulation"
"ipc_articulation.adapters" = "adapters"
"ipc_articulation.adapters.mujoco" = "adapters/mujoco"
[tool.mypy]
check_untyped_defs = true
"""


def check_types(root: Path) -> tuple[int, str]:
    """Exit status and output of tools/check_types.py for a checkout."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); import check_types; from pathlib import Path; "
    code += f"sys.exit(check_types.main(Path({str(root)!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_wrong_types_in_adapters_are_found(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs the extra 'dev'")
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for folder in ("ipc_articulation", "adapters", "adapters/mujoco"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "ipc_articulation" / "units.py").write_text("def metres(x: float) -> float:\n    return x\n")
    planted = "from ipc_articulation.units import metres\n\nlength: str = metres('long')\n"
    (tmp_path / "adapters" / "mujoco" / "planted.py").write_text(planted)
    status, output = check_types(tmp_path)
    assert status == 1
    assert 'adapters/mujoco/planted.py:3: error: Argument 1 to "metres" has incompatible type "str"' in output
    assert 'Incompatible types in assignment (expression has type "float", variable has type "str")' in output


def test_every_package_is_in_the_tree_that_is_checked(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("check_types", ROOT / "tools" / "check_types.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    tool.link(ROOT, tmp_path)
    there = {file.resolve() for file in tmp_path.rglob("*.py")}
    missing = [
        file
        for top in ("ipc_articulation", "adapters")
        for file in (ROOT / top).rglob("*.py")
        if file.resolve() not in there
    ]
    assert missing == []
