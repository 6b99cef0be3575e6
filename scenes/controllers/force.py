"""A controller that a scene file names: called at the beginning of each step, it says what the joints are to do."""


def press(state):
    """Lower the ram at a steady speed until it touches, then press with the force that the scene file asks for."""
    wanted = state.parameters["force"]
    touching = state.contact_force[state.joints.index("slide")]  # of the last step, upwards [N]
    if touching > 0.0:
        error = wanted - touching
        force = -wanted - state.parameters["gain"] * error
    else:
        force = -state.parameters["hold"] * (state.theta_dot[0] + state.parameters["speed"])
    return {"torques": {"slide": force + state.parameters["weight"]}}
