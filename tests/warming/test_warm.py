"""Compiling ahead: what is refused, what is told, and that nothing is left to compile afterwards."""

import pytest

from ipc_articulation import cli
from ipc_articulation.errors import EngineError
from ipc_articulation.warming import Compiled, jobs, warm


def test_an_unknown_kind_is_named_with_those_that_there_are():
    with pytest.raises(EngineError, match=r"^kind 'rigid' of scenes is unknown; kinds: affine, soft, dynamics$"):
        warm(["affine", "rigid"])


def test_the_command_refuses_it_as_wrong_use(capsys):
    assert cli.main(["warm", "rigid"]) == 2
    assert "kind 'rigid' of scenes is unknown" in capsys.readouterr().err


def test_a_job_that_fails_is_named_with_its_last_words(monkeypatch):
    monkeypatch.setitem(jobs.JOBS, "soft", ({"no such job": lambda: None},))
    with pytest.raises(EngineError, match=r"^compiling for 'soft' failed in 'no such job': KeyError: 'no such job'$"):
        warm(["soft"], quiet=True)


@pytest.mark.slow
def test_a_job_leaves_nothing_to_compile():
    warm_up, again = jobs.work("joints"), jobs.work("joints")
    assert warm_up >= again == 0


def test_the_command_says_what_it_did(monkeypatch, capsys):
    done = [Compiled("affine", "joints", 7, 2.04)]
    monkeypatch.setattr("ipc_articulation.warming.warm", lambda kinds, quiet: done)
    assert cli.main(["warm", "affine"]) == 0
    out = capsys.readouterr().out
    assert "affine    joints        7 functions compiled in 2.0 s" in out
    assert cli.main(["warm", "affine", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
