"""The first page of the documentation shows every scene, with small pictures."""

import re
import tomllib

from PIL import Image

from tests.docs.pages import DOCS, ROOT

PAGE = (DOCS / "README.md").read_text(encoding="utf-8")
GALLERY = DOCS / "images" / "gallery"
SCENES = {path.stem for path in (ROOT / "scenes").glob("*.yaml")}


def test_the_gallery_has_every_scene_with_its_file_and_its_picture() -> None:
    assert set(re.findall(r"\.\./scenes/(\w+)\.yaml\)<br>`\1`", PAGE)) == SCENES
    assert set(re.findall(r"!\[\]\(images/gallery/(\w+)\.webp\)", PAGE)) == SCENES
    assert {path.stem for path in GALLERY.iterdir()} == SCENES


def test_pictures_are_small() -> None:
    sizes = [path.stat().st_size for path in GALLERY.iterdir()]
    assert max(sizes) <= 60_000
    assert (DOCS / "images" / "first.webp").stat().st_size <= 2_000_000


def test_the_first_picture_moves() -> None:
    with Image.open(DOCS / "images" / "first.webp") as film:
        assert getattr(film, "n_frames", 1) > 50


def test_the_install_command_names_extras_that_exist() -> None:
    (extras,) = re.findall(r"^pip install '\.\[(.+)\]'$", PAGE, re.MULTILINE)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras.split(",")) <= set(known)
