"""Published values of soft materials, and the values that a soft body has: its own, its material's, published ones.

Elastomers have Poisson's ratios of 0.499 and more; here they have 0.49, because linear elements of a material that
cannot be compressed are far too stiff.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ipc_articulation.scenefile import schema

DENSITY = 1000.0  # of a soft body without one [kg/m³]


@dataclass(frozen=True)
class Published:
    """A material of the literature."""

    youngs_modulus: float  # [Pa]
    poissons_ratio: float
    density: float  # [kg/m³]
    source: str
    thickness: float | None = None  # of fabrics [m]


_SMOOTH_ON = "Smooth-On, technical bulletin of the {} series: modulus at 100 % strain"
_ASHBY = "Ashby, Materials Selection in Mechanical Design, appendix A: {}"
_PENAVA = "Penava, Simic Penava, Knezic 2014, Fibres & Textiles in Eastern Europe 22(3): {}, plain weave"

PUBLISHED: Mapping[str, Published] = {
    "soft_silicone": Published(6.9e4, 0.49, 1070.0, _SMOOTH_ON.format("Ecoflex") + ", 00-30"),
    "silicone": Published(5.93e5, 0.49, 1080.0, _SMOOTH_ON.format("Dragon Skin") + ", 30"),
    "pdms": Published(1.32e6, 0.49, 1030.0, "Johnston et al. 2014, J. Micromech. Microeng. 24: Sylgard 184, 25 °C"),
    "rubber": Published(2.0e6, 0.49, 925.0, _ASHBY.format("natural rubber, 1.5 to 2.5 MPa")),
    "foam": Published(5.0e5, 0.28, 25.0, _ASHBY.format("flexible polymer foam, very low density, 0.25 to 1 MPa")),
    "nylon": Published(2.9e9, 0.35, 1130.0, _ASHBY.format("polyamides, 2.62 to 3.2 GPa")),
    "cotton": Published(8.21e5, 0.243, 473.0, _PENAVA.format("cotton"), 3.18e-4),
    "wool": Published(1.70e5, 0.277, 413.0, _PENAVA.format("wool"), 5.68e-4),
    "polyester": Published(4.78e5, 0.381, 653.0, _PENAVA.format("polyester"), 2.52e-4),
}

SoftBody = schema.SoftEntry | schema.ClothEntry | schema.RodEntry


@dataclass(frozen=True)
class Elastic:
    """Values of a soft body; None where neither it nor its material has one."""

    youngs_modulus: float | None  # [Pa]
    poissons_ratio: float | None
    density: float  # [kg/m³]
    thickness: float | None  # [m]


def elastic_values(body: SoftBody, materials: Mapping[str, schema.MaterialEntry]) -> Elastic:
    """The values of a soft body: its own, else those of its material in the file, else published ones of this name."""
    name = body.material or ""
    sources = (body, materials.get(name), PUBLISHED.get(name))

    def first(key: str) -> float | None:
        return next((value for source in sources if (value := getattr(source, key, None)) is not None), None)

    density = first("density")
    return Elastic(
        first("youngs_modulus"),
        first("poissons_ratio"),
        DENSITY if density is None else density,
        first("thickness"),
    )


def missing_values(body: SoftBody, materials: Mapping[str, schema.MaterialEntry]) -> list[str]:
    """Keys of values that the body needs and has not."""
    values = elastic_values(body, materials)
    needed = ["youngs_modulus"]
    if isinstance(body, schema.ClothEntry) or (isinstance(body, schema.SoftEntry) and body.model != "arap"):
        needed.append("poissons_ratio")
    if isinstance(body, schema.ClothEntry):
        needed.append("thickness")
    return [key for key in needed if getattr(values, key) is None]
