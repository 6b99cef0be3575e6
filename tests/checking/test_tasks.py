"""`check` finds names in the sections of a task that the scene does not have, all at once."""

from pathlib import Path

from ipc_articulation.checking import check_file

SCENES = Path(__file__).parents[2] / "scenes"


def test_all_unknown_names_of_a_task_are_reported() -> None:
    settings = {
        "marks[1].on": "pug",
        "observe[0].of": "tap",
        "observe[4].joints": "w",
        "act[0].joints": ["x", "q"],
        "reward[0].between": ["tip", "botom"],
        "episode.success.between": ["tip", "hole"],
    }
    report = check_file(SCENES / "peg_in_hole.yaml", settings)
    messages = "\n".join(fault.message for fault in report.errors)
    for text in (
        "there is no link or body 'pug'",
        "there is no link, body or mark 'tap'; did you mean 'tip'?",
        "'w' matches no joint",
        "unknown joint with an actuator 'q'",
        "there is no link, body or mark 'botom'; did you mean 'bottom'?",
        "there is no link, body or mark 'hole'",
    ):
        assert text in messages
    assert len(report.errors) == 6
