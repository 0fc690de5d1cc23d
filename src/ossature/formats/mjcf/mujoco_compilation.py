"""What MuJoCo's parser and compiler make of a document, with the names and locations of its elements."""

from __future__ import annotations

import logging
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ossature.diagnostics import Location, Report, Rule
from ossature.formats.mjcf import rules
from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.length_range_termination import require_length_ranges
from ossature.formats.mjcf.self_contained_document import SelfContainedDocument
from ossature.model.unique_names import take_unique_name
from ossature.syntax.rules import INVALID_NUMBER
from ossature.syntax.xml import XmlNode

_LINE = re.compile(r"\bline (\d+)")
_ELEMENT = re.compile(r"Element '([^']*)'")
_KEYFRAME = re.compile(r"keyframe (\d+|'[^']*'): invalid (\w+) size, expected (?:length )?(\d+)")
_ATTRIBUTE = re.compile(r"^(\w+) attribute '(\w+)'")
_ACTUATOR = re.compile(r"\bin actuator (\d+)")
_PREFIX = re.compile(r"^(?:XML )?(?:Error: )*")


@dataclass(slots=True)
class CompiledFile:
    """A compiled document.

    Attributes:
        spec: The specification that MuJoCo's parser made of it.
    """

    document: SelfContainedDocument
    spec: Any
    model: Any
    _elements: dict[str, dict[int, Any]] = field(default_factory=dict)
    _names: dict[str, dict[int, str]] = field(default_factory=dict)

    def element(self, kind: str, index: int) -> Any:
        """Return the element of the specification with an index in the model, by the name of a collection: ``bodies``."""
        if kind not in self._elements:
            self._elements[kind] = {element.id: element for element in self._all_elements(kind)}
        return self._elements[kind].get(index)

    def _all_elements(self, kind: str) -> Iterable[Any]:
        # MuJoCo searches each next element from the first one on, among those of one body or of the whole file.
        owners = self.spec.bodies if kind in ("joints", "geoms", "sites", "cameras", "lights") else [self.spec]
        return chain.from_iterable(getattr(owner, kind) for owner in owners)

    def node(self, kind: str, index: int) -> XmlNode | None:
        """Return the element of the document, or None."""
        match = _LINE.search(getattr(self.element(kind, index), "info", ""))
        return None if match is None else self.document.node_of(int(match[1]))

    def location(self, kind: str, index: int) -> Location | None:
        """Return the location of an element."""
        node = self.node(kind, index)
        return self.document.root.location if node is None else node.location

    def specified_name(self, kind: str, index: int) -> str | None:
        """Return the name that the file states for an element, or None."""
        return getattr(self.element(kind, index), "name", "") or None

    def name_elements(self, kind: str, names: Iterable[str], taken: Iterable[str] = ()) -> None:
        """Name the elements of a kind: by the file, or else by the given names, made unique.

        Args:
            names: A name for each element, by index.
            taken: Names that cannot be used.
        """
        wanted = list(names)
        specified = [self.specified_name(kind, index) for index in range(len(wanted))]
        known = {*taken, *(name for name in specified if name is not None)}
        self._names[kind] = {
            index: name if name is not None else take_unique_name(wanted[index], known) for index, name in enumerate(specified)
        }

    def name(self, kind: str, index: int) -> str:
        """Return the name of an element."""
        return self._names[kind][index]

    def names(self, kind: str) -> list[str]:
        """Return the names of all elements of a kind."""
        return list(self._names[kind].values())


def compile_document(document: SelfContainedDocument, report: Report) -> CompiledFile | None:
    """Return the compiled document, or None, with a finding, if MuJoCo refuses it."""
    messages: list[str] = []
    try:
        with _collect_warnings(messages):
            spec = mujoco.MjSpec.from_string(document.text, include=document.assets, assets=document.assets)
            require_length_ranges(spec, document, report)
            model = spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        _report_message(rules.MUJOCO_ERROR, str(error), document, report)
        return None
    for message in dict.fromkeys(messages):
        _report_message(rules.MUJOCO_WARNING, message, document, report)
    compiled = CompiledFile(document, spec, model)
    return compiled if _is_finite(compiled, report) else None


_FINITE = (
    *("qpos0", "key_qpos", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia"),
    *("jnt_pos", "jnt_axis", "geom_pos", "geom_quat", "site_pos", "site_quat", "cam_pos", "cam_quat", "light_pos", "light_dir"),
    *("key_qvel", "key_mpos", "key_mquat"),
)
_COLLECTIONS = {
    "body": "bodies",
    "jnt": "joints",
    "geom": "geoms",
    "site": "sites",
    "cam": "cameras",
    "light": "lights",
    "key": "keys",
}
"""Collections of elements by the prefix of MuJoCo's arrays of them."""
_QUANTITIES = {
    "pos": "position",
    "quat": "orientation",
    "ipos": "centre of mass",
    "iquat": "orientation of the inertia",
    "mass": "mass",
    "inertia": "inertia tensor",
    "axis": "axis",
    "dir": "direction",
    "qpos": "position vector",
    "qvel": "velocity vector",
    "mpos": "position of a mocap body",
    "mquat": "orientation of a mocap body",
}
"""What MuJoCo's arrays are, by their suffix."""


def _is_finite(file: CompiledFile, report: Report) -> bool:
    """Return whether numbers are finite, orientations rotations, and directions no zero vectors; report one that is not."""
    for name in _FINITE:
        numbers = getattr(file.model, name)
        if not np.isfinite(numbers).all():
            _report_element(file, name, ~np.isfinite(numbers), "is not finite", "write finite numbers", report)
            return False
    for name in ("body_quat", "body_iquat", "geom_quat", "site_quat", "cam_quat"):
        lengths = np.linalg.norm(getattr(file.model, name), axis=1)
        if not lengths.all():
            problem = "is no rotation: all numbers of its quaternion are zero after MuJoCo has normalized it"
            _report_element(
                file, name, lengths == 0.0, problem, "write numbers between -1 and 1; without rotation, 1 0 0 0", report
            )
            return False
    for name in ("jnt_axis", "light_dir"):
        is_zero = ~getattr(file.model, name).any(axis=1)
        if is_zero.any():
            problem = "has no direction: all its numbers are zero after MuJoCo has normalized it"
            _report_element(file, name, is_zero, problem, "write numbers between -1 and 1", report)
            return False
    return True


def _report_element(file: CompiledFile, array: str, is_wrong: Any, problem: str, hint: str, report: Report) -> None:
    """Report the first element whose numbers in an array of MuJoCo are wrong."""
    prefix, _, suffix = array.partition("_")
    if prefix not in _COLLECTIONS:
        message, location = f"a reference position of a joint {problem}", file.document.root.location
    else:
        kind, index = _COLLECTIONS[prefix], int(np.argwhere(is_wrong)[0, 0])
        node, name = file.node(kind, index), file.specified_name(kind, index)
        tag = "element" if node is None else f"<{node.tag}>"
        subject = f"{tag} '{name}'" if name else f"this {tag}"
        message = f"the {_QUANTITIES[suffix]} of {subject} {problem}"
        location = file.location(kind, index) or file.document.root.location
    report.add(INVALID_NUMBER, message, location, hint=hint)


class _Messages(threading.local):
    """The warnings that are collected in the current thread, or None if they are not."""

    collected: list[str] | None = None


_messages = _Messages()


@contextmanager
def _collect_warnings(messages: list[str]) -> Iterator[None]:
    """Add the warnings of MuJoCo in a ``with`` block, of its library and of its Python package, to a list."""
    _messages.collected = messages
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        messages += [str(warning.message) for warning in caught]
    finally:
        _messages.collected = None


def _install() -> None:
    """Install one handler of messages for the process, and write no log files."""
    config = mujoco.MjLogConfig.get()
    config.logto_file = config.logto_console = False
    config.set()
    before: Callable[[str], None] = mujoco.get_mju_user_warning() or logging.getLogger("ossature.engine").warning

    def handle(message: str) -> None:
        if _messages.collected is not None:
            _messages.collected.append(message)
        else:
            before(message)

    mujoco.set_mju_user_warning(handle)


_install()


def _report_message(rule: Rule, message: str, document: SelfContainedDocument, report: Report) -> None:
    line, tag = _LINE.search(message), _ELEMENT.search(message)
    node = None if line is None else document.node_of(int(line[1]), tag[1] if tag else None)
    lines = [part for part in message.splitlines() if part.strip() and not part.startswith("Element ")]
    text = _PREFIX.sub("", " ".join(lines)) or "unknown error"
    node = node or _keyframe_node(text, document.root) or _named_node(text, document.root)
    what = text if node is None else f"<{node.tag}>: {text}"
    report.add(rule, what, (document.root if node is None else node).location)


def _keyframe_node(message: str, root: XmlNode) -> XmlNode | None:
    """Return the keyframe with a wrong size, of which MuJoCo's message has the index or name, but no line."""
    found = _KEYFRAME.search(message)
    if found is None:
        return None
    keys = [key for section in root.children if section.tag == "keyframe" for key in section.children]
    which, name, expected = found[1], found[2], int(found[3])
    if which.isdecimal():
        keys = keys[int(which) : int(which) + 1]
    else:
        keys = [key for key in keys if key.attributes.get("name", "") == which.strip("'")]
    return next((key for key in keys if len(key.attributes.get(name, "").split()) not in (0, expected)), None)


def _named_node(message: str, root: XmlNode) -> XmlNode | None:
    """Return the section or the actuator that MuJoCo's message has by its attribute or its index, but no line."""
    named, numbered = _ATTRIBUTE.search(message), _ACTUATOR.search(message)
    if named is not None:
        return next((node for node in root.children if node.tag == named[1] and named[2] in node.attributes), None)
    actuators = [node for section in root.children if section.tag == "actuator" for node in section.children]
    has_others = any(node.tag == "model" for section in root.children if section.tag == "asset" for node in section.children)
    if numbered is None or has_others or int(numbered[1]) >= len(actuators):
        return None
    return actuators[int(numbered[1])]
