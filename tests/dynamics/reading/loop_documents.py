"""Texts of URDF files with loops."""

from ipc_articulation.dynamics.reading.loops import read_robot


def link(name, mass=1.0, inertia=0.02):
    """A body that is lopsided, by numbers that its name gives."""
    a = sum(map(ord, name)) % 7 / 20.0
    moments = f'ixx="{inertia + a / 50}" ixy="0.001" ixz="0" iyy="{inertia}" iyz="-0.002" izz="{inertia + a / 90}"'
    where = f'<origin xyz="{0.1 + a} {0.03 - a} 0.02" rpy="0.1 {a} 0.3"/>'
    return f'<link name="{name}"><inertial><mass value="{mass + a}"/>{where}<inertia {moments}/></inertial></link>'


def hinge(name, parent, child, xyz="0 0 0", axis="0 0 1", more="", inside="", rpy="0 0 0", kind="continuous"):
    """A joint and the link that it carries."""
    return (
        f'{link(child)}<joint name="{name}" type="{kind}" {more}><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{inside}</joint>'
    )


def loop(first, at, second, there, name="closing", kind="revolute"):
    """`<loop>`: a point of a link, and one of another one."""
    ends = (
        f'<predecessor link="{first}"><origin xyz="{at}"/></predecessor>'
        f'<successor link="{second}"><origin xyz="{there}"/></successor>'
    )
    return f'<loop name="{name}" type="{kind}">{ends}<axis xyz="0 0 1"/></loop>'


def coupling(first, second, ratio, name="gear"):
    ends = f'<predecessor link="{first}"/><successor link="{second}"/>'
    return f'<coupling name="{name}" type="rolling">{ends}<ratio value="{ratio}"/></coupling>'


def robot(*parts, base="base"):
    """Line 2 is the base, each part has a line of its own from line 3 on."""
    return "\n".join(['<robot name="r">', f'<link name="{base}"/>', *parts, "</robot>"])


FOUR_BAR = (
    hinge("driver", "base", "bar1", more='independent="true"'),
    hinge("output", "bar1", "bar2", "0.4 0 0", more='independent="false"'),
    hinge("support", "base", "bar3", "0.07 0.24 0", more='independent="false"'),
    loop("bar2", "0.25 0 0", "bar3", "0.41 0 0"),
)


def read(*parts, base="base", **options):
    return read_robot(robot(*parts, base=base), **options)
