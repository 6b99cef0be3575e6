"""Fetches the scenes of rigid-ipc, which `benchmarks.rigid_ipc` runs, into `models/rigid_ipc/`.

`python tools/fetch_rigid_ipc.py` downloads one commit of https://github.com/ipc-sim/rigid-ipc (MIT licence) and keeps
its fixtures and meshes if they have the hashes that git gave them. `--clone DIR` reads them out of a clone instead,
where git has checked them. What is there already is not fetched again.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "models" / "rigid_ipc"
COMMIT = "23b6ba6fbf8434056444ae106356fd2209136988"
ARCHIVE = f"https://github.com/ipc-sim/rigid-ipc/archive/{COMMIT}.tar.gz"

# The hashes of git's tree objects of the commit: of all names, modes and contents below each folder.
TREES = {"fixtures": "02d4241068a97541f73a22eac035ee718aad7766", "meshes": "e83ae425aff56c84aa5d3395f771ba8565b38d53"}
WANTED = (*TREES, "LICENSE")


def main() -> None:
    """Fetch what is not there.

    Raises:
        SystemExit: The files could not be had, or are others than expected.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clone", type=Path, metavar="DIR", help=f"a clone of rigid-ipc that has the commit {COMMIT}")
    clone = parser.parse_args().clone
    if not FOLDER.exists():
        with tempfile.TemporaryDirectory() as place:
            (download if clone is None else copy)(Path(place), clone)
            (Path(place) / "COMMIT").write_text(f"{COMMIT}\n")
            FOLDER.parent.mkdir(exist_ok=True)
            shutil.copytree(place, FOLDER, symlinks=True)
    print(FOLDER)


def download(place: Path, _: None) -> None:
    """Unpack GitHub's archive of the commit, and check it.

    Raises:
        SystemExit: It could not be downloaded, or has other files.
    """
    try:
        with urllib.request.urlopen(ARCHIVE, timeout=60) as answer:
            content = answer.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise SystemExit(
            f"{ARCHIVE} could not be downloaded: {error}; use --clone with a clone of rigid-ipc"
        ) from error
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive.getmembers():
            member.name = member.name.partition("/")[2]
            if member.name.partition("/")[0] in WANTED:
                archive.extract(member, place, filter="tar")
    for name, wanted in TREES.items():
        found = tree_hash(place / name).hex()
        if found != wanted:
            raise SystemExit(f"{name}/ of {ARCHIVE} has the hash {found}, not {wanted}; it is not kept")


def tree_hash(folder: Path) -> bytes:
    """The hash of git's tree object of a folder: SHA-1 of the modes, names and hashes of what is in it."""
    entries = sorted(folder.iterdir(), key=lambda path: path.name + "/" * (path.is_dir() and not path.is_symlink()))
    return _hash(b"tree", b"".join(_mode(path) + b" " + path.name.encode() + b"\0" + _entry(path) for path in entries))


def _mode(path: Path) -> bytes:
    if path.is_symlink():
        return b"120000"
    if path.is_dir():
        return b"40000"
    return b"100755" if path.stat().st_mode & 0o100 else b"100644"


def _entry(path: Path) -> bytes:
    if path.is_symlink():
        return _hash(b"blob", str(path.readlink()).encode())
    return tree_hash(path) if path.is_dir() else _hash(b"blob", path.read_bytes())


def _hash(kind: bytes, content: bytes) -> bytes:
    return hashlib.sha1(kind + b" %d\0" % len(content) + content, usedforsecurity=False).digest()


def copy(place: Path, clone: Path) -> None:
    """Write the commit's files out of a clone, and name those that it lacks.

    Raises:
        SystemExit: It is no clone, or does not have the commit.
    """
    listing = _git(clone, "ls-tree", "-r", "-z", COMMIT, *WANTED).decode().split("\0")[:-1]
    absent = []
    for line in listing:
        (mode, _, name), path = line.partition("\t")[0].split(), place / line.partition("\t")[2]
        content = _object(clone, name)
        if content is None:
            absent.append(line.partition("\t")[2])
        else:
            _write(path, mode, content)
    if absent:
        print(f"the clone lacks {', '.join(absent)}; scenes that need it are reported as such")


def _git(clone: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{clone} has no commit {COMMIT}: {done.stderr.decode().strip()}")
    return done.stdout


def _object(clone: Path, name: str) -> bytes | None:
    done = subprocess.run(["git", "-C", str(clone), "cat-file", "blob", name], capture_output=True, check=False)
    return None if done.returncode else done.stdout


def _write(path: Path, mode: str, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == "120000":
        path.symlink_to(content.decode())
    else:
        path.write_bytes(content)
        path.chmod(int(mode[-3:], 8))


if __name__ == "__main__":
    main()
