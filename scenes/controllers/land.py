"""A controller of a drone: thrust and torques on its floating base bring it down upright onto a slope."""


def land(state):
    """Sink at a steady speed, upright and above one place, until the skids touch; then stop the rotors."""
    p = state.parameters
    place = {name.partition("/")[2]: k for k, name in enumerate(state.joints)}  # x, y, z, rx, ry, rz
    position, velocity, force = state.theta, state.theta_dot, state.contact_force
    if force[place["z"]] > 0.3 * p["weight"]:  # of the last step [N]
        return {"torques": {}}
    lift = p["weight"] - p["damping"] * (velocity[place["z"]] + p["speed"])
    wrench = {"base/z": lift}
    for axis in "xy":
        wrench[f"base/{axis}"] = -p["hold"] * position[place[axis]] - p["damping"] * velocity[place[axis]]
    for axis in "xyz":
        turn = place[f"r{axis}"]
        wrench[f"base/r{axis}"] = -p["upright"] * (position[turn] + 0.2 * velocity[turn])
    return {"torques": wrench}
