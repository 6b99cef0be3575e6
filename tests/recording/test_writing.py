"""What is written is read back; what was not finished is there up to its last flush."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import Header, RecordingWriter, layout, read_recording, writer
from ipc_articulation.recording.column import Column
from tests.recording.made import HEADER, assert_holds, assert_shows, rows, write


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven rows or contacts a chunk, so that short recordings have several."""
    monkeypatch.setattr(layout, "chunk_rows", lambda header, rows: 7)
    monkeypatch.setattr(layout, "CONTACT_CHUNK", 7)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 40])
def test_a_closed_recording_reads_back(tmp_path: Path, count: int) -> None:
    write(tmp_path, count, expected=60).close()
    recording = read_recording(tmp_path)
    assert_holds(recording, count)
    assert (recording.name, recording.dt, recording.extra) == ("push", 0.01, {"title": "Größe"})
    assert recording.energy_terms == ("kinetic", "contact")
    assert recording.steps == max(count - 1, 0)
    assert_shows(recording.scenery)


def test_one_row_is_read_by_itself(tmp_path: Path) -> None:
    write(tmp_path, 20).close()
    recording = read_recording(tmp_path)
    (tmp_path / "recording.zarr" / "theta" / "c.0.0").write_bytes(b"damaged, but not looked at")
    np.testing.assert_array_equal(recording.row("theta", 19), rows(20)[19][0]["theta"])
    with pytest.raises(RecordingError, match=r"theta/c\.0\.0 is damaged"):
        recording.row("theta", 3)


def test_soft_bodies_have_their_own_vertices(tmp_path: Path) -> None:
    write(tmp_path, 9).close()
    recording = read_recording(tmp_path)
    assert recording.soft_names == ("sponge", "cable")
    np.testing.assert_array_equal(recording.soft_positions_of("cable"), recording.soft_positions[:, 4:])
    start, end = (recording.soft_positions[row, :4].mean(axis=0) for row in (0, 8))
    assert recording.moved("sponge") == pytest.approx(np.linalg.norm(end - start))
    with pytest.raises(
        RecordingError, match=r"'push' has no soft body 'cabel'; did you mean 'cable'\? valid: cable, spo"
    ):
        recording.soft_positions_of("cabel")


def test_rows_since_the_last_flush_are_not_seen(tmp_path: Path) -> None:
    writer = write(tmp_path, 10, expected=40)
    assert read_recording(tmp_path).rows == 0
    writer.flush()
    for values, contacts in rows(25)[10:]:
        writer.append(values, contacts)
    assert_holds(read_recording(tmp_path), 10)
    writer.flush()
    assert_holds(read_recording(tmp_path), 25)


def test_it_is_due_when_a_chunk_is_full_or_time_has_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = write(tmp_path, 6)
    assert not made.is_due
    made.append(*rows(1)[0])
    assert made.is_due
    made.flush()
    assert not made.is_due
    monkeypatch.setattr(writer, "FLUSH_INTERVAL", 0.0)
    assert made.is_due


@pytest.mark.parametrize("kept", [0, 1, 7, 13, 14, 20])
def test_a_recording_is_cut_back_and_gone_on_with(tmp_path: Path, kept: int) -> None:
    write(tmp_path, 20, expected=20).close()
    again = RecordingWriter.reopen(tmp_path, HEADER, kept, expected_rows=33)
    assert_holds(read_recording(tmp_path), kept)
    for values, contacts in rows(33)[kept:]:
        again.append(values, contacts)
    again.close()
    assert_holds(read_recording(tmp_path), 33)


def test_no_more_rows_are_gone_on_with_than_there_are(tmp_path: Path) -> None:
    write(tmp_path, 5).close()
    with pytest.raises(RecordingError, match=r"recording\.zarr has 5 rows, not 6"):
        RecordingWriter.reopen(tmp_path, HEADER, 6, expected_rows=8)


def test_few_files_hold_a_short_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    write(tmp_path, 100).close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) <= 3 + 2 * 25  # a group and a chunk an array
    assert not [path for path in files if path.name.endswith(".partial")]


@pytest.mark.parametrize(("bodies", "rows"), [(0, 100_000), (10, 3276), (10_000, 16)])
def test_chunks_of_long_runs_have_some_megabytes(monkeypatch: pytest.MonkeyPatch, bodies: int, rows: int) -> None:
    monkeypatch.undo()
    header = Header("long", 0.01, body_names=("body",) * bodies)
    assert layout.chunk_rows(header, 100_000) == rows
    assert layout.chunk_rows(header, 10) == 10  # a short run has one


def test_values_must_fit(tmp_path: Path) -> None:
    made = write(tmp_path, 0, expected=2)
    with pytest.raises(RecordingError, match=r"no recording has \['torque'\]; valid: time, theta"):
        made.append({"torque": 1.0})
    with pytest.raises(RecordingError, match=r"row 0: 'theta' has shape \(3,\), must be \(2,\)"):
        made.append({"theta": np.zeros(3)})


@pytest.mark.parametrize("written", range(0, 16, 3))
def test_a_full_disk_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int) -> None:
    """The disk is full after so many arrays of a flush, in the middle of a chunk."""
    made = write(tmp_path, 9, expected=30)
    made.flush()
    for values, contacts in rows(13)[9:]:
        made.append(values, contacts)
    flush, left = Column.flush, written

    def fill(self: Column) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(self)

    monkeypatch.setattr(Column, "flush", fill)
    with pytest.raises(RecordingError, match=r"zarr cannot be written: No space left on device; the first 9 rows"):
        made.flush()
    assert_holds(read_recording(tmp_path), 9)


_KILLED = """
import os, sys
from pathlib import Path
import numpy as np
from ipc_articulation.recording import layout
layout.chunk_rows, layout.CONTACT_CHUNK = (lambda header, rows: 7), 7
import zarr.storage._local as local
from tests.recording.made import rows, write

put, left = local._put, int(sys.argv[2])
def dying(*arguments, **options):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return put(*arguments, **options)

made = write(Path(sys.argv[1]), 9, expected=30)
made.flush()
for values, contacts in rows(25)[9:]:
    made.append(values, contacts)
local._put = dying
made.flush()
"""


@pytest.mark.slow
@pytest.mark.parametrize("written", [0, 1, 11, 18, 24])
def test_a_process_killed_while_it_writes_leaves_what_was_there(tmp_path: Path, written: int) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path), str(written)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    assert_holds(read_recording(tmp_path), 9)
    again = RecordingWriter.reopen(tmp_path, HEADER, 9, expected_rows=30)
    for values, contacts in rows(30)[9:]:
        again.append(values, contacts)
    again.close()
    assert_holds(read_recording(tmp_path), 30)


def test_a_row_keeps_its_values_when_the_array_that_it_came_from_goes_on(tmp_path: Path) -> None:
    made = write(tmp_path, 1, expected=3)
    values, contacts = rows(2)[1]
    shared = {**values, "theta": np.array(values["theta"])}
    made.append(shared, contacts)
    shared["theta"] += 1.0
    made.close()
    np.testing.assert_array_equal(read_recording(tmp_path).theta[1], values["theta"])
