"""What the code host reads: workflows call targets of the Makefile, issue forms and the citation have their keys."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
HOST = ROOT / ".github"
WORKFLOWS = sorted((HOST / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (HOST / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
KINDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}  # of elements of an issue form


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def jobs_of(path: Path) -> dict[str, Any]:
    return read(path)["jobs"]


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in jobs_of(path).values() for step in job["steps"]]


def test_there_are_workflows_and_forms() -> None:
    assert {path.stem for path in WORKFLOWS} == {"ci", "docs", "wheels"}
    assert {path.stem for path in FORMS} == {"bug", "question"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_what_it_must_have(path: Path) -> None:
    workflow = read(path)
    assert workflow["name"] == path.stem
    assert workflow[True]  # what YAML 1.1 makes of the key `on`
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"] > 0
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_their_major_version(path: Path) -> None:
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert used
    assert [name for name in used if not re.fullmatch(r"actions/[a-z-]+@v\d+", name)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_targets_of_the_makefile_only(path: Path) -> None:
    commands = [step["run"] for step in steps_of(path) if "run" in step]
    called = [re.fullmatch(r"make ([a-z-]+)( [A-Z]+=\w+)*", command) for command in commands]
    assert called
    assert None not in called, commands
    assert {match[1] for match in called if match} - TARGETS == set()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_expressions_name_keys_of_the_matrix(path: Path) -> None:
    for job in jobs_of(path).values():
        keys = set(job.get("strategy", {}).get("matrix", {}))
        assert set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))) == keys


def test_the_versions_of_python_are_supported_ones() -> None:
    classes = {str(job.get("strategy", {}).get("matrix", {}).get("python")) for job in jobs_of(WORKFLOWS[0]).values()}
    assert "['3.11', '3.13']" in classes
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert requires.startswith(">=3.11,")


def test_portable_tests_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    names = " ".join(re.findall(r"^(?:PORTABLE|WITH_LIBUIPC) := (.*)$", makefile, re.MULTILINE)).split()
    assert len(names) > 10
    assert [name for name in names if not (ROOT / "tests" / name).exists()] == []


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_has_what_it_must_have(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= form.keys() <= {"name", "description", "labels", "body"}
    assert {element["type"] for element in form["body"]} <= KINDS
    asked = [element for element in form["body"] if element["type"] != "markdown"]
    assert len({element["id"] for element in asked}) == len(asked) > 1
    assert all(element["attributes"]["label"] for element in asked)
    assert any("ipc-articulation doctor" in element["attributes"]["label"] for element in asked)


def test_the_citation_is_one_of_this_version() -> None:
    citation = read(ROOT / "CITATION.cff")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["license"] == project["license"]
    assert citation["version"] == project["version"]
    assert citation["authors"] == [{"name": "The ipc_articulation developers"}]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{citation['version']}] - {citation['date-released']}\n" in changelog


def test_how_to_report_is_said() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "Report a vulnerability" in text
    assert (HOST / "pull_request_template.md").is_file()
