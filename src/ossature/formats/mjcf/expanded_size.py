"""The number of elements and numbers that an MJCF document expands to, counted before MuJoCo builds anything."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ossature.diagnostics import LimitError, Location, Report
from ossature.diagnostics.resource_limits import raising_hint
from ossature.formats.mjcf import rules
from ossature.syntax.xml import XmlNode, elements_of

_USER_SIZES = {
    **{f"nuser_{name}": (name,) for name in ("body", "geom", "site")},
    "nuser_jnt": ("joint", "freejoint"),
    "nuser_cam": ("camera",),
}
_SIZES = ("nuserdata", *_USER_SIZES, *(f"nuser_{name}" for name in ("tendon", "actuator", "sensor")))
_SIZED = {
    **dict.fromkeys(("user", "contact", "rangefinder", "plugin"), ("dim", "num", "nsample")),
    "flex": ("cellcount",),
    "numeric": ("size",),
}
"""Attributes whose product is the size of an array, by tag; ``nsample`` elsewhere."""
_COMPARED_SECTIONS = ("worldbody", "default", "keyframe")
_GRIDS = ("grid", "box", "cylinder", "square", "disc", "circle", "ellipsoid")
_DEFAULT_GRID = 1000
"""Points of a ``<flexcomp>`` without ``count``."""
_REDUCED_COORDINATES = ("radial", "trilinear", "quadratic", "2d")
"""Values of ``dof`` with which the points of a ``<flexcomp>`` have no body each."""
_POINT_BYTES = 128
"""Memory of a point of a height field with its triangles [bytes]."""
_NUMBER_BYTES = 64
"""Memory of a number with its Python objects [bytes]."""
_ELEMENTS_PER_EXPANSION = 1
_VISITS_PER_EXPANSION = 200
"""MuJoCo visits all bodies and frames for each copy that it makes: 10 million visits take about 2 s."""
_COMPARISONS_PER_EXPANSION = 5_000
"""MuJoCo compares each element of some kinds with those before it: 250 million comparisons take about 3 s."""
_SOLUTIONS_PER_EXPANSION = 25_000
"""MuJoCo solves the equations of motion for each body: 1.25 billion products of bodies and entries take about 4 s."""
_FREEDOMS = {"free": 6, "ball": 3}
_BYTES_OF_SMALL_FILE = 1_000_000
"""Elements of larger files may be compared more often, in proportion to the size."""
_STATES_PER_EXPANSION = 20
"""Positions of joints that keyframes do not state, in the time of one expansion."""
_LARGEST_COUNT = 1e12
_TEXTURE_SIZES = (("width", 0.0), ("height", 0.0), ("nchannel", 3.0))
"""Sizes of a texture with their defaults [pixels, pixels, bytes]."""


@dataclass(slots=True)
class Extent:
    """What a document expands to.

    Attributes:
        bodies: Bodies, and frames of copies.
        elements: Bodies, joints, geoms, sites and points of grids and meshes.
        stated: Those of the elements that the document states itself.
        user: Numbers of user data, of all elements.
        visits: Visits of bodies by the copying of others.
        inertia_entries: Entries of the joint-space inertia matrix that are not zero.
    """

    bodies: float = 0.0
    joints: float = 0.0
    elements: float = 0.0
    stated: float = 0.0
    user: float = 0.0
    visits: float = 0.0
    inertia_entries: float = 0.0


def require_extent(root: XmlNode, models: Mapping[str, Extent], report: Report) -> Extent:
    """Return what a document expands to.

    Args:
        models: What the models expand to that it attaches, by name.
        report: Has the limits.

    Raises:
        LimitError: It exceeds a limit.
    """
    counter = _Counter(models, report, _sizes_of_user_data(root))
    counter.extent.visits = sum(each.visits for each in models.values())
    for section in root.children:
        counter.add_section(section)
    for section in root.children:
        if section.tag == "keyframe":
            counter.add_keyframes(section)
    _require_compilation(root, counter.extent, report)
    return counter.extent


def _require_compilation(root: XmlNode, extent: Extent, report: Report) -> None:
    """Refuse a document that states so many bodies, classes or keyframes that MuJoCo needs too long for them."""
    counts: dict[str, float] = {}
    size = 0.0
    for section in root.children:
        for node in elements_of(section):
            size += len(node.tag) + sum(len(name) + len(value) for name, value in node.attributes.items())
            counts[section.tag] = counts.get(section.tag, 0.0) + 1.0
    comparisons = sum(0.5 * counts.get(tag, 0.0) ** 2 for tag in _COMPARED_SECTIONS)
    solutions = extent.bodies * extent.inertia_entries
    expansions = comparisons / _COMPARISONS_PER_EXPANSION + solutions / _SOLUTIONS_PER_EXPANSION
    expansions /= max(1.0, size / _BYTES_OF_SMALL_FILE)
    if expansions > report.limits.expansions:
        few = ", ".join(f"{counts[tag]:.6g} elements in <{tag}>" for tag in _COMPARED_SECTIONS if tag in counts)
        message = (
            f"the time of MuJoCo's compilation grows with the square of the number of elements: {few}; "
            f"{extent.bodies:.6g} bodies and frames, {extent.inertia_entries:.6g} entries of the inertia matrix"
        )
        raise LimitError(rules.TOO_LARGE, message, root.location, raising_hint("expansions", _rounded_up(expansions)))


def require_points(count: float, what: str, location: Location, report: Report) -> None:
    """Check the number of points of a height field.

    Raises:
        LimitError: There are too many.
    """
    size = _POINT_BYTES * count
    if size > report.limits.array_bytes:
        hint = raising_hint("array_bytes", _rounded_up(size))
        raise LimitError(rules.TOO_LARGE, f"{what} needs {size:.3g} bytes", location, hint)


class _Counter:
    def __init__(self, models: Mapping[str, Extent], report: Report, user_sizes: Mapping[str, float]) -> None:
        self.extent = Extent()
        self._models = models
        self._limits = report.limits
        self._report = report
        self._user_sizes = user_sizes
        self._freedoms = 0.0
        self._numbers = 0.0
        self._texture_bytes = 0.0
        self._is_in_world = False

    def add_section(self, section: XmlNode) -> None:
        """Add a section of the document; a ``<joint>`` outside of bodies refers to one."""
        self._is_in_world = section.tag == "worldbody"
        self.add(section)

    def add(self, node: XmlNode) -> None:
        before = replace(self.extent)
        freedoms = self._freedoms
        self._add_own(node)
        for child in node.children:
            self.add(child)
        if node.tag == "body":
            self._freedoms = freedoms
        if node.tag == "replicate":
            self._multiply(node, _count(node), before)
        elif node.tag in ("flexcomp", "composite"):
            self._add_grid(node)
        elif node.tag == "attach":
            self._attach(node)
        elif node.tag == "mesh" and "builtin" in node.attributes:
            self._add_builtin_mesh(node)
        elif node.tag == "hfield":
            count = math.prod(max(abs(number), 1.0) for name in ("nrow", "ncol") for number in _numbers(node, name))
            require_points(count, f"<hfield>: a height field of {count:.6g} points", node.location, self._report)
        self._require(node)

    def add_keyframes(self, section: XmlNode) -> None:
        """Add the positions that keyframes do not state."""
        states = 0.0
        for key in section.children:
            stated = sum(len(value.split()) for value in key.attributes.values())
            states += max(0.0, self.extent.joints - stated)
        if states > _STATES_PER_EXPANSION * self._limits.expansions:
            self._refuse(section, f"{states:.6g} positions of joints", states / _STATES_PER_EXPANSION)

    def _add_own(self, node: XmlNode) -> None:
        extent, tag = self.extent, node.tag
        is_joint = tag in ("joint", "freejoint") and self._is_in_world
        if is_joint or tag in ("body", "geom", "site"):
            extent.elements += 1.0
            extent.stated += 1.0
        extent.bodies += tag == "body"
        if is_joint:
            extent.joints += 1.0
            kind = "free" if tag == "freejoint" else node.attributes.get("type", "")
            for _ in range(_FREEDOMS.get(kind, 1)):
                self._freedoms += 1.0
                extent.inertia_entries += self._freedoms
        extent.user += self._user_sizes.get(tag, 0.0)
        if tag == "size":
            self._require_keyframes(node)
        if tag == "texture" and node.attributes.get("builtin", "none") != "none":
            self._texture_bytes += _texture_bytes(node)
        names = _SIZES if tag == "size" else _SIZED.get(tag, ("nsample",))
        sizes = [max(abs(number), 1.0) for name in names for number in _numbers(node, name)]
        self._numbers += sum(sizes) if tag == "size" else math.prod(sizes) if sizes else 0.0

    def _multiply(self, node: XmlNode, count: float, before: Extent) -> None:
        """Replace the content since ``before`` by ``count`` copies, each in a frame."""
        extent = self.extent
        for name in ("joints", "elements", "user", "inertia_entries"):
            old = getattr(before, name)
            setattr(extent, name, old + count * (getattr(extent, name) - old))
        self._copy(count, before.bodies, extent.bodies - before.bodies + 1.0)

    def _copy(self, count: float, before: float, bodies: float) -> None:
        self.extent.bodies = before + count * bodies
        self.extent.visits += count * (before + 0.5 * count * bodies)

    def _add_grid(self, node: XmlNode) -> None:
        is_grid = node.attributes.get("type", "grid") in _GRIDS
        count = _count(node) if "count" in node.attributes else float(_DEFAULT_GRID if is_grid else 1)
        self.extent.elements += count
        if node.attributes.get("dof", "full") not in _REDUCED_COORDINATES:
            self.extent.joints += 3.0 * count
            self.extent.inertia_entries += count * (6.0 + 3.0 * self._freedoms)
            self._copy(count, self.extent.bodies, 1.0)

    def _attach(self, node: XmlNode) -> None:
        known = self._models.get(node.attributes.get("model", ""))
        for each in [known] if known is not None else self._models.values():
            self.extent.joints += each.joints
            self.extent.elements += each.elements
            self.extent.user += each.user
            self.extent.inertia_entries += each.inertia_entries
            self._copy(1.0, self.extent.bodies, each.bodies)

    def _add_builtin_mesh(self, node: XmlNode) -> None:
        first, second = [*(max(abs(number), 1.0) for number in _numbers(node, "params")), 1.0, 1.0][:2]
        kind = node.attributes["builtin"]
        if kind in ("cone", "prism"):
            self.extent.elements += first
            self.extent.visits += first * first  # its hull is flat, which is slow
        elif kind not in ("sphere", "hemisphere"):  # MuJoCo has limits of those
            self.extent.elements += first * (second if kind in ("plate", "wedge") else first)

    def _require(self, node: XmlNode) -> None:
        extent, most = self.extent, self._limits.expansions
        by_elements = (extent.elements - extent.stated) / _ELEMENTS_PER_EXPANSION
        by_visits = extent.visits / _VISITS_PER_EXPANSION
        if not max(by_elements, by_visits) <= most:
            few = f"{extent.elements:.6g} elements and {extent.bodies:.6g} bodies and frames"
            self._refuse(node, f"the model would have {few}", max(by_elements, by_visits))
        size = _NUMBER_BYTES * (extent.user + self._numbers)
        if not size <= self._limits.array_bytes:
            message = f"<{node.tag}>: user data, sizes and samples need {size:.3g} bytes in all"
            raise LimitError(rules.TOO_LARGE, message, node.location, raising_hint("array_bytes", _rounded_up(size)))
        if not self._texture_bytes <= self._limits.array_bytes:
            message = f"<{node.tag}>: the built-in textures need {self._texture_bytes:.3g} bytes in all"
            hint = raising_hint("array_bytes", _rounded_up(self._texture_bytes))
            raise LimitError(rules.TOO_LARGE, message, node.location, hint)

    def _require_keyframes(self, node: XmlNode) -> None:
        count = max(_numbers(node, "nkey"), default=0.0)
        expansions = 0.5 * count * count / _COMPARISONS_PER_EXPANSION
        if expansions > self._limits.expansions:
            self._refuse(node, f"MuJoCo would make {count:.6g} keyframes, and compare each with all others", expansions)

    def _refuse(self, node: XmlNode, what: str, expansions: float) -> None:
        hint = raising_hint("expansions", _rounded_up(expansions))
        raise LimitError(rules.TOO_LARGE, f"<{node.tag}>: {what}", node.location, hint)


def _sizes_of_user_data(root: XmlNode) -> dict[str, float]:
    sizes: dict[str, float] = {}
    for node in root.children:
        if node.tag == "size":
            for name, tags in _USER_SIZES.items():
                sizes |= dict.fromkeys(tags, max(_numbers(node, name), default=0.0))
    return sizes


def _texture_bytes(node: XmlNode) -> float:
    """Return the size of a built-in texture; that of a cube or sky box has six squares."""
    width, height, channels = (next(_numbers(node, name), default) for name, default in _TEXTURE_SIZES)
    return abs(channels * width * (height if node.attributes.get("type", "cube") == "2d" else 6.0 * width))


def _count(node: XmlNode) -> float:
    product = math.prod(max(abs(number), 1.0) for number in _numbers(node, "count"))
    return min(product, _LARGEST_COUNT)


def _numbers(node: XmlNode, name: str) -> Iterator[float]:
    for part in node.attributes.get(name, "").split():
        if re.fullmatch(r"[-+0-9.eE]+", part):
            try:
                yield float(part)
            except ValueError:
                continue


def _rounded_up(number: float) -> int:
    return math.ceil(number) if math.isfinite(number) else 1 << 62
