"""A scene file and the files it includes, as one tree.

`include: base.yaml`, or a list of files, relative to the file with that key. Mappings are merged key by key; a later
file of the list wins over an earlier one, the including file over all. Lists are not merged: the winning one is used.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ipc_articulation.errors import Fault, SceneFileError
from ipc_articulation.packages import find_file
from ipc_articulation.scenefile.tree import TreeNode, merged
from ipc_articulation.scenefile.yaml_text import MAX_TEXT, parse

INCLUDE = "include"
SUFFIXES = (".yaml", ".yml")  # of files outside the scene's folder
MAX_CHAIN = 20  # files that include each other, one below the other
MAX_FILES = 200  # of one scene


class Sources:
    """Reads a scene file and all files that it includes, each once.

    Attributes:
        files: The files that were read, the scene file first.
    """

    def __init__(self) -> None:
        self.files: list[Path] = []
        self._trees: dict[Path, TreeNode] = {}
        self._length = 0  # characters of all files together

    def tree(self, file: Path, chain: tuple[Path, ...] = ()) -> TreeNode:
        """The tree of a file, merged with those it includes.

        Args:
            file: To read.
            chain: The files that led to this one by including it.

        Raises:
            SceneFileError: A file cannot be read, is no YAML or no mapping, or is outside the scene's folder and by its
                name none of a scene; or files include each other in a circle.
        """
        key = file.resolve()
        if key not in self._trees:
            self.files.append(file)
            text = read_text(file)
            self._length += len(text)
            if len(self.files) > 1 and (len(self.files) > MAX_FILES or self._length > MAX_TEXT):
                message = f"a scene has {MAX_FILES} files and {MAX_TEXT} characters at most, with this one it has more"
                raise SceneFileError(message, file, 1, 1)
            root = parse(text, file)
            if not isinstance(root.value, dict):
                message = "a scene file must be a mapping of keys to values"
                raise SceneFileError(message, file, 1, 1)
            self._trees[key] = self._with_included(root, (*chain, key))
        return self._trees[key]

    def _with_included(self, root: TreeNode, chain: tuple[Path, ...]) -> TreeNode:
        base, faults = TreeNode({}, root.place), list[Fault]()
        for name in _names(root):
            try:
                included = self._included(name, chain)
                base = merged(base, replace(included, value={k: v for k, v in included.value.items() if k != INCLUDE}))
            except SceneFileError as error:
                faults += error.faults
        if faults:
            raise SceneFileError.of(faults)
        return merged(base, root)

    def _included(self, name: TreeNode, chain: tuple[Path, ...]) -> TreeNode:
        try:
            file = find_file(name.value, chain[-1].parent)
        except FileNotFoundError as error:
            raise SceneFileError.of([name.place.fault(str(error))]) from error
        if file.suffix.lower() not in SUFFIXES and not file.is_relative_to(chain[0].parent):
            message = (
                f"'{name.value}' is outside the scene's folder, where only {' and '.join(SUFFIXES)} files are read"
            )
            raise SceneFileError.of([name.place.fault(message)])
        if file in chain:
            circle = " -> ".join(path.name for path in (*chain[chain.index(file) :], file))
            raise SceneFileError.of([name.place.fault(f"files include each other in a circle: {circle}")])
        if len(chain) > MAX_CHAIN:
            raise SceneFileError.of([name.place.fault(f"more than {MAX_CHAIN} files include each other in a row")])
        return self.tree(file, chain)


def read_text(file: Path) -> str:
    """The text of a file.

    Raises:
        SceneFileError: It cannot be read, or is not UTF-8.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(4 * MAX_TEXT + 1)  # UTF-8 has four bytes a character at most
    except OSError as error:
        raise SceneFileError(f"cannot read the scene file: {error.strerror}", file) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        message = f"the scene file is not UTF-8 text: {error.reason}"
        place = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise SceneFileError(message, file, *place) from error


def _names(root: TreeNode) -> tuple[TreeNode, ...]:
    """The value of the key `include`."""
    entry = root.child(INCLUDE)
    if entry is None:
        return ()
    names = entry.value if isinstance(entry.value, tuple) else (entry,)
    message = f"`include` takes a file or a list of files, {MAX_FILES} at most"
    faults = [node.place.fault(message) for node in names if not isinstance(node.value, str)]
    faults += [node.place.fault(message) for node in names[MAX_FILES : MAX_FILES + 1]]
    if faults:
        raise SceneFileError.of(faults)
    return names
