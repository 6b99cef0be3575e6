"""Ways to break a good scene file, each a fault by what the language says, whatever the implementation does.

A mutation gets the scene as plain data, or as the text of a YAML file, and a random generator; it gives the broken
scene, and words that must stand in one of the errors; None where the scene has nothing to break in this way.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import yaml

Data = dict[str, Any]
Path = tuple[Any, ...]
Broken = tuple[Any, str] | None

# Mappings whose keys are names, or anything: an unknown key there is no fault of its own.
FREE = ("initial", "initial_velocity", "parameters", "config", "materials", "variables", "damping", "armature")
POSITIVE = ("dt", "steps", "d_hat", "resistance", "mass", "density", "radius", "frequency", "stiffness", "length")
VECTORS = (
    "size", "position", "quaternion", "rpy", "gravity", "eye", "target", "anchor", "axis", "on_first", "on_second",
    "lengths", "offset", "normal", "point", "radii", "linear", "angular", "uniform", "between",
)  # fmt: skip
REQUIRED = {  # by the last keys of the path, indices left out
    "": ("adapter", "dt", "steps"),
    "bodies": ("name", "shape"),
    "walls": ("name", "point", "normal"),
    "robot": ("model",),
    "actuators": ("joints", "kp"),
    "controller": ("type",),
    "waypoints": ("time", "joints"),
    "joints": ("name", "type", "parent", "child", "anchor", "axis"),
    "articulations": ("joints", "mass", "velocity"),
    "pins": ("name", "first", "second", "on_first", "on_second"),
    "loops": ("type", "joints", "lengths", "offset", "driver"),
    "randomise": ("path",),
    "pairs": ("between",),
}


def walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value with its path, from the top down."""
    yield path, value
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from walk(child, (*path, key))


def strict(path: Path) -> bool:
    """Whether the mapping at a path knows its keys."""
    names = [part for part in path if isinstance(part, str)]
    return not (set(names) & set(FREE)) and not ("waypoints" in names and names[-1] == "joints")


def at(data: Data, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


def changed(data: Data, path: Path, value: Any) -> Data:
    data = copy.deepcopy(data)
    at(data, path[:-1])[path[-1]] = value
    return data


def without(data: Data, path: Path) -> Data:
    data = copy.deepcopy(data)
    del at(data, path[:-1])[path[-1]]
    return data


def one(random: Random, candidates: list[Any]) -> Any:
    return random.choice(candidates) if candidates else None


def key_of(path: Path) -> str:
    """The last key of a path."""
    return next((part for part in reversed(path) if isinstance(part, str)), "")


# Faults that the data show


def unknown_key(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, v in walk(data) if isinstance(v, dict) and strict(p)])
    return changed(data, (*path, "zzz"), random.choice([1, "text", [1, 2], None])), "unknown key 'zzz'"


def misspelt_key(data: Data, random: Random) -> Broken:
    path = one(
        random, [p for p, _ in walk(data) if p and isinstance(p[-1], str) and strict(p[:-1]) and p[-1] != "type"]
    )
    broken = f"{path[-1]}q"
    made = without(data, path)
    at(made, path[:-1])[broken] = at(data, path)
    return made, f"unknown key '{broken}'"


def wrong_type_of_number(data: Data, random: Random) -> Broken:
    numbers = [p for p, v in walk(data) if isinstance(v, int | float) and not isinstance(v, bool) and strict(p)]
    return changed(data, one(random, numbers), random.choice(["fast", [1.0], {"a": 1}, True])), "should be a"


def wrong_type_of_list(data: Data, random: Random) -> Broken:
    lists = [p for p, v in walk(data) if isinstance(v, list) and strict(p) and p[-1] != "joints"]
    path = one(random, lists)
    return changed(data, path, random.choice([3, "text", {"a": 1}])), "should be a list"


def wrong_type_of_mapping(data: Data, random: Random) -> Broken:
    blocks = [p for p, v in walk(data) if p and isinstance(v, dict) and strict(p) and key_of(p) != "joints"]
    return changed(data, one(random, blocks), random.choice([3, "text", [1]])), ""


def wrong_type_of_text(data: Data, random: Random) -> Broken:
    texts = [
        p for p, v in walk(data) if isinstance(v, str) and p[-1] in ("name", "title", "parent", "material", "driver")
    ]
    path = one(random, texts)
    return path and (changed(data, path, random.choice([3, True, {"a": 1}])), "should be a text")


def wrong_truth(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, v in walk(data) if isinstance(v, bool) and strict(p)])
    return path and (changed(data, path, random.choice(["maybe", "yes", 1])), "should be true or false")


def out_of_range(data: Data, random: Random) -> Broken:
    numbers = [p for p, v in walk(data) if isinstance(v, int | float) and p[-1] in POSITIVE and strict(p)]
    return changed(data, one(random, numbers), random.choice([0, -1])), "should be greater than 0"


def negative(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, _ in walk(data) if p and p[-1] in ("kp", "kv", "friction", "time", "seed")])
    return path and (changed(data, path, -1), "should be greater than or equal to 0")


def not_finite(data: Data, random: Random) -> Broken:
    numbers = [p for p, v in walk(data) if isinstance(v, int | float) and not isinstance(v, bool)]
    value = random.choice([float("nan"), float("inf"), float("-inf")])
    return changed(data, one(random, numbers), value), "a number must be finite"


def wrong_length(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, v in walk(data) if isinstance(v, list) and p[-1] in VECTORS])
    if path is None:
        return None
    vector = at(data, path)
    if random.random() < 0.5:
        return changed(data, path, vector[:-1]), "ends too early"
    return changed(data, path, [*vector, vector[0]]), f"should have at most {len(vector)} items"


def bad_choice(data: Data, random: Random) -> Broken:
    keys = ("type", "adapter", "integrator", "interpolation", "collision")
    path = one(random, [p for p, v in walk(data) if p and p[-1] in keys and isinstance(v, str) and strict(p)])
    return changed(data, path, "nosuch"), "nosuch"


def missing_key(data: Data, random: Random) -> Broken:
    owners = [(p, key_of(p)) for p, v in walk(data) if isinstance(v, dict) and strict(p)]
    paths = [(*p, key) for p, owner in owners for key in REQUIRED.get(owner, ()) if key in at(data, p)]
    path = one(random, paths)
    return without(data, path), f"missing key '{path[-1]}'"


def missing_size(data: Data, random: Random) -> Broken:
    path = one(random, [(*p, k) for p, v in walk(data) if key_of(p) == "shape" for k in v if isinstance(v, dict)])
    return path and (without(data, path), f"missing key '{path[-1]}'")


def nothing(data: Data, random: Random) -> Broken:
    keys = ("dt", "steps", "name", "shape", "model", "kp", "size", "contact", "type")
    path = one(random, [p for p, _ in walk(data) if p and p[-1] in keys and strict(p)])
    return changed(data, path, None), ""


def other_kind(data: Data, random: Random) -> Broken:
    """A key of scenes of the other kind."""
    if data["adapter"] == "none":
        return {**data, "integrator": "Euler"}, "unknown key 'integrator'"
    return {**data, random.choice(["joints", "articulations"]): []}, "unknown key"


def same_name(data: Data, random: Random) -> Broken:
    lists = [(key, data.get(key, [])) for key in ("bodies", "joints") if len(data.get(key, [])) > 1]
    if not lists:
        return None
    key, entries = random.choice(lists)
    first, second = random.sample(range(len(entries)), 2)
    return changed(data, (key, second, "name"), entries[first]["name"]), "is already used"


def dangling_name(data: Data, random: Random) -> Broken:
    paths = [p for p, v in walk(data) if isinstance(v, str) and p[-1] in ("parent", "child", "material")]
    paths += [p for p, v in walk(data) if isinstance(v, str) and p[0] == "articulations"]
    path = one(random, paths)
    return path and (changed(data, path, "nosuch"), "'nosuch'")


def dangling_joint(data: Data, random: Random) -> Broken:
    """A joint that the robot's file does not have."""
    paths = [p for p, v in walk(data) if p and key_of(p[-1:]) == "joints" and isinstance(v, str) and "actuators" in p]
    paths += [p[:-1] for p, _ in walk(data) if len(p) > 2 and p[-2:] == ("joints", 0) and "actuators" in p]
    path = one(random, paths)
    named = [p for p, _ in walk(data) if len(p) == 3 and p[:2] == ("robot", "initial")]
    if path and (not named or random.random() < 0.5):
        return changed(data, path, "nosuch.*"), "'nosuch.*' matches no joint"
    path = one(random, named)
    return path and (changed(data, (*path[:-1], "nosuch"), 0.1), "unknown joint 'nosuch'")


def dangling_target(data: Data, random: Random) -> Broken:
    paths = [p for p, v in walk(data) if "waypoints" in p and p[-1] == "joints"]
    path = one(random, paths)
    return path and (changed(data, (*path, "nosuch"), 0.0), "unknown joint with an actuator 'nosuch'")


def dangling_rule(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, _ in walk(data) if len(p) > 1 and p[-2] == "between" and p[0] == "contact"])
    if path:
        return changed(data, path, "nosuch"), "'nosuch' matches no material, body, link or wall"
    path = one(random, [p for p, _ in walk(data) if p and p[0] == "randomise" and p[-1] == "path"])
    return path and (changed(data, path, "bodies.nosuch.mass"), "nothing is drawn for 'bodies.nosuch.mass'")


def bad_file(data: Data, random: Random) -> Broken:
    if "robot" not in data:
        shape = {"type": "mesh", "file": random.choice(["nosuch.stl", ".", "no/such/part.obj"])}
        return changed(data, ("bodies", 0, "shape"), shape), "no such file"
    return changed(
        data, ("robot", "model"), random.choice(["nosuch.urdf", ".", "package://nosuch/a.urdf"])
    ), "no such file"


def broken_robot(data: Data, random: Random) -> Broken:
    """A file that is there, but is no robot."""
    if "robot" not in data:
        return None
    return changed(data, ("robot", "model"), random.choice(["broken.urdf", "broken.xml", "empty.urdf"])), ""


def bad_python(data: Data, random: Random) -> Broken:
    if "robot" not in data:
        return None
    entry = random.choice(["nosuch.py:f", "../a.py:f", "/a.py:f", "no colon", "nosuch_package.m:f", "os.system('ls')"])
    controller = {"type": "python", "python": entry}
    return {**{k: v for k, v in data.items() if k != "controllers"}, "controller": controller}, ""


def two_for_one(data: Data, random: Random) -> Broken:
    """Keys of which one excludes the other."""
    if not data.get("bodies"):
        return None
    index = random.randrange(len(data["bodies"]))
    if random.random() < 0.5:
        made = changed(data, ("bodies", index, "mass"), 1.0)
        return changed(made, ("bodies", index, "density"), 1.0), "has both mass and density"
    made = changed(data, ("bodies", index, "pose"), {"quaternion": [1, 0, 0, 0], "rpy": [0, 0, 0]})
    return made, "a pose has a quaternion or rpy, not both"


def no_unit_quaternion(data: Data, random: Random) -> Broken:
    if not data.get("bodies"):
        return None
    index = random.randrange(len(data["bodies"]))
    quaternion = random.choice([[1, 1, 0, 0], [0, 0, 0, 0], [0.5, 0, 0, 0]])
    return changed(
        data, ("bodies", index, "pose"), {"quaternion": quaternion}
    ), "a quaternion (w, x, y, z) must have length 1"


def backward_in_time(data: Data, random: Random) -> Broken:
    waypoints = data.get("controller", {}).get("waypoints", [])
    if len(waypoints) < 2:
        return None
    index = random.randrange(1, len(waypoints))
    path = ("controller", "waypoints", index, "time")
    return changed(data, path, waypoints[index - 1]["time"]), "the times of waypoints must increase"


def wrong_sizes(data: Data, random: Random) -> Broken:
    if not data.get("articulations"):
        return None
    path = ("articulations", random.randrange(len(data["articulations"])))
    m = len(at(data, path)["joints"])
    if random.random() < 0.5:
        return changed(data, (*path, "velocity"), [0.1] * (m + 1)), f"velocity has {m + 1} numbers for {m} joints"
    mass = random.choice([[[-1.0] * m] * m, [[1.0] * (m + 1)] * m, [[0.0] * m] * m])
    return changed(data, (*path, "mass"), mass), "mass must be"


def no_direction(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, _ in walk(data) if p and p[0] in ("joints", "walls") and p[-1] in ("axis", "normal")])
    return path and (changed(data, path, [0, 0, 0]), "has no direction")


def overlapping(data: Data, random: Random) -> Broken:
    """A free body is put through the ground, or onto a fixed one."""
    free = [i for i, body in enumerate(data.get("bodies", [])) if not body.get("fixed") and "velocity" not in body]
    if "ground" not in data or not free or "randomise" in data:
        return None
    position = [0.9, 0.9, (data["ground"] or {}).get("height", 0.0) + 0.01]
    return changed(data, ("bodies", random.choice(free), "pose"), {"position": position}), "the ground"


def wrong_configuration(data: Data, random: Random) -> Broken:
    newton = random.choice([3, {"zzz": 1}, {"max_iter": "fast"}, {"velocity_tol": -1}, {"velocity_tol": 0}])
    return {**data, "config": random.choice([{"zzz": 1}, {"newton": newton}, {"dt": 0.1}])}, ""


def unknown_variable(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, v in walk(data) if p and isinstance(v, int | float)])
    made = {**changed(data, path, random.choice(["${nosuch}", "${nosuch / 2}"])), "variables": {"such": 1}}
    return made, "unknown variable 'nosuch'; did you mean 'such'?"


def bad_expression(data: Data, random: Random) -> Broken:
    path = one(random, [p for p, v in walk(data) if p and isinstance(v, int | float)])
    return changed(data, path, random.choice(["${1 / 0}", "${1 +}", "${}", "${open('x')}", "${2"])), ""


def bad_include(data: Data, random: Random) -> Broken:
    return {**data, "include": random.choice(["nosuch.yaml", 3, ".", ["broken.xml"], "mutant.yaml"])}, ""


# Faults that only the text shows


def twice(text: str, random: Random) -> Broken:
    keys = [line.split(":")[0] for line in text.splitlines() if line[0].isalpha()]
    key = random.choice(keys)
    return f"{text}{key}: 1\n", f"key '{key}' is repeated here"


def tab(text: str, random: Random) -> Broken:
    lines = text.splitlines()
    index = random.choice([i for i, line in enumerate(lines) if line.startswith("  ")])
    lines[index] = "\t" + lines[index].lstrip()
    return "\n".join(lines), "not YAML"


def indentation(text: str, random: Random) -> Broken:
    """A key one space further right than its neighbour above, which holds a value already."""
    lines = text.splitlines()

    def depth(line: str) -> int:
        return len(line) - len(line.lstrip(" "))

    candidates = [
        i
        for i in range(1, len(lines))
        if depth(lines[i]) == depth(lines[i - 1])
        and lines[i].lstrip()[0].isalpha()
        and lines[i - 1].lstrip()[0].isalpha()
        and ": " in lines[i - 1]
    ]
    index = random.choice(candidates)
    lines[index] = " " + lines[index]
    return "\n".join(lines), "not YAML"


def unfinished(text: str, random: Random) -> Broken:
    return text + random.choice(
        ["zzz: [1, 2\n", "zzz: {a: 1\n", "zzz: 'text\n", "zzz: *nowhere\n", "zzz\n"]
    ), "not YAML"


def no_text(text: str, random: Random) -> Broken:
    return text + random.choice(["zzz: \x00\n", "zzz: \x07\n", "---\na: 1\n"]), "not YAML"


def foreign_tag(text: str, random: Random) -> Broken:
    tag = random.choice(["!mine", "!!python/object/apply:os.system", "!!python/name:os.system", "!!binary"])
    return text + f"zzz: {tag} x\n", "values are texts, numbers"


def key_that_is_no_text(text: str, random: Random) -> Broken:
    return text + random.choice(["3: a\n", "true: a\n", "null: a\n", "? [a]\n: b\n"]), "a key is a text"


def bomb(text: str, random: Random) -> Broken:
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, 9):
        laughs += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n"
    return text + random.choice([laughs, "zzz: " + "[" * 400 + "]" * 400 + "\n", "zzz: &z [*z]\n"]), ""


OF_DATA: tuple[Callable[[Data, Random], Broken], ...] = (
    unknown_key, misspelt_key, wrong_type_of_number, wrong_type_of_list, wrong_type_of_mapping, wrong_type_of_text,
    wrong_truth, out_of_range, negative, not_finite, wrong_length, bad_choice, missing_key, missing_size, nothing,
    other_kind, same_name, dangling_name, dangling_joint, dangling_target, dangling_rule, bad_file, broken_robot,
    bad_python, two_for_one, no_unit_quaternion, backward_in_time, wrong_sizes, no_direction, overlapping,
    wrong_configuration, unknown_variable, bad_expression, bad_include,
)  # fmt: skip
OF_TEXT: tuple[Callable[[str, Random], Broken], ...] = (
    twice, tab, indentation, unfinished, no_text, foreign_tag, key_that_is_no_text, bomb,
)  # fmt: skip


def mutants(scenes: dict[str, Data], count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Name, text and words to be told, of so many different broken scenes; all kinds of faults take turns."""
    random = Random(seed)
    kinds = (*OF_DATA, *OF_TEXT)
    whole = {name: yaml.safe_dump(scene, sort_keys=False) for name, scene in sorted(scenes.items())}
    texts: set[str] = set()
    while len(texts) < count:
        mutation = kinds[len(texts) % len(kinds)]
        name = random.choice(list(whole))
        broken = mutation(whole[name] if mutation in OF_TEXT else copy.deepcopy(scenes[name]), random)  # type: ignore[arg-type]
        if broken is None:
            continue
        content, words = broken
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        if text not in texts:
            texts.add(text)
            yield f"{len(texts)}-{mutation.__name__}-{name}", text, words
