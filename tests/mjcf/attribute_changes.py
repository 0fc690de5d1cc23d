"""Files in which one attribute of MJCF is changed, for every attribute of MuJoCo's grammar, and what becomes of the change.

Each attribute is changed, or added, at elements of small own files, until MuJoCo accepts a file whose model differs. The model
compiled from our World of this file, and that of the file written from it, must then be those of MuJoCo.
"""

from __future__ import annotations

import copy
import itertools
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import ossature
from mjcf.engine_models import STATISTICS, differences, visual_options
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.diagnostics import OssatureError, Report, Source
from ossature.formats.mjcf.schema import known_content, mujoco_element
from ossature.model import World
from ossature.simulation import CompiledModel
from ossature.syntax import xml, xml_parser
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings
from ossature.syntax.xml import XmlNode

FILES = Path(__file__).parent / "files"
ATTRIBUTES = FILES / "attributes"
MOST_VALUES = 10
"""Number of values that are tried at an element."""
MOST_CHANGES = 60
"""Number of changed files that are tried for an attribute, alone and with each set of companions."""

JOINTS = ("finger", "wrist", "slide", "hinge", "shoulder", "elbow")
SITES = ("corner", "crank", "tool", "touch", "s1")
BODIES = ("box", "hand", "base", "a", "d", "tip", "fore", "link", "lever", "plate")
GEOMS = ("knob", "ground", "end", "corner", "block", "fgeom", "touch")
NAMES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("joint", "joint1", "joint2", "jointinparent"), JOINTS),
    **dict.fromkeys(("site", "site1", "site2", "refsite", "cranksite", "slidersite"), SITES),
    **dict.fromkeys(("body", "body1", "body2", "target", "subtree1", "subtree2"), BODIES),
    **dict.fromkeys(("geom", "geom1", "geom2", "sidesite"), GEOMS),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), ("other", "cable", "string", "flexor", "sum")),
    **dict.fromkeys(("objname", "refname"), (*BODIES, *GEOMS, "arm", "eye")),
    "camera": ("ortho", "wide", "eye"),
    "frame": ("mount", "stand"),
    "actuator": ("spin", "pull", "drive", "place"),
    "material": ("layered", "floor", "paint"),
    "texture": ("sky", "image", "checks"),
    "mesh": ("wedge", "ball", "corner"),
    "flex": ("patch", "cloth", "block", "whole"),
    "class": ("thin",),
    "childclass": ("thin",),
    "eulerseq": ("zyx", "XYZ"),
    "content_type": ("image/png", "model/obj", "image/vnd.mujoco.hfield"),
    "cranklength": ("1.5", "2"),
    "cell": ("1 0 0",),
    "file": ("corner.obj", "pixel.png"),
    "model": ("other",),
    "role": ("normal", "metallic"),
    "objtype": ("geom", "site", "body"),
    "memory": ("2M",),
    "nchannel": ("4",),
    "gridlayout": ("F.",),
    "inertiagrouprange": ("0 3",),
    "vertid": ("2 1 0", "1 0"),
    "face": ("0 2 1", "0 1 2 0 1 3 0 3 2 1 2 3"),
    "element": ("0 2 1", "0 2 1 1 3 2"),
    "elemtexcoord": ("2 1 0",),
    "instance": ("gains", "spare"),
    "key": ("nchannel",),
    "hfield": ("hill",),
}
"""Values of attributes that name other elements, by attribute."""

COMPANIONS: Mapping[str, Sequence[Mapping[str, str]]] = {
    **dict.fromkeys(("delay", "interp"), ({"nsample": "5", "delay": "0.008"}, {"nsample": "5", "interp": "linear"})),
    "interval": ({"interval": "0.016 0"},),
    "inheritrange": ({"ctrlrange": "", "ctrllimited": ""},),
    "dampratio": ({"kv": "", "timeconst": ""}, {"kv": ""}),
    **dict.fromkeys(
        ("site", "tendon", "body", "jointinparent", "cranksite", "slidersite", "refsite", "joint"),
        (
            {"joint": "", "tendon": "", "site": "", "body": "", "jointinparent": "", "cranksite": "", "slidersite": ""},
            {"joint": "", "tendon": "", "cranksite": "crank", "slidersite": "tip", "cranklength": "1"},
            {"joint": "", "tendon": "", "site": "tip", "refsite": "palm"},
            {"joint": "", "tendon": "", "site": "tool", "refsite": "touch"},
            {"geom1": "", "geom2": "", "body1": "", "body2": "", "subtree1": "", "subtree2": ""},
        ),
    ),
    "cranklength": ({"joint": "", "tendon": "", "site": "", "cranksite": "crank", "slidersite": "tip"},),
}
"""Other attributes that are set (or removed, if empty) together with an attribute, if MuJoCo does not accept it alone."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of an element.

    Attributes:
        path: Path of the element and the attribute.
        declared: The declaration of the element.
        spelling: That of the attribute.
    """

    path: str
    declared: type[Element]
    spelling: FieldSpec

    @property
    def name(self) -> str:
        """The name of the attribute."""
        return self.spelling.name or ""


@dataclass(frozen=True)
class Change:
    """A file with a changed attribute that MuJoCo accepts.

    Attributes:
        base: The name of the unchanged file.
        text: The changed file.
        model: MuJoCo's model of it.
    """

    base: str
    text: str
    model: Any


@cache
def attributes() -> tuple[Attribute, ...]:
    """Return all attributes; an element that occurs at several places has them at the first."""
    found: list[Attribute] = []
    pending: list[tuple[str, type[Element]]] = [("mujoco", mujoco_element())]
    seen = {mujoco_element()}
    while pending:
        pending.sort(key=lambda place: "/default" in place[0])
        path, declared = pending.pop(0)
        for spelling in spellings(declared).values():
            if spelling.kind is FieldKind.ATTRIBUTE:
                found.append(Attribute(f"{path}/@{spelling.name}", declared, spelling))
            for tag, target in spelling.elements.items():
                if target not in seen:
                    seen.add(target)
                    pending.append((f"{path}/{tag}", target))
    return tuple(sorted(found, key=lambda attribute: attribute.path.replace("@", "")))


@cache
def folder() -> Path:
    """Return a temporary folder with the images of the own files."""
    place = Path(tempfile.mkdtemp(prefix="attributes"))
    for asset in [*FILES.glob("*.png"), *ATTRIBUTES.glob("*.obj"), ATTRIBUTES / "part.xml"]:
        shutil.copy(asset, place)
    return place


@cache
def documents() -> dict[str, XmlNode]:
    """Return the trees of the own files, the smallest first."""
    result = {}
    for path in sorted([*FILES.glob("*.xml"), *ATTRIBUTES.glob("*.xml")], key=lambda path: path.stat().st_size):
        root = xml_parser.parse(Source(str(path), path.read_bytes()), Report())
        assert root is not None
        result[path.name] = root
    return result


def compiled(text: str) -> Any:
    """Return MuJoCo's model of a file, or None if it refuses it."""
    path = folder() / "changed.xml"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            return None


@cache
def model_of(name: str) -> Any:
    """Return MuJoCo's model of an own file."""
    model = compiled(xml.serialize(documents()[name]))
    assert model is not None, name
    return model


def change_of(attribute: Attribute) -> Change | None:
    """Return a file with another value of an attribute, if possible one with another model; None if MuJoCo accepts none."""
    without_effect: Change | None = None
    for name, text in _changed_files(attribute):
        model = compiled(text)
        if model is None:
            continue
        if is_another(model_of(name), model):
            return Change(name, text, model)
        without_effect = without_effect or Change(name, text, model)
    return without_effect


def is_another(first: Any, second: Any) -> bool:
    """Return whether two models differ in any number or name."""
    for owner in ("", "opt", "stat"):
        one, other = (getattr(model, owner) if owner else model for model in (first, second))
        if any(not np.array_equal(a, b) for a, b in zip(_numbers(one), _numbers(other), strict=True)):
            return True
    return bool(first.names != second.names or visual_options(first) != visual_options(second))


def _numbers(owner: Any) -> Iterator[Any]:
    """Yield the numbers of a structure of MuJoCo."""
    values = (getattr(owner, name) for name in dir(owner) if name[0] != "_" and name != "signature")
    return (value for value in values if isinstance(value, int | float | np.ndarray))


def _changed_files(attribute: Attribute) -> Iterator[tuple[str, str]]:
    """Yield files with another value of an attribute, then those with companions."""
    for companions in ({}, *COMPANIONS.get(attribute.name, ())):
        yield from itertools.islice(_files_with(attribute, companions), MOST_CHANGES)


def _files_with(attribute: Attribute, companions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield files with another value of an attribute and companions: first at elements that state it."""
    hosts = {name: _hosts(root, attribute) for name, root in documents().items()}
    places = [(name, index, node) for name, nodes in hosts.items() for index, node in enumerate(nodes)]
    places.sort(key=lambda place: attribute.name not in place[2].attributes)
    for name, index, node in places:
        for value in _other_values(attribute, node.attributes.get(attribute.name))[:MOST_VALUES]:
            root = copy.deepcopy(documents()[name])
            changed = _hosts(root, attribute)[index]
            specified = {**changed.attributes, **companions, attribute.name: companions.get(attribute.name) or value}
            changed.attributes = {other: text for other, text in specified.items() if text}
            yield name, xml.serialize(root)


def _hosts(root: XmlNode, attribute: Attribute) -> list[XmlNode]:
    """Return the elements with the declaration of an attribute."""
    found: list[XmlNode] = []
    pending: list[tuple[XmlNode, type[Element]]] = [(root, mujoco_element())]
    while pending:
        node, kind = pending.pop(0)
        if kind is attribute.declared:
            found.append(node)
        children = known_content(kind)[1]
        pending += [(child, children[child.tag]) for child in node.children if child.tag in children]
    return found


def _is_color_or_size(attribute: Attribute) -> bool:
    """Whether an attribute is the color or size of drawn elements, which has the name of such an element."""
    return attribute.path.startswith(("mujoco/visual/rgba/", "mujoco/visual/scale/"))


def _other_values(attribute: Attribute, specified: str | None) -> Sequence[str]:
    """Return values of an attribute that differ from the stated one."""
    value, name = attribute.spelling.value, attribute.name
    if name in NAMES and not value.words and not _is_color_or_size(attribute):
        return [sample for sample in NAMES[name] if sample != specified]
    if value.words:
        return [word for word in value.words if word != specified]
    default = re.match(r"(.*) if absent\.$", attribute.spelling.doc)
    known = specified if specified is not None else default[1] if default else None
    try:
        numbers = [float(word) for word in (known or "").split()]
    except ValueError:
        return [f"other_{known}"]
    found = []
    if numbers:
        found = [[0.75 * number + 0.125 for number in numbers], [round(number) + 1.0 for number in numbers]]
    count = int((re.findall(r"\d+", value.name) or ["1"])[-1])
    found += [[0.25] * count, [1.0] * count, [0.25, *[0.5] * (count - 1)], [0.25, 0.5], [2.0]]
    if not numbers and "number" not in value.name:
        return ["other"]
    return [" ".join([f"{number:g}" for number in row]) for row in found]


@dataclass(frozen=True)
class Outcome:
    """What becomes of a changed attribute.

    Attributes:
        read: How the model compiled from our World differs from MuJoCo's.
        written: How MuJoCo's model of the written file differs.
        losses: The entries of the ledger of the written file.
    """

    read: tuple[str, ...]
    written: tuple[str, ...]
    losses: tuple[str, ...]


def outcome_of(change: Change) -> Outcome:
    """Return what becomes of a changed file."""
    report = Report()
    world = world_of(change.text, report)
    if world is None:
        return Outcome(read=("refused", *map(str, report)), written=(), losses=())
    try:
        model = CompiledModel.from_world(world).compiled.model
        read = _all_differences(change.model, _with_autoreset_of(change.model, model))
    except OssatureError as error:
        read = [f"not compiled: {error}"]
    written = Path(tempfile.mkdtemp(dir=folder())) / "written.xml"
    try:
        ledger = ossature.save(world, written)
        again = _all_differences(change.model, compiled_by_mujoco(written))
    except (OssatureError, ValueError) as error:
        return Outcome(read=tuple(read), written=(f"not written: {error}",), losses=())
    return Outcome(read=tuple(read), written=tuple(again), losses=tuple(ledger.lines()))


def _all_differences(expected: Any, model: Any) -> list[str]:
    statistics = [name for name in STATISTICS if not np.allclose(getattr(expected.stat, name), getattr(model.stat, name))]
    return [*differences(expected, model), *(f"stat.{name}" for name in statistics)]


def _with_autoreset_of(expected: Any, model: Any) -> Any:
    """Return a model whose reset after a divergence, which Ossature disables, is that of another one."""
    own = copy.copy(model)
    flag = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    own.opt.disableflags = (own.opt.disableflags & ~flag) | (expected.opt.disableflags & flag)
    return own


def world_of(text: str, report: Report) -> World | None:
    """Return the World of a file."""
    path = folder() / "changed.xml"
    path.write_text(text, encoding="utf-8")
    return read_mjcf(path, report)
