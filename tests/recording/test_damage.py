"""Whatever is wrong with a recording on disk is named; it never becomes numbers."""

import copy
import json
import random
import re
import shutil
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import RecordingWriter, layout, read_recording
from ipc_articulation.recording.quantities import QUANTITIES
from tests.recording.made import HEADER, assert_holds, assert_shows, rows, write

COUNT = 10


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(layout, "chunk_rows", lambda header, rows: 4)
    write(tmp_path, COUNT).close()
    return tmp_path / "recording.zarr"


def read_all(store: Path) -> None:
    recording = read_recording(store)
    for name in QUANTITIES:
        getattr(recording, name)
    for row in range(recording.rows):
        recording.contacts(row)
    _ = recording.scenery


def change(file: Path, **attributes: object) -> None:
    content = json.loads(file.read_text())
    content["attributes"].update(attributes)
    file.write_text(json.dumps(content))


def test_a_folder_without_a_recording(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"no recording: .*recording\.zarr/zarr\.json is missing; give the folder"):
        read_recording(tmp_path)


def test_a_newer_version(store: Path) -> None:
    change(store / "zarr.json", version=5)
    with pytest.raises(RecordingError, match=r"recording\.zarr is of format version 5, this reads 1 to 4; a newer ipc"):
        read_recording(store)


def age(store: Path, version: int) -> None:
    """Make a recording one of an older version: without what was added since."""
    drop(store, ["columns"] if version == 1 else [], version=version)
    drop(store / "scenery", ["soft"] + ["visuals"] * (version < 3))
    missing = ["soft_positions", "scenery/soft_vertices", "scenery/soft_cells", "scenery/soft_rest"]
    missing += ["scenery/visual_vertices", "scenery/visual_faces"] * (version < 3)
    for array in missing:
        shutil.rmtree(store / array)


def drop(folder: Path, keys: list[str], **added: object) -> None:
    """Remove attributes of a group, and names of soft bodies from its header, and add others."""
    content = json.loads((folder / "zarr.json").read_text())
    old = {key: value for key, value in content["attributes"].items() if key not in ("checksum", *keys)}
    for key in ("soft_names", "soft_counts"):
        old.get("header", {}).pop(key, None)
    content["attributes"] = layout.sealed({**old, **added})
    (folder / "zarr.json").write_text(json.dumps(content))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_recording_of_an_older_version_is_read(store: Path, version: int) -> None:
    """Version 1 has no checksums of chunks by place, 2 no visual surfaces, 3 no soft bodies."""
    age(store, version)
    read_all(store)
    recording = read_recording(store)
    assert_holds(recording, COUNT, version)
    assert recording.scenery.soft == ()
    assert [bool(surface.visual) for surface in recording.scenery.surfaces] == [False, version == 3, version == 3]


def test_a_recording_without_shapes_at_rest_is_read(store: Path) -> None:
    file = store / "scenery" / "zarr.json"
    bodies = json.loads(file.read_text())["attributes"]["soft"]
    drop(file.parent, [], soft=[{key: body[key] for key in body if key != "has_rest"} for body in bodies])
    shutil.rmtree(store / "scenery" / "soft_rest")
    for soft in read_recording(store).scenery.soft:
        np.testing.assert_array_equal(soft.rest, soft.vertices)


def test_a_recording_of_an_older_version_is_gone_on_with(store: Path) -> None:
    age(store, 3)
    header = read_recording(store).header
    writer = RecordingWriter.reopen(store.parent, header, COUNT - 2, COUNT)
    for values, contacts in rows(COUNT)[COUNT - 2 :]:
        writer.append({**values, "soft_positions": np.zeros((0, 3))}, contacts)
    writer.close()
    assert_holds(read_recording(store), COUNT, 3)
    assert json.loads((store / "zarr.json").read_text())["attributes"]["version"] == layout.VERSION


def exchanges(store: Path) -> list[tuple[Path, Path]]:
    """Pairs of chunk files with different contents: of one array, and of arrays of the same shape."""
    draw = random.Random(5)
    files = sorted(store.rglob("c.*"))
    pairs = [(a, b) for a in files for b in files if a < b and a.read_bytes() != b.read_bytes()]
    alike = [(a, b) for a, b in pairs if len(a.name) == len(b.name) and "contacts" not in str(a)]
    return draw.sample(alike, 60) + draw.sample(pairs, 30)


def swap(first: Path, second: Path) -> None:
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)


@pytest.mark.slow
def test_chunk_files_that_were_exchanged_are_named(store: Path) -> None:
    for first, second in exchanges(store):
        swap(first, second)
        with pytest.raises(RecordingError) as caught:
            read_all(store)
        assert any(f"recording {file} is damaged" in str(caught.value) for file in (first, second))
        swap(first, second)
    read_all(store)


def test_exchanged_chunk_files_are_seen_by_one_row_and_before_a_run_is_resumed(store: Path) -> None:
    first, second = store / "theta" / "c.0.0", store / "theta_dot" / "c.0.0"
    swap(first, second)
    message = rf"{first} is damaged: its content is not what was written"
    with pytest.raises(RecordingError, match=message):
        read_recording(store).row("theta", 1)
    with pytest.raises(RecordingError, match=message):
        RecordingWriter.reopen(store.parent, HEADER, COUNT - 1, COUNT)


def test_a_chunk_file_of_another_run_is_named(store: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    write(tmp_path / "other", COUNT - 3).close()
    shutil.copy(tmp_path / "other" / "recording.zarr" / "time" / "c.1", store / "time" / "c.1")
    with pytest.raises(RecordingError, match=r"time/c\.1 is damaged"):
        read_all(store)


def test_another_group(store: Path) -> None:
    change(store / "zarr.json", format="climate")
    with pytest.raises(RecordingError, match=r"zarr\.json is not of a recording: its 'format' is 'climate'"):
        read_recording(store)


@pytest.mark.parametrize("text", ["", "{", '{"zarr_format": 3, "node_type": "array"}', "[]"])
def test_a_group_file_that_is_none(store: Path, text: str) -> None:
    (store / "zarr.json").write_text(text)
    with pytest.raises(RecordingError, match=r"recording\.zarr/zarr\.json is (damaged|not of a recording)"):
        read_recording(store)


def test_a_row_count_that_was_changed(store: Path) -> None:
    change(store / "zarr.json", rows=9)
    with pytest.raises(RecordingError, match=r"zarr\.json is damaged: its attributes do not have the checksum"):
        read_recording(store)


@pytest.mark.parametrize("name", ["theta", "body_poses", "contacts/end", "contacts/forces"])
def test_a_missing_array_and_a_missing_chunk(store: Path, name: str) -> None:
    chunk = next((store / name).glob("c.*"))
    chunk.unlink()
    with pytest.raises(RecordingError, match=rf"is damaged: .*{name}/{chunk.name} is missing"):
        read_recording(store)
    shutil.rmtree(store / name)
    with pytest.raises(RecordingError, match=rf"has no array '{name}': .*{name}/zarr\.json is missing"):
        read_recording(store)


def test_an_array_of_another_shape(store: Path) -> None:
    file = store / "theta" / "zarr.json"
    file.write_text(file.read_text().replace("      4,\n      2\n", "      4,\n      3\n", 1))
    content = json.loads(file.read_text())
    content["shape"] = [COUNT, 3]
    file.write_text(json.dumps(content))
    with pytest.raises(
        RecordingError, match=r"theta/zarr\.json is damaged: the array is float64 \(10, 3\), not float64 \(10, 2\)"
    ):
        read_recording(store)


def test_an_array_that_is_too_short(store: Path) -> None:
    file = store / "time" / "zarr.json"
    content = json.loads(file.read_text())
    content["shape"] = [COUNT - 1]
    file.write_text(json.dumps(content))
    with pytest.raises(RecordingError, match=r"time/zarr\.json is damaged: the array is float64 \(9,\), not"):
        read_recording(store)


def chunks(store: Path) -> list[Path]:
    """The second chunk of each array that has two, else the first."""
    return [sorted(file.parent.glob("c.*"))[:2][-1] for file in sorted(store.rglob("c.0*"))]


@pytest.mark.slow
def test_a_truncated_chunk_is_named(store: Path) -> None:
    for file in chunks(store):
        whole = file.read_bytes()
        for size in (0, len(whole) - 1):
            file.write_bytes(whole[:size])
            with pytest.raises(RecordingError) as caught:
                read_all(store)
            assert f"recording {file} is damaged" in str(caught.value)
        file.write_bytes(whole)
    read_all(store)


@pytest.mark.slow
def test_a_flipped_bit_is_named(store: Path) -> None:
    draw = random.Random(3)
    for file in chunks(store):
        whole = file.read_bytes()
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        with pytest.raises(RecordingError) as caught:
            read_all(store)
        assert f"recording {file} is damaged" in str(caught.value)
        file.write_bytes(whole)


def is_named_or_harmless(store: Path) -> bool:
    try:
        recording = read_recording(store)
        assert_holds(recording, COUNT)
        assert_shows(recording.scenery)
    except RecordingError as error:
        return str(store) in str(error)
    return True


@pytest.mark.slow
def test_flipped_bits_of_descriptions_are_named_or_change_nothing(store: Path) -> None:
    draw = random.Random(4)
    for file in sorted(store.rglob("zarr.json")):
        whole = file.read_bytes()
        for _ in range(6):
            damaged = bytearray(whole)
            damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
            file.write_bytes(damaged)
            assert is_named_or_harmless(store)
        file.write_bytes(whole)


def test_a_row_that_is_not_there(store: Path) -> None:
    recording = read_recording(store)
    with pytest.raises(RecordingError, match="recording 'push' has no row 10; valid: 0 to 9"):
        recording.contacts(10)
    assert recording.contacts(-1).bodies == recording.contacts(9).bodies


def test_a_recording_that_was_replaced_while_it_was_read(store: Path) -> None:
    """Nothing is cached that a new run could make wrong: a recording read before has its own arrays."""
    recording = read_recording(store)
    before = recording.theta.copy()
    shutil.rmtree(store)
    assert (recording.theta == before).all()
    with pytest.raises(RecordingError, match="has no array 'theta_dot'"):
        _ = recording.theta_dot


GROUPS = ("", "contacts", "scenery")


def places(value: object, place: tuple = ()) -> Iterator[tuple]:
    """Keys and indices that lead to each value inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*place, key)
        yield from places(part, (*place, key))


def changed(content: dict, place: tuple, new: object) -> dict:
    content = copy.deepcopy(content)
    *way, last = place
    parent = reduce(getitem, way, content)
    if new is ...:
        del parent[last]
    else:
        parent[last] = new
    return content


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_description_that_is_cut_or_missing_is_named(store: Path, group: str) -> None:
    file = store / group / "zarr.json"
    whole = file.read_bytes()
    for size in [*range(0, len(whole) - 2, max(len(whole) // 8, 1)), None]:
        file.write_bytes(whole[:size]) if size is not None else file.unlink()
        with pytest.raises(RecordingError, match=re.escape(str(file))):
            read_all(store)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_any_change_of_a_group_description_is_named(store: Path, group: str) -> None:
    file = store / group / "zarr.json"
    content = json.loads(file.read_text())
    draw = random.Random(6)
    for place in places(content):
        other = changed(content, place, draw.choice([..., None, "x", -1, [], {}]))
        if other != content:
            file.write_text(json.dumps(other))
            with pytest.raises(RecordingError, match=re.escape(str(store))):
                read_all(store)


@pytest.mark.slow
@pytest.mark.parametrize("group", ["", "scenery"])
def test_a_sealed_description_that_does_not_fit_is_named(store: Path, group: str) -> None:
    """Counts and types are compared also where the checksum is right."""
    file = store / group / "zarr.json"
    content = json.loads(file.read_text())
    wanted = ("rows", "columns", "names", "roles", "vertex_counts", "face_counts", "contact_names")
    for place in places(content["attributes"]):
        if not set(place) & set(wanted) or place[:1] == ("checksum",):
            continue
        for new in (..., None, {}):
            attributes = changed(content["attributes"], place, new)
            attributes = layout.sealed({key: part for key, part in attributes.items() if key != "checksum"})
            file.write_text(json.dumps({**content, "attributes": attributes}))
            with pytest.raises(RecordingError, match=re.escape(str(store))):
                read_all(store)


def cut(file: Path, draw: random.Random) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: draw.randrange(len(whole))])


def flip(file: Path, draw: random.Random) -> None:
    damaged = bytearray(file.read_bytes())
    for _ in range(draw.randint(1, 8)):
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    file.write_bytes(damaged)


def replace(file: Path, draw: random.Random) -> None:
    """By a file of its kind, a description by an array's or a group's."""
    store = next(folder for folder in file.parents if folder.name == layout.STORE)
    shutil.copy(draw.choice([other for other in sorted(store.rglob(f"{file.name[0]}*.*")) if other != file]), file)


def remove(file: Path, draw: random.Random) -> None:
    file.unlink()


@pytest.mark.parametrize("group", GROUPS)
def test_a_description_of_a_group_in_the_place_of_an_arrays_is_named(store: Path, group: str) -> None:
    shutil.copy(store / group / "zarr.json", store / "theta" / "zarr.json")
    with pytest.raises(RecordingError, match=r"theta/zarr\.json is damaged: it does not have its checksum"):
        read_all(store)


@pytest.mark.slow
def test_whatever_becomes_of_files_is_named_or_changes_nothing(store: Path) -> None:
    draw = random.Random(9)
    files = sorted(path for path in store.rglob("*.*") if path.is_file())
    descriptions = [file for file in files if file.name == "zarr.json"]
    for _ in range(80):
        file = draw.choice(draw.choice([files, descriptions]))
        whole = file.read_bytes()
        draw.choice([cut, flip, replace, remove])(file, draw)
        assert is_named_or_harmless(store), file
        file.write_bytes(whole)
    read_all(store)
