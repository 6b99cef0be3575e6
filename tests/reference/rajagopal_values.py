"""Writes reference values of nimblephysics for Rajagopal's model.

Runs in the environment that `nimble_values.py` describes; the model is the OpenSim file that comes with nimblephysics.

    ../nimble-env/bin/python tests/reference/rajagopal_values.py tests/reference/rajagopal_values.json

Notation: q positions, u = dq/dt, a = du/dt, each one number for each of `dofs`, which have the names of OpenSim's
coordinates; M mass matrix, c(q, u) Coriolis, centrifugal and gravity forces, tau control forces. For each state

    M a = tau - c     1/2 u^T M u = kinetic energy

are checked here with plain numpy, to a relative error of 1e-10; the script raises where one does not hold. The model
has neither springs nor dampers. nimble leaves out the patellae, muscles, wrap objects and actuators.

Gravity is set to the file's: a skeleton that nimble loads otherwise has it along z. Beyond the knots of its splines,
where five states are, nimble goes on with the end cubics.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nimblephysics as nimble
import numpy as np
from nimble_values import expect, layout

GRAVITY = np.array([0.0, -9.80665, 0.0])  # world frame, y is up [m/s^2]
STATES = 50
SEED = 7
LOCKED = 0.3  # range of random positions for dofs whose limits are equal [rad]

CONVENTIONS = {
    "units": "SI, radians; the world's y is up",
    "dofs": "OpenSim's coordinates; u = dq/dt for all of them, the pelvis' among them",
    "mass_matrix": "upper triangle, row by row",
}


def model_file() -> Path:
    return Path(nimble.__file__).parent / "models" / "rajagopal_data" / "Rajagopal2015.osim"


def reference_state(names: list[str]) -> dict[str, np.ndarray]:
    """Standing with bent knees and one bent elbow, all rates 0.1."""
    bent = {"pelvis_ty": 0.94, "knee_angle_r": 0.5, "knee_angle_l": 0.5, "elbow_flex_r": 1.0}
    q = np.array([bent.get(name, 0.0) for name in names])
    return {"q": q, "u": np.full(q.size, 0.1), "tau": np.zeros(q.size)}


def random_state(skeleton: Any, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Uniform between the limits, at most 1.5 from zero."""
    lower, upper = skeleton.getPositionLowerLimits(), skeleton.getPositionUpperLimits()
    lower, upper = np.maximum(lower, -1.5), np.minimum(upper, 1.5)
    locked = lower == upper
    lower, upper = np.where(locked, -LOCKED, lower), np.where(locked, LOCKED, upper)
    q = rng.uniform(lower, upper)
    return {"q": q, "u": rng.uniform(-2.0, 2.0, q.size), "tau": rng.uniform(-20.0, 20.0, q.size)}


def dof_names(skeleton: Any) -> list[str]:
    return [dof.getName() for dof in skeleton.getDofs()]


def values_at(skeleton: Any, state: dict[str, np.ndarray]) -> dict[str, Any]:
    """What nimble says of a state, checked."""
    skeleton.setPositions(state["q"])
    skeleton.setVelocities(state["u"])
    M, c = skeleton.getMassMatrix(), skeleton.getCoriolisAndGravityForces()
    skeleton.setControlForces(state["tau"])
    skeleton.computeForwardDynamics()
    a, energy = skeleton.getAccelerations(), skeleton.computeKineticEnergy()
    expect("M a = tau - c", a, np.linalg.solve(M, state["tau"] - c))
    expect("1/2 u^T M u", np.array([energy]), np.array([0.5 * state["u"] @ M @ state["u"]]))
    return {
        **{key: value.tolist() for key, value in state.items()},
        "mass_matrix": M[np.triu_indices(len(M))].tolist(),
        "coriolis_and_gravity": c.tolist(),
        "kinetic_energy": energy,
        "centre_of_mass": skeleton.getCOM().tolist(),
        "acceleration": a.tolist(),
    }


def document() -> dict[str, Any]:
    skeleton = nimble.biomechanics.OpenSimParser.parseOsim(str(model_file())).skeleton
    skeleton.setGravity(GRAVITY)
    rng = np.random.default_rng(SEED)
    names = dof_names(skeleton)
    return {
        "made_by": {name: version(name) for name in ("nimblephysics", "numpy")},
        "conventions": CONVENTIONS,
        "gravity": GRAVITY.tolist(),
        "mass": skeleton.getMass(),
        "dofs": names,
        "bodies": [skeleton.getBodyNode(i).getName() for i in range(skeleton.getNumBodyNodes())],
        "reference": values_at(skeleton, reference_state(names)),
        "states": [values_at(skeleton, random_state(skeleton, rng)) for _ in range(STATES)],
    }


def main() -> None:
    if int(version("numpy").split(".")[0]) >= 2:
        raise SystemExit("nimblephysics crashes with numpy >= 2: make the environment that nimble_values.py describes")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the JSON file to write")
    out = parser.parse_args().out
    values = document()
    out.write_text(layout(values) + "\n")
    print(f"{out}: {json.dumps(values['dofs'])}")


if __name__ == "__main__":
    main()
