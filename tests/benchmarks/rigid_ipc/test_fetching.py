"""`tools/fetch_rigid_ipc.py`: git's hashes of folders, and clones."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "fetch_rigid_ipc.py"


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("fetch_rigid_ipc", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", "-C", folder, *identity, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path):
    """A repository with nested folders, a link, an executable, and names that git sorts in its own way."""
    folder = tmp_path / "clone"
    (folder / "meshes" / "a").mkdir(parents=True)
    for name, content in {"a/b.obj": "v 0 0 0", "a.obj": "v 1 1 1", "a-b.obj": "", "run.sh": "echo"}.items():
        (folder / "meshes" / name).write_text(content)
    (folder / "meshes" / "run.sh").chmod(0o755)
    (folder / "meshes" / "link").symlink_to("a/b.obj")
    git(tmp_path, "init", "-q", str(folder))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return folder


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@needs_git
def test_the_hash_of_a_folder_is_git_s(tool, clone):
    assert tool.tree_hash(clone / "meshes").hex() == git(clone, "rev-parse", "HEAD:meshes")
    (clone / "meshes" / "a.obj").write_text("v 1 1 2")
    assert tool.tree_hash(clone / "meshes").hex() != git(clone, "rev-parse", "HEAD:meshes")


@needs_git
def test_a_clone_is_copied_as_it_is(tool, clone, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "COMMIT", git(clone, "rev-parse", "HEAD"))
    monkeypatch.setattr(tool, "WANTED", ("meshes",))
    tool.copy(tmp_path / "copy", clone)
    assert tool.tree_hash(tmp_path / "copy" / "meshes").hex() == git(clone, "rev-parse", "HEAD:meshes")


@needs_git
def test_another_repository_is_refused(tool, clone, tmp_path):
    with pytest.raises(SystemExit, match=f"has no commit {tool.COMMIT}"):
        tool.copy(tmp_path / "copy", clone)
