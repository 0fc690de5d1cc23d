"""Which element and attribute of COLLADA does what: measured, by changing each in turn in small files of our own.

A row is an element, an attribute or a text of one declaration; where a declaration is used at several places, or by several
elements that share it, it counts once. Where it occurs in one of the files it is changed there, and what follows is looked
at: does the World change or a finding tell, does the change survive writing and reading, does anything move, stand or look
differently?
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from conftest import PROJECT
from ossature.assets import AssetError
from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats import REGISTRY, collada
from ossature.formats.collada.document_lookup import TOOLS_THAT_WRITE_RADIANS
from ossature.formats.collada.kinematics.schema import FormulaElement
from ossature.formats.collada.openrave import schema as openrave_schema
from ossature.formats.collada.openrave.schema import EXTENSIONS, PROFILE, FormulaEquationsElement
from ossature.formats.collada.schema import ROOTS
from ossature.kinematics import poses
from ossature.model import Collision, Geometry, TriangleMesh, Visual, World
from ossature.simulation import Simulation, SimulationError
from ossature.syntax import xml, xml_parser
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings, walk
from ossature.syntax.xml import XmlNode

FILES = PROJECT / "tests" / "collada" / "files"
MOST_TRIED = 8
"""Of a row that occurs more often only so many occurrences are changed."""
ROUNDING = REGISTRY.named("collada")[0].rounding

_WITH_IDENTIFIERS = """
    LibraryArticulatedSystem LibraryEffect EffectProfile EffectTechnique LibraryFormula LibraryGeometry FloatArray
    Vertices LibraryJoint LibraryKinematicsModel LibraryKinematicsScene LibraryMaterial LibraryNode
    LibraryPhysicsMaterial LibraryPhysicsModel LibraryPhysicsScene LibraryVisualScene
"""
_WITH_SCOPED_IDENTIFIERS = """
    Formula Technique InstanceFormula MotionAxisInfo EffectTechnique Color Number AccessorParam AxisDirection
    Bound InstanceEffect Lookat Matrix Scale Skew InstanceGeometry InstanceMaterial InstanceNode StatedBoolean
    StatedNumber StatedVector InstancePhysicsMaterial InstanceScene InstanceKinematicsScene Openrave
    RigidConstraint
"""
_WITH_NAMES = """
    LibraryArticulatedSystem KinematicsAxisInfo Formula InstanceFormula MotionAxisInfo LibraryEffect Effect
    LibraryFormula LibraryGeometry Source FloatArray Vertices Polygons Polylist Triangles Strips LibraryJoint
    AxisDirection LibraryKinematicsModel LibraryKinematicsScene KinematicsScene LibraryMaterial Material
    InstanceEffect LibraryNode InstanceGeometry InstanceMaterial InstanceNode LibraryPhysicsMaterial
    LibraryPhysicsModel PhysicsModel RigidBody InstancePhysicsMaterial LibraryPhysicsScene PhysicsScene
    InstancePhysicsModel InstanceRigidBody LibraryVisualScene InstanceScene InstanceKinematicsScene
    RigidConstraint Sensor MotorFields
"""


def _without_effect() -> Iterator[tuple[str, str]]:
    """Yield rows that change no World and are told by no finding, each with the reason."""
    for attribute, owners in (("@id", _WITH_IDENTIFIERS), ("@sid", _WITH_SCOPED_IDENTIFIERS), ("@name", _WITH_NAMES)):
        yield from ((f"{owner}/{attribute}", "nothing refers to it") for owner in owners.split())
    for names, reason in _REASONS_WITHOUT_EFFECT.items():
        yield from ((name, reason) for name in names.split())


_REASONS_WITHOUT_EFFECT = {
    "Collada/@version": "all versions are read alike",
    """
    Asset/created Asset/keywords Asset/modified Asset/revision Asset/title
    Contributor/author Contributor/comments Contributor/copyright Contributor/source_data Unit/@name
    """: "about the document, not about a robot",
    "Asset/contributor": "about the document; only two old tools mean something by their names",
    """
    LibraryEffect/asset LibraryMaterial/asset Material/asset LibraryPhysicsMaterial/asset PhysicsMaterial/asset
    LibraryKinematicsScene/asset KinematicsScene/asset
    """: "nothing in it is a length",
    "LibraryAnimation/asset Animation/asset AnimationSource/asset": "a translation is in the unit of its node",
    """
    LibraryAnimation/@id Animation/@id NameArray/@id LibraryAnimation/@name AnimationSource/@name NameArray/@name
    """: "of no use",
    "NameArray/@count": "the words that are there are counted",
    "Source/asset": "points are in the unit of their geometry",
    "KinematicsAxisInfo/index AxisIndex/@semantic": "axes are numbered in the order of their joints",
    """
    Shader/ambient Shader/specular Shader/shininess Shader/reflective Shader/reflectivity Shader/index_of_refraction
    """: "of light only colour and opacity are kept",
    """
    FloatArray/@count Polygons/@count Polylist/@count Triangles/@count Strips/@count
    """: "the numbers that are there are counted",
    "FloatArray/@digits FloatArray/@magnitude": "numbers are read as they are written",
    "Accessor/@source": "a source has one array",
    "AccessorParam/@type AccessorParam/@semantic": "coordinates are numbers",
    "AccessorParam/@name": "any name will do, only a number without one is skipped",
    "Input/@set": "of texture coordinates, which are not read",
    "HoledPolygon/h": "holes are filled, which a finding reports",
    "InstanceJoint/@name": "the joint's own name counts, as in OpenRAVE",
    "Node/@type": "bones of skins are nodes as others",
    "Node/@layer InstanceNode/@proxy": "of a picture",
    """
    KinematicsTechnique/frame_origin KinematicsTechnique/frame_tip
    KinematicsFrame/@link KinematicsFrame/translate KinematicsFrame/rotate
    """: "manipulators say which chains there are",
    "BindInstanceGeometry/@material": "what is touched has no colour",
    "GeometryInfo/container GeometryInfo/cage GeometryInfo/calibration_board": "its mesh is taken",
}
SUPPORTED_FIELDS = {
    "actuator electric_motor": "interface_type",
}
"""Elements inside actuators, which the page of the extensions describes; they are kept in the document's words."""

NO_EFFECT = dict(_without_effect())
"""Why changing a row changes no World and is told by no finding."""

NOT_ACTING = {
    "Accessor/@count": "the number of points of a mesh follows from its array; it limits the keys of an animation",
    "Collada/extra Extra/@id Extra/@sid Extra/@name InstanceKinematicsModel/extra InstanceArticulatedSystem/extra": "kept",
    """
    MotorFields/model_type MotorFields/assigned_power_rating MotorFields/max_speed MotorFields/no_load_speed
    MotorFields/stall_torque
    MotorFields/nominal_torque MotorFields/max_instantaneous_torque MotorFields/nominal_voltage MotorFields/speed_constant
    MotorFields/speed_torque_gradient MotorFields/starting_current MotorFields/terminal_resistance MotorFields/torque_constant
    MotorFields/nominal_speed_torque_point MotorFields/max_speed_torque_point TorquePoints/text MotorFields/@type
    """: "visible when the motor is commanded; tests/simulation/test_electric_motors.py does that",
    """
    LibraryAnimation/animation Animation/animation Animation/source Animation/sampler Animation/channel Animation/@name
    AnimationSource/float_array AnimationSource/Name_array AnimationSource/technique_common AnimationSource/@id NameArray/text
    Sampler/input Sampler/@id Sampler/@pre_behavior Sampler/@post_behavior SamplerInput/@semantic SamplerInput/@source
    Channel/@source Channel/@target Collada/library_animations
    """: "a trajectory is followed when somebody asks for it; tests/simulation/test_trajectory_tracking.py does",
    "Asset/subject Geometry/@name": "a description",
    "LibraryArticulatedSystem/asset LibraryJoint/asset": "the unit of limits and rates that are not reached",
    """
    Motion/technique_common MotionTechnique/axis_info MotionAxisInfo/bind MotionAxisInfo/newparam MotionAxisInfo/setparam
    MotionAxisInfo/speed MotionAxisInfo/acceleration MotionAxisInfo/jerk MotionAxisInfo/@axis KinematicsAxisInfo/@sid
    """: "kept; nothing limits a rate",
    "InstanceKinematicsModel/setparam KinematicsModelTechnique/newparam": "limits of a joint that is locked here",
    "Value/text KinematicsAxisInfo/active": "whether a joint takes commands, and the file gives none",
    "AttachmentEnd/rotate": "an axis along y stays one",
    "InstancePhysicsModel/@sid InstanceRigidBody/@sid InstanceScene/extra": "of what a hand holds",
    "Equation/@target": "of a stated derivative, which nothing is computed from",
}
"""Why changing a row changes the World and neither place, nor look, nor motion; of extensions see :func:`why_not_acting`."""


@dataclass(frozen=True)
class Row:
    """One element, attribute or text of one declaration.

    Attributes:
        path: Where it stands first.
        owner: The class that declares it.
        name: Its name: ``tag``, ``@attribute`` or ``text``.
        spelling: Its declaration.
    """

    path: str
    owner: type[Element]
    name: str
    spelling: FieldSpec = field(compare=False)

    @property
    def key(self) -> str:
        """The declaration, as tables of reasons name it."""
        return f"{self.owner.__name__.removesuffix('Element')}/{self.name}"


@dataclass(frozen=True)
class Place:
    """Where a row occurs: a file, and the indices of children from its root downwards."""

    file: str
    way: tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """What changing a row did.

    Attributes:
        file: Where it was changed.
        read: ``World``, ``finding`` or ``nothing``.
        written: Whether the change survived writing and reading, or the ledger told; None where nothing is written yet.
        acts: Whether anything moves, stands or looks differently.
    """

    file: str
    read: str
    written: bool | None
    acts: bool


@cache
def rows() -> tuple[Row, ...]:
    """Return every declared element, attribute and text, once each."""
    found: dict[tuple[type[Element], str], Row] = {}
    for tag, root in ROOTS:
        for path, declared in walk(root, tag):
            for name, specified, spelling in _names(declared):
                owner = _owner(declared, specified)
                found.setdefault((owner, name), Row(f"{path}/{name}", owner, name, spelling))
    return tuple(found.values())


def _names(declared: type[Element]) -> Iterator[tuple[str, str, FieldSpec]]:
    for specified, spelling in spellings(declared).items():
        if spelling.kind is FieldKind.ELEMENT:
            yield from ((tag, specified, spelling) for tag in spelling.elements)
        elif spelling.kind is FieldKind.CHILD:
            yield from ((tag, specified, spelling) for tag in (spelling.name or "", *spelling.aliases))
        else:
            yield (f"@{spelling.name}" if spelling.kind is FieldKind.ATTRIBUTE else "text"), specified, spelling


def _owner(declared: type[Element], specified: str) -> type[Element]:
    """Return the class that declares a field: of those that have it with the same meaning, the outermost base."""
    own = declared.declarations[specified]
    bases = [base for base in reversed(declared.__mro__) if issubclass(base, Element)]
    return next(base for base in bases if base.declarations.get(specified) is own)


@cache
def documents() -> dict[str, XmlNode]:
    """Return the trees of the files of our own."""
    result = {}
    for path in sorted(FILES.glob("*.dae")):
        root = xml_parser.parse(Source(str(path), path.read_bytes()), Report())
        assert root is not None
        result[path.name] = root
    return result


@cache
def places() -> dict[tuple[type[Element], str], list[Place]]:
    """Return where each row occurs."""
    result: dict[tuple[type[Element], str], list[Place]] = {}
    for file, root in documents().items():
        for declared, node, way in _bound(ROOTS[0][1], root, ()):
            for name, specified, _ in _names(declared):
                owner = _owner(declared, specified)
                result.setdefault((owner, name), []).extend(Place(file, (*way, *inner)) for inner in _inside(node, name))
    return result


def _inside(node: XmlNode, name: str) -> Iterator[tuple[int, ...]]:
    if name.startswith("@"):
        yield from [()] if name[1:] in node.attributes else []
    elif name == "text":
        yield from [()] if node.text.strip() else []
    else:
        yield from ((index,) for index, child in enumerate(node.children) if child.tag == name)


def _bound(
    declared: type[Element], node: XmlNode, way: tuple[int, ...]
) -> Iterator[tuple[type[Element], XmlNode, tuple[int, ...]]]:
    """Yield every node inside a node with its declaration, through extensions too."""
    yield declared, node, way
    inner = {tag: target for spelling in spellings(declared).values() for tag, target in spelling.elements.items()}
    for index, child in enumerate(node.children):
        here = (*way, index)
        target = inner.get(child.tag)
        content = EXTENSIONS.get(child.attributes.get("type", "")) if child.tag == "extra" else None
        if content is not None:
            for number, technique in enumerate(child.children):
                if technique.attributes.get("profile") == PROFILE:
                    yield from _bound(content, technique, (*here, number))
        if declared is FormulaElement and child.tag == "technique" and child.attributes.get("profile") == PROFILE:
            target = FormulaEquationsElement
        if target is not None:
            yield from _bound(target, child, here)


@cache
def measure(row: Row) -> Result | None:
    """Return what the best-placed occurrence of a row does, or None where no file has one."""
    best: Result | None = None
    for place in places().get((row.owner, row.name), [])[:MOST_TRIED]:
        result = _measure(row, place, best)
        if best is None or _worth(result) > _worth(best):
            best = result
        if best.read == "World" and best.acts:
            break
    return best


def is_read(row: Row) -> bool:
    """Whether a change of a row changes the World or what is found."""
    return any(_is_read(row, place) for place in places().get((row.owner, row.name), [])[:MOST_TRIED])


def _is_read(row: Row, place: Place) -> bool:
    before, findings_before = _plain(place.file)
    after, findings = world_of(changed(row, place), place.file)
    return findings != findings_before or after is None or bool(compare(before, after))


def _worth(result: Result) -> tuple[int, bool, bool]:
    return ("nothing", "finding", "World").index(result.read), result.acts, bool(result.written)


def _measure(row: Row, place: Place, best: Result | None) -> Result:
    """Return what a change at a place does, or the best result so far if this one is no better."""
    before, findings_before = _plain(place.file)
    after, findings = world_of(changed(row, place), place.file)
    is_told = findings != findings_before
    if after is None:
        return Result(place.file, "finding", None, False)
    if not compare(before, after):
        return Result(place.file, "finding" if is_told else "nothing", None, False)
    looks, moves = _plain_look(place.file)
    acts = _look(after) != looks or _moved(after) != moves
    if best is not None and best.read == "World" and best.written and best.acts >= acts:
        return best
    return Result(place.file, "World", _survives(after), acts)


def changed(row: Row, place: Place) -> XmlNode:
    """Return a tree where a row says something else: another value for text, and removal for what has structure."""
    chain = [_copy(documents()[place.file])]
    for index in place.way:
        inner = _copy(chain[-1].children[index])
        chain[-1].children[index] = inner
        chain.append(inner)
    node, spelling = chain[-1], row.spelling
    if spelling.kind is FieldKind.ATTRIBUTE:
        name = spelling.name or ""
        node.attributes[name] = _other(spelling, node.attributes[name])
    elif spelling.kind is FieldKind.ELEMENT:
        chain[-2].children.remove(node)
    else:
        node.text = _other(spelling, node.text)
    return chain[0]


def _copy(node: XmlNode) -> XmlNode:
    """Return a node of its own that shares the nodes inside."""
    copied = XmlNode(node.tag, dict(node.attributes), node.source, node.offset)
    copied.children, copied.text = list(node.children), node.text
    return copied


def _other(spelling: FieldSpec, text: str) -> str:
    value = spelling.value
    words = value.words
    if words:
        return words[(words.index(value.parse(text)) + 1) % len(words)]
    parsed: Any = value.parse(text)
    if isinstance(parsed, bool):
        return value.format(not parsed)
    if isinstance(parsed, str):
        return _other_text(parsed) if parsed != "by hand" else TOOLS_THAT_WRITE_RADIANS[0]
    if isinstance(parsed, tuple):
        return value.format((parsed[0] * 0.5 + 0.2, *(number * 0.75 for number in parsed[1:])))
    return value.format(parsed + 1 if isinstance(parsed, int) else parsed * 0.75)


def _other_text(text: str) -> str:
    if text in ("true", "false"):
        return {"true": "false", "false": "true"}[text]
    numbers = text.split()
    if numbers and all(number.lstrip("-").isdecimal() for number in numbers):
        return " ".join([*numbers[1:], numbers[0]]) if len(set(numbers)) > 1 else " ".join(str(int(n) + 1) for n in numbers)
    return f"other/{text}" if text.endswith("/") else f"{text}_other"


@cache
def _plain(file: str) -> tuple[World, list[tuple[str, str]]]:
    world, findings = world_of(documents()[file], file)
    assert world is not None
    return world, findings


@cache
def _plain_look(file: str) -> tuple[str, bytes]:
    world = _plain(file)[0]
    return _look(world), _moved(world)


def world_of(root: XmlNode, file: str) -> tuple[World | None, list[tuple[str, str]]]:
    """Return the World that a tree describes, and the names and messages of what was found."""
    report = Report()
    world = collada.read_collada(Source(file, xml.serialize(root).encode()), report, folder=FILES)
    return world, sorted((finding.rule.name, finding.message) for finding in report)


def _survives(world: World) -> bool | None:
    """Whether a World is the same after writing and reading, or the ledger says what is not; None without a writer."""
    write = getattr(collada, "write_collada", None)
    if write is None:
        return None
    ledger = Ledger()
    text = write(world, ledger)
    again = collada.read_collada(Source("written.dae", text.encode()), Report(), folder=FILES)
    return all(ledger.covers(found.path) for found in compare(world, again, tolerance=ROUNDING))


def _look(world: World) -> str:
    """Return a digest of where everything stands, and of its shapes."""
    digest = hashlib.sha256()
    for model, placed in poses(world).items():
        digest.update(repr((model, {body: pose.position + pose.wxyz for body, pose in placed.items()})).encode())
    for model in world.models:
        for body in model.bodies:
            for shape in (*body.visuals, *body.collisions, *(body.self_collisions or ())):
                digest.update(_shown(shape))
    return digest.hexdigest()


def _shown(shape: Visual | Collision) -> bytes:
    look = (shape.color, shape.visible) if isinstance(shape, Visual) else (shape.enabled, shape.material)
    return repr((look, shape.pose)).encode() + _points(shape.geometry)


def _points(geometry: Geometry) -> bytes:
    if not isinstance(geometry, TriangleMesh):
        return repr(geometry).encode()
    try:
        triangles = geometry.surface.triangles
    except AssetError as error:
        return str(error).encode()
    return repr(geometry.convex).encode() + triangles.vertices.tobytes() + triangles.faces.tobytes()


def _moved(world: World) -> bytes:
    """Return the compiled World and where its first steps lead."""
    try:
        simulation = Simulation(world, report=Report())
        simulation.step(3)
    except SimulationError:
        return b"refused"
    engine = simulation.compiled.model
    parts = [
        np.asarray(getattr(engine, name)).tobytes()
        for name in sorted(dir(engine))
        if isinstance(getattr(engine, name, None), np.ndarray) and not name.startswith(("name", "path", "text"))
    ]
    option = engine.opt
    parts.append(repr((option.timestep, option.gravity.tolist())).encode())
    return b"".join([*parts, simulation.data.qpos.tobytes(), simulation.data.qvel.tobytes()])


def why_without_effect(row: Row) -> str | None:
    """Return why changing a row changes no World and is told by no finding, or None where it has to."""
    return NO_EFFECT.get(row.key)


def why_not_acting(row: Row) -> str | None:
    """Return why changing a row changes neither place, nor look, nor motion, or None where it should."""
    specified = next((why for names, why in NOT_ACTING.items() if row.key in names.split()), None)
    if specified is None and row.owner.__module__ == openrave_schema.__name__:
        return "what robots carry and hold is kept, not simulated"
    return specified
