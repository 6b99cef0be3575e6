"""The scene's configuration for the CPU engine.

Every key is either used, or known to have no effect on a CPU, or must have the only value that this engine supports.
Any other key or value is refused by name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import SceneError, UnsupportedError

# Choices of the CUDA engine's solver and its debugging; they do not change the equations.
_IRRELEVANT = (
    "collision_detection/",
    "contact/adaptive/kappa_eval_scale",
    "contact/al-ipc/",
    "extras/debug/",
    "line_search/report_energy",
    "linear_system/",
    "newton/use_adaptive_tol",
    "sanity_check/",
)
_ONLY: dict[str, Any] = {
    "contact/constitution": "ipc",
    "diff_sim/enable": 0,
}
_NUMERICS = ("cfl/", "extras/", "line_search/", "newton/")  # prefixes of used keys
_CHOICES: dict[str, tuple[Any, ...]] = {"integrator/type": ("bdf1", "bdf2")}


@dataclass(frozen=True)
class Config:
    """The keys that are used; SI units."""

    gravity: Array  # (3,) [m/s²]
    integrator: str
    contact_enable: bool
    friction_enable: bool
    cfl: bool
    d_hat: float  # [m]
    init_resistance: float  # [Pa], for contact with adaptive resistance if nothing touches
    min_resistance: float  # [Pa]
    max_resistance: float  # [Pa]
    eps_velocity: float  # [m/s]
    velocity_tol: float  # [m/s]
    transrate_tol: float  # [1/s]
    ccd_tol: float
    max_iter: int
    min_iter: int
    semi_implicit: bool
    semi_implicit_start: int  # K_min
    semi_implicit_tol: float  # beta_tol
    line_search_max_iter: int
    strict: bool


_READERS: dict[str, str] = {
    "gravity": "gravity",
    "integrator": "integrator/type",
    "contact_enable": "contact/enable",
    "friction_enable": "contact/friction/enable",
    "cfl": "cfl/enable",
    "d_hat": "contact/d_hat",
    "init_resistance": "contact/adaptive/init_kappa",
    "min_resistance": "contact/adaptive/min_kappa",
    "max_resistance": "contact/adaptive/max_kappa",
    "eps_velocity": "contact/eps_velocity",
    "velocity_tol": "newton/velocity_tol",
    "transrate_tol": "newton/transrate_tol",
    "ccd_tol": "newton/ccd_tol",
    "max_iter": "newton/max_iter",
    "min_iter": "newton/min_iter",
    "semi_implicit": "newton/semi_implicit/enable",
    "semi_implicit_start": "newton/semi_implicit/K_min",
    "semi_implicit_tol": "newton/semi_implicit/beta_tol",
    "line_search_max_iter": "line_search/max_iter",
    "strict": "extras/strict_mode/enable",
}
# Positive values replace the absolute one by this fraction of the diagonal of the initial scene's bounding box.
_RELATIVE = {
    "d_hat": "contact/d_hat_relative",
    "eps_velocity": "contact/eps_velocity_relative",
    "velocity_tol": "newton/velocity_tol_relative",
}

ONCE = (*_READERS.values(), *_RELATIVE.values())  # keys that are read when the scene is, not in each step


def read_config(attributes: Any, scene_diagonal: float) -> Config:
    """Read and check a scene's configuration.

    Args:
        attributes: `Scene.config()`.
        scene_diagonal: Diagonal of the bounding box of the initial scene [m]; tolerances are relative to it.

    Raises:
        UnsupportedError: A key or value would change the physics, but is not supported.
    """
    values = _flat_values(attributes)
    _refuse_unknown(values)
    honoured = {field: values[key] for field, key in _READERS.items()}
    for field, key in _RELATIVE.items():
        if values.get(key, 0.0) > 0.0:
            honoured[field] = values[key] * scene_diagonal
    types = {"bool": bool, "int": int, "float": float, "str": str}
    return Config(**{f: _convert(types.get(str(Config.__annotations__[f])), v) for f, v in honoured.items()})


def physics_of(config: Config) -> dict[str, Any]:
    """The values that influence the motion, by their keys, in plain types; tolerances of the solver are left out."""
    values = {key: getattr(config, field) for field, key in _READERS.items() if not key.startswith(_NUMERICS)}
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in values.items()}


def read_dt(attributes: Any) -> float:
    """The time step now; it may change between steps [s].

    Args:
        attributes: `Scene.config()`. (`SceneVisitor.config()` copies the whole configuration, which takes 8 µs.)

    Raises:
        SceneError: The time step is not positive, or not finite.
    """
    dt = float(attributes.find("dt").view()[0])
    if not 0.0 < dt < np.inf:
        raise SceneError(f"scene config 'dt' is {dt:g} s; a time step must be positive and finite")
    return dt


def _convert(kind: type | None, value: Any) -> Any:
    return np.array(value, dtype=float).reshape(3) if kind is None else kind(value)


def _flat_values(attributes: Any) -> dict[str, Any]:
    """{key: value} of a configuration; in libuipc only its JSON form lists all keys."""
    listing = attributes.to_json()
    listing = json.loads(listing) if isinstance(listing, str) else listing
    values = {key: attributes.find(key).view()[0] for key in listing}
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in values.items()}


def _refuse_unknown(values: dict[str, Any]) -> None:
    known = {*_READERS.values(), *_RELATIVE.values(), *_ONLY, "dt"}
    for key, value in values.items():
        if key in _ONLY and value != _ONLY[key]:
            raise UnsupportedError(
                f"scene config '{key}' is {value!r}; the CPU engine supports only {_ONLY[key]!r}; use Engine('cuda')"
            )
        if key in _CHOICES and value not in _CHOICES[key]:
            raise UnsupportedError(
                f"scene config '{key}' is {value!r}; the CPU engine knows {', '.join(map(repr, _CHOICES[key]))}"
            )
        if key not in known and not key.startswith(_IRRELEVANT):
            raise UnsupportedError(
                f"scene config has an unknown key '{key}', which might change the physics; known keys: "
                + ", ".join(sorted(known))
            )
