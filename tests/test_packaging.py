"""The wheel and the sdist: everything is in them, and what is installed from them runs elsewhere."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

import ipc_articulation
from ipc_articulation import read_recording
from tests.test_machine_code import runs_here

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]


def package_of(folder: Path) -> str:
    """The name that a folder of the repository is imported under."""
    for package, place in sorted(SETUPTOOLS["package-dir"].items(), key=lambda item: -len(item[1])):
        if folder.is_relative_to(ROOT / place):
            return ".".join([package, *folder.relative_to(ROOT / place).parts])
    raise AssertionError(f"{folder} belongs to no package")


def folders() -> list[Path]:
    """Every folder of the repository that is part of the package."""
    tops = [ROOT / name for name in ("ipc_articulation", "adapters", "scenes")]
    return [file.parent for top in tops for file in sorted(top.rglob("__init__.py"))]


def test_every_folder_of_the_package_is_installed() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(package_of(folder) for folder in folders())


def test_every_file_that_is_no_module_is_installed() -> None:
    left_out = [
        file.relative_to(ROOT).as_posix()
        for folder in folders()
        for file in folder.iterdir()
        if file.is_file() and file.suffix not in (".py", ".nbc", ".lock") and not _is_package_data(file)
    ]
    assert left_out == []


def _is_package_data(file: Path) -> bool:
    """Whether a pattern of pyproject.toml names it, from its package or from one above."""
    for package, patterns in SETUPTOOLS["package-data"].items():
        place = ROOT / SETUPTOOLS["package-dir"].get(package, package.replace(".", "/"))
        if file.is_relative_to(place) and any(fnmatch(file.relative_to(place).as_posix(), each) for each in patterns):
            return True
    return False


def test_the_version_stands_in_one_place() -> None:
    assert ipc_articulation.__version__ == PROJECT["project"]["version"]


def test_the_changelog_has_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{ipc_articulation.__version__}] - 20" in changelog


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sdist of what is tracked here, and the wheel that is made from it."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("build")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / "source" / name)
    command = [sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(folder / "source")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder / "dist"


@pytest.mark.slow
def test_scenes_schema_and_types_are_in_the_wheel(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    scenes = subprocess.run(["git", "ls-files", "scenes"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in scenes.split():
        assert name.replace("scenes", "ipc_articulation/examples", 1) in names
    data = "py.typed", "scenefile/scene.schema.json", "warming/entrances.txt"
    assert {f"ipc_articulation/{name}" for name in data} <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "adapters/"))]


def installed(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """Programs and packages of a fresh environment with a wheel, which borrows what it depends on from this one."""
    venv.create(folder, with_pip=False)
    paths = {"base": str(folder), "platbase": str(folder)}
    scripts, site = (Path(sysconfig.get_path(name, vars=paths)) for name in ("scripts", "purelib"))
    python = scripts / Path(sys.executable).name
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(install, check=True)
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (site / "borrowed.pth").write_text("".join(f"{path}\n" for path in borrowed))
    return scripts, site


def run_example(scripts: Path, folder: Path, *arguments: str, **environment: str) -> Path:
    """Run an example in an empty folder, with nothing compiled at home; returns that folder."""
    folder.mkdir()
    own = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NUMBA"))}
    run = [str(scripts / "ipc-articulation"), "run", *arguments, "--engine", "cpu", "--quiet", "--no-pictures"]
    done = subprocess.run(run, cwd=folder, env=own | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_what_is_installed_runs_an_example_in_another_folder(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    scripts, site = installed(wheel, tmp_path / "env")
    interpreted = {"NUMBA_DISABLE_JIT": "1"}  # a new place compiles anew, for a minute
    elsewhere = run_example(scripts, tmp_path / "elsewhere", "example:pendulum", "--steps", "1", **interpreted)
    where = [
        str(scripts / Path(sys.executable).name),
        "-c",
        "import ipc_articulation as m, pathlib; print(m.__file__, m.read_recording('out/pendulum').steps)",
    ]
    told = subprocess.run(where, cwd=elsewhere, capture_output=True, text=True, check=True).stdout
    assert told.split() == [str(site / "ipc_articulation" / "__init__.py"), "1"]


@pytest.mark.slow
@runs_here
def test_a_wheel_with_machine_code_compiles_nothing_and_gives_the_bits_of_the_checkout(tmp_path: Path) -> None:
    """In scenes of each kind; `make wheel` builds it."""
    subprocess.run([sys.executable, str(ROOT / "tools/build_wheel.py"), str(tmp_path / "dist")], check=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.stat().st_size < 40e6
    scripts, site = installed(wheel, tmp_path / "env")
    here = Path(sys.executable).parent
    for scene, steps in {"panda_push": "180", "cloth_over_arm": "20", "four_bar_press": "20"}.items():
        arguments = f"example:{scene}", "--steps", steps
        folders = (
            run_example(programs, tmp_path / f"{scene}-{k}", *arguments) for k, programs in enumerate((scripts, here))
        )
        ours, theirs = (read_recording(folder / "out" / scene) for folder in folders)
        np.testing.assert_array_equal(ours.body_poses, theirs.body_poses)
        np.testing.assert_array_equal(ours.soft_positions, theirs.soft_positions)
    compiled = [file for file in site.rglob("*.nbc") if file.parent.name != "wheel_code"]
    assert compiled == []
