"""Small OpenSim files, as text."""

INERTIA_3 = "".join(
    f"<inertia_{key}>{value}</inertia_{key}>"
    for key, value in zip(("xx", "yy", "zz", "xy", "xz", "yz"), (2, 3, 4, 0.1, 0.2, 0.3), strict=True)
)
INERTIA_4 = "<inertia>2 3 4 0.1 0.2 0.3</inertia>"
IDENTITY = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
PARABOLA = "<PolynomialFunction><coefficients>0.5 0.2 0</coefficients></PolynomialFunction>"


def document(model, version=30000):
    """A file; what is in <Model> begins on line 2."""
    return f'<OpenSimDocument Version="{version}"><Model name="m">\n{model}\n</Model></OpenSimDocument>'


def coordinate(name, inside=""):
    return f'<Coordinate name="{name}">{inside}</Coordinate>'


def axis(name, direction, function, coordinates=""):
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinates}</coordinates><axis>{direction}</axis>'
        f"<function>{function}</function></TransformAxis>"
    )


def custom(name, coordinates, *axes, **where):
    inside = f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"
    return joint("CustomJoint", name, [coordinate(c) for c in coordinates], inside, **where)


def joint(kind, name, coordinates=(), inside="", parent="ground", at="1 2 3", turned="0.1 0.2 0.3", child_at="0 0 1"):
    """A joint of version 3."""
    return (
        f'<{kind} name="{name}"><parent_body>{parent}</parent_body><location_in_parent>{at}</location_in_parent>'
        f"<orientation_in_parent>{turned}</orientation_in_parent><location>{child_at}</location>"
        f"<CoordinateSet><objects>{''.join(coordinates)}</objects></CoordinateSet>{inside}</{kind}>"
    )


def body(name, joint, mass=2.0):
    """A body of version 3."""
    return (
        f'<Body name="{name}"><mass>{mass}</mass><mass_center>0.1 0.2 0.3</mass_center>{INERTIA_3}'
        f"<Joint>{joint}</Joint></Body>"
    )


def bodies(*given):
    """The set of bodies of version 3, with the ground."""
    ground = '<Body name="ground"><mass>0</mass><Joint/></Body>'
    return f"<BodySet><objects>{ground}{''.join(given)}</objects></BodySet>"


def coupler(dependent, independent, function=IDENTITY, more=""):
    return (
        f'<CoordinateCouplerConstraint name="c_{dependent}"><coupled_coordinates_function>{function}'
        f"</coupled_coordinates_function><independent_coordinate_names>{independent}</independent_coordinate_names>"
        f"<dependent_coordinate_name>{dependent}</dependent_coordinate_name>{more}</CoordinateCouplerConstraint>"
    )


def constraints(*given):
    return f"<ConstraintSet><objects>{''.join(given)}</objects></ConstraintSet>"


def offset(name, body, translation="0 0 0", orientation="0 0 0"):
    """A frame of version 4."""
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{body}</socket_parent>'
        f"<translation>{translation}</translation><orientation>{orientation}</orientation></PhysicalOffsetFrame>"
    )


def joint_4(kind, name, parent, child, coordinates=(), frames=(), inside=""):
    """A joint of version 4."""
    return (
        f'<{kind} name="{name}"><socket_parent_frame>{parent}</socket_parent_frame>'
        f"<socket_child_frame>{child}</socket_child_frame><coordinates>{''.join(coordinates)}</coordinates>"
        f"<frames>{''.join(frames)}</frames>{inside}</{kind}>"
    )


def document_4(names, *joints, more="", components=""):
    """A file of version 4 with bodies of these names, of which the first has the components."""
    parts = [components, *[""] * len(names)]
    listed = "".join(
        f'<Body name="{name}"><components>{part}</components><mass>2</mass>'
        f"<mass_center>0.1 0.2 0.3</mass_center>{INERTIA_4}</Body>"
        for name, part in zip(names, parts, strict=False)
    )
    sets = f"<BodySet><objects>{listed}</objects></BodySet><JointSet><objects>{''.join(joints)}</objects></JointSet>"
    return document(f"{sets}{more}", 40000)
