"""Sizes of an MJCF model that would take all time or memory are refused at their line, before MuJoCo reads them."""

import re
from time import process_time

import pytest
from ipc_articulation.adapters.mujoco import load_model

from ipc_articulation.errors import IpcArticulationError, ModelError

BODY = "<body name='b'><joint name='j'/><geom type='box' size='1 1 1'/></body>"
GEOM = "<geom size='1'/>"


def load(folder, head="", world=""):
    path = folder / "robot.xml"
    path.write_text(f"<mujoco>\n{head}\n<worldbody>{BODY}{world}</worldbody></mujoco>")
    return load_model(path)


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (f"<replicate count='1000000000'>{GEOM}</replicate>", "<replicate> makes 2000000000 elements"),
        (3 * "<replicate count='1000'>" + GEOM + 3 * "</replicate>", "<replicate> makes 2001000 elements"),
        ("<flexcomp type='grid' count='1000 1000 1000' spacing='1 1 1' name='f'/>", "<flexcomp> makes 5000000000"),
        ("<composite type='cable' count='1000000 1 1' size='1'/>", "<composite> makes 5000000 elements"),
        ("<camera name='c' resolution='200000 200000'/>", '<camera> has resolution="200000 200000"; the most are'),
    ],
)
def test_the_world_has_a_limited_number_of_elements(tmp_path, world, said):
    with pytest.raises(ModelError, match=rf"robot\.xml:3: {re.escape(said)}"):
        load(tmp_path, world=world)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            "<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>",
            '<hfield> has nrow="100000" nc',
        ),
        ("<asset><texture builtin='flat' type='2d' width='100000' height='100000'/></asset>", '<texture> has width="1'),
        ("<asset><mesh name='m' builtin='supersphere' params='100000 1 1'/></asset>", '<mesh> has params="100000 1 1"'),
        ("<size nkey='2000000000'/>", '<size> has nkey="2000000000"; the most are 10000'),
        ("<size nuser_geom='inf'/>", '<size> has nuser_geom="inf"; the most are 10000'),
        ("<sensor><user dim='2000000000'/></sensor>", '<user> has dim="2000000000"; the most are 10000'),
        (
            "<actuator><general joint='j' actdim='2000000000'/></actuator>",
            '<general> has actdim="2000000000"; the most',
        ),
    ],
)
def test_single_sizes_are_limited(tmp_path, head, said):
    with pytest.raises(ModelError, match=rf"robot\.xml:2: {re.escape(said)}"):
        load(tmp_path, head)


def test_models_that_attach_models_that_attach_models_are_limited(tmp_path):
    """Ten times ten times ... ten models, nine files deep: MuJoCo would read 10⁹ files."""
    for depth in range(10):
        models = "".join(f"<model name='m{k}' file='m{depth + 1}.xml'/>" for k in range(10)) if depth < 9 else ""
        text = f"<mujoco><asset>{models}</asset><worldbody>{BODY}</worldbody></mujoco>"
        (tmp_path / f"m{depth}.xml").write_text(text)
    start = process_time()
    with pytest.raises(ModelError, match=r"m\d\.xml:1: <\w+> makes \d+ elements; the most are 10000"):
        load(tmp_path, "<asset><model name='m' file='m0.xml'/></asset>")
    assert process_time() - start < 5.0


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_bodies_in_bodies_are_limited(tmp_path, depth):
    with pytest.raises(IpcArticulationError, match=r"(?s)robot\.xml.*(too deep|Excessive depth)"):
        load(tmp_path, world=depth * "<body>" + GEOM + depth * "</body>")


def test_chains_as_long_as_mujoco_reads_them_are_read(tmp_path):
    assert load(tmp_path, world=400 * "<body><geom size='1'/>" + 400 * "</body>").nbody == 402
