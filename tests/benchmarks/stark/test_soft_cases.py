"""The deformable scenes of `benchmarks.stark`: both get the same bodies, and barriers that push alike."""

import numpy as np
import pytest

from benchmarks.stark.cases import D_HAT
from benchmarks.stark.running import run_ours
from benchmarks.stark.soft_cases import CENTRE, RADIUS, block, cloth, rods, soft_cases, stiffness

QUICK = {case.name: case for case in soft_cases(quick=True)}


def lines(case, keyword):
    """The numbers of each line with a keyword."""
    found = [line.split() for line in case.text.splitlines()]
    return [np.array([float(number) for number in words[1:]]) for words in found if words[0] == keyword]


def mass(body):
    """As libuipc has computed it [kg]."""
    mesh = body.geometry()
    return mesh.meta().find("mass_density").view()[0] * mesh.vertices().find("volume").view().sum()


def test_bodies_are_as_large_and_heavy_as_they_say():
    assert (len(block(10).elements), len(cloth(50).elements), len(rods(10))) == (5000, 5000, 10)
    assert mass(block(4)) == pytest.approx(8.0)
    assert mass(cloth(4)) == pytest.approx(0.2)
    assert mass(rods(1)[0]) == pytest.approx(1000.0 * np.pi * 0.005**2 * 0.5)


def test_tetrahedra_fill_the_block():
    x, elements = block(3).x, block(3).elements
    volumes = np.linalg.det(x[elements[:, 1:]] - x[elements[:, :1]]) / 6.0
    assert volumes.min() > 0.0
    assert volumes.sum() == pytest.approx(0.2**3)
    faces = np.sort(elements[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3), axis=1)
    _, shared = np.unique(faces, axis=0, return_counts=True)
    assert shared.max() == 2
    assert (shared == 1).sum() == 6 * 9 * 2  # of the surface


@pytest.mark.parametrize(("name", "keyword", "width"), [("cloth/8x8", "shell", 3), ("block/135", "solid", 4)])
def test_the_text_has_the_mesh_of_the_scene(name, keyword, width):
    (numbers,) = lines(QUICK[name], keyword)
    scene = QUICK[name].make()
    (found,) = scene.objects().find("soft 0")
    mesh = scene.geometries().find(found.geometries().ids()[0])[0].geometry()
    V, E = numbers[:2].astype(int)
    np.testing.assert_array_equal(numbers[2 : 2 + 3 * V].reshape(-1, 3), mesh.positions().view()[:, :, 0])
    elements = (mesh.triangles() if width == 3 else mesh.tetrahedra()).topo().view().reshape(-1, width)
    np.testing.assert_array_equal(numbers[2 + 3 * V : -5].reshape(E, width), elements)


@pytest.mark.parametrize("thickness", [0.0, 1e-2])
def test_both_barriers_push_alike_at_nine_tenths(thickness):
    def ours(gap):
        D, D_hat = gap * (gap + 2 * thickness), D_HAT * (D_HAT + 2 * thickness)
        return -1e8 * (D - D_hat) ** 2 * np.log(D / D_hat)

    def starks(gap):
        return stiffness(1e8, thickness) * (D_HAT - gap) ** 3 / 3

    before, after = 0.9 * D_HAT - 1e-7, 0.9 * D_HAT + 1e-7
    assert starks(before) - starks(after) == pytest.approx(ours(before) - ours(after), rel=1e-5)


def test_a_run_ends_with_the_vertices_of_the_cloth_on_the_sphere():
    run = run_ours(QUICK["cloth/8x8"], 1)
    assert run.at_end.shape == (81, 3)
    distances = np.linalg.norm(run.at_end - [0, 0, CENTRE], axis=1)
    assert RADIUS < distances.min() < RADIUS + 1e-2
    assert run.height < CENTRE + RADIUS < run.at_end[:, 2].max() + 5e-3
