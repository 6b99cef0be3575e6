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

import pytest

import ipc_articulation

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


@pytest.mark.slow
def test_what_is_installed_runs_an_example_in_another_folder(built: Path, tmp_path: Path) -> None:
    """The wheel in a fresh environment, which borrows the packages it depends on from this one."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    paths = {"base": str(tmp_path / "env"), "platbase": str(tmp_path / "env")}
    scripts, site = (Path(sysconfig.get_path(name, vars=paths)) for name in ("scripts", "purelib"))
    python = scripts / Path(sys.executable).name
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(install, check=True)
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["NUMBA_DISABLE_JIT"] = "1"  # a new place compiles anew, for a minute
    run = [str(scripts / "ipc-articulation"), "run", "example:pendulum", "--engine", "cpu", "--steps", "1", "--quiet"]
    done = subprocess.run(run, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    where = [
        str(python),
        "-c",
        "import ipc_articulation as m, pathlib; print(m.__file__, m.read_recording('out/pendulum').steps)",
    ]
    told = subprocess.run(where, cwd=elsewhere, env=environment, capture_output=True, text=True, check=True).stdout
    assert told.split() == [str(site / "ipc_articulation" / "__init__.py"), "1"]
