"""What the parts of the MJCF writer share: the sections of the document, the names of its elements, and numbers as text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ossature.diagnostics import Ledger, Location
from ossature.diagnostics.ledger import WrittenName
from ossature.formats.format import WriteContext
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.constraint_softness import DEFAULT_TIME_CONSTANT_S
from ossature.kinematics import model_poses
from ossature.model import Body, Coordinate, Fixed, Inertial, Joint, Model, MujocoOption, World, hint_of
from ossature.model.unique_names import take_unique_name, unique_name
from ossature.spatial import IDENTITY, IDENTITY_WXYZ, ZERO3, EulerOrder, Pose, Quaternion, normalized, quaternion_from_euler
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode, element

EULER_SEQUENCES: Mapping[EulerOrder, str] = {"xyz": "xyz", "zyx": "XYZ"}
"""``eulerseq`` of MuJoCo for each Euler order: lower case for moving axes, upper case for fixed ones (roll, pitch, yaw)."""
WORLD = "world"
"""Name of a body that is MuJoCo's world."""
UNBOUNDED = 1e10
"""Stands for an infinite bound of a range."""
NO_FUNCTIONS = "MJCF has no functions of time: an actuator is written"
"""What the ledger states of a motor whose function is not constant."""


class UnwrittenReferenceError(Exception):
    """An element refers to one that is not in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCoordinate:
    """A coordinate of the model that is a joint of the file.

    Attributes:
        number: Number of the coordinate in the joint.
        name: Name of the joint in the file.
        is_rotation: Whether the joint in the file is a hinge, else a slide.
    """

    model: Model
    joint: Joint
    number: int
    coordinate: Coordinate
    name: str
    node: XmlNode
    is_rotation: bool

    @property
    def path(self) -> str:
        """Path of the coordinate in the World."""
        return f"{self.model.name}/{self.joint.name}.coordinates[{self.number}]"


Coordinates: TypeAlias = Sequence[float]
"""Positions or velocities of all coordinates of a joint of the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointState:
    """How positions and velocities of a joint of the model become numbers of ``qpos`` and ``qvel``.

    Attributes:
        label: Label of the joint of the model.
        positions: Its initial positions.
        velocities: Its initial velocities.
        reference: Its positions in the file without a keyframe.
        qpos: Returns the numbers of ``qpos`` from the positions.
        qvel: Returns the numbers of ``qvel`` from positions and velocities.
        is_reversed: Whether parent and child are exchanged in the file; all coordinates here are those of the file.
    """

    model: str
    label: str
    positions: Coordinates
    velocities: Coordinates
    reference: Coordinates
    qpos: Callable[[Coordinates], tuple[float, ...]]
    qvel: Callable[[Coordinates, Coordinates], tuple[float, ...]]
    is_reversed: bool = False


_COLLECTIONS = {
    "body": "bodies",
    "joint": "joints",
    "actuator": "actuators",
    "tendon": "tendons",
    "equality": "equalities",
    "pair": "contact_pairs",
    "sensor": "sensors",
    "camera": "cameras",
    "light": "lights",
    "material": "appearances",
    "texture": "textures",
    "key": "keyframes",
}
"""Named elements of models by kind."""


class MjcfNames:
    """Names in the file: those of the model, with the model's name as a prefix if several models have one.

    Args:
        ledger: Receives names that change.
    """

    def __init__(self, world: World, ledger: Ledger) -> None:
        self._ledger = ledger
        self._taken: defaultdict[str, set[str]] = defaultdict(set)
        self._taken["body"].add(WORLD)  # reserved by MuJoCo
        self._counts: Mapping[str, Counter[str]] = {
            **{
                kind: Counter(item.name for model in world.models for item in getattr(model, collection))
                for kind, collection in _COLLECTIONS.items()
            },
            "body": Counter([WORLD, WORLD, *(body.name for model in world.models for body in model.bodies)]),
            "site": Counter(frame.name for model in world.models for body in model.bodies for frame in body.frames),
        }
        self.bodies: dict[tuple[str, str], str] = {}
        for model in world.models:
            for body in model.bodies:
                if is_world(model, body):
                    self.bodies[model.name, body.name] = WORLD
                elif model.bodies[body.name] is body:
                    path = f"{model.name}/{body.name}"
                    self.bodies[model.name, body.name] = self.take("body", model.name, body.name, path)

    def take(self, kind: str, model: str, name: str, path: str | None = None) -> str:
        """Return the name of an element in the file, unique among those of a kind.

        Args:
            kind: The kind of element in MJCF.
            model: The model, whose name is the prefix of a name that is not unique.
            name: The wanted name.
            path: Path of the element in the World, for the ledger; None if it has no name there.
        """
        written = take_unique_name(self.wanted(kind, model, name), self._taken[kind])
        if path is not None and written != name:
            self._record_name(kind, model, name, path, written)
        return written

    def _record_name(self, kind: str, model: str, name: str, path: str, written: str) -> None:
        detail = "the name is changed, because MJCF has one name space"
        if kind in _COLLECTIONS and path == f"{model}/{name}":
            changed = WrittenName(model=model, collection=_COLLECTIONS[kind], name=name, written=written)
            self._ledger.renamed(changed, detail)
        else:
            self._ledger.approximated(f"{path}.name", detail, before=name, after=written)

    def wanted(self, kind: str, model: str, name: str) -> str:
        """Return the name of an element of a model in the file, if no added element has it."""
        wanted = xml.printable(name) or kind
        return f"{model}/{wanted}" if self._counts.get(kind, Counter())[name] > 1 else wanted

    def body(self, model: str, name: str | None) -> str:
        """Return the name of a body in the file; None is the world."""
        return WORLD if name is None else self.bodies[model, name]


def is_world(model: Model, body: Body) -> bool:
    """Whether a body is MuJoCo's world: it has this name, and is fixed to the world at its origin."""
    if body.name != WORLD or body.pose != IDENTITY or model.pose != IDENTITY or body.mocap:
        return False
    is_massless = body.inertial in (Inertial(mass=0.0), Inertial(mass=0.0, moment=(ZERO3, ZERO3, ZERO3)))
    fixed = [joint for joint in model.joints if joint.child == WORLD]
    is_fixed = len(fixed) == 1 and fixed[0].parent is None and isinstance(fixed[0].type, Fixed)
    return is_massless and (is_fixed or model.static)


@dataclass(slots=True, kw_only=True)
class MjcfDocument:
    """An MJCF document that is being written.

    Attributes:
        euler_order: The order of Euler angles in the file.
        assets: The elements of ``asset``; likewise the other sections.
        coordinates: Coordinates of the model by model, joint and number.
        joint_names: Names of joints in the file by model, joint and number of the coordinate.
        site_names: Names of sites by model, body and frame.
        geom_names: Names of geoms by model, body and shape.
        collision_nodes: The first geom of each collision shape by model, body and index.
        states: States of joints by the ``id`` of the joint's node.
        body_nodes: The elements of bodies by model and body.
        collidable: The names of bodies with collision shapes by model.
    """

    world: World
    context: WriteContext
    names: MjcfNames
    euler_order: EulerOrder
    worldbody: XmlNode = field(default_factory=lambda: element("worldbody"))
    assets: list[XmlNode] = field(default_factory=list)
    contacts: list[XmlNode] = field(default_factory=list)
    equalities: list[XmlNode] = field(default_factory=list)
    tendons: list[XmlNode] = field(default_factory=list)
    actuators: list[XmlNode] = field(default_factory=list)
    controls: list[float] = field(default_factory=list)
    sensors: list[XmlNode] = field(default_factory=list)
    coordinates: dict[tuple[str, str, int], WrittenCoordinate] = field(default_factory=dict)
    joint_names: dict[tuple[str, str, int], str] = field(default_factory=dict)
    site_names: dict[tuple[str, str, str], str] = field(default_factory=dict)
    geom_names: dict[tuple[str, str, str], str] = field(default_factory=dict)
    actuator_names: dict[tuple[str, str], str] = field(default_factory=dict)
    sensor_names: dict[tuple[str, str], str] = field(default_factory=dict)
    tendon_names: dict[tuple[str, str], str] = field(default_factory=dict)
    collision_nodes: dict[tuple[str, str, int], XmlNode] = field(default_factory=dict)
    states: dict[int, JointState] = field(default_factory=dict)
    body_nodes: dict[tuple[str, str], XmlNode] = field(default_factory=dict)
    collidable: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    _initial_poses: dict[str, dict[str, Pose]] = field(default_factory=dict)
    _moving_joints: dict[str, set[str]] = field(default_factory=dict)

    @property
    def is_mjcf_world(self) -> bool:
        """Whether the World states MuJoCo's options: it is written as it is, without additions for other formats."""
        return hint_of(self.world, MujocoOption) is not None

    @property
    def equality_time_constant(self) -> float:
        """The time constant of equalities [s]: MuJoCo's default in its own Worlds, else two time steps."""
        return DEFAULT_TIME_CONSTANT_S if self.is_mjcf_world else 2.0 * self.world.time_step

    def initial_poses(self, model: Model) -> dict[str, Pose]:
        """Return the initial poses of the bodies of a model in the world."""
        if model.name not in self._initial_poses:
            self._initial_poses[model.name] = model_poses(model)
        return self._initial_poses[model.name]

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self.context.ledger

    def unnamed_joint_name(self, model: Model, body: str | None, *, apart_from: str | None = None) -> str:
        """Return the name that readers give to the joint of a body with no or several joints in the file.

        Args:
            apart_from: The name of this joint in the model, which the file does not have.
        """
        if model.name not in self._moving_joints:
            self._moving_joints[model.name] = {joint.name for joint in model.joints if joint.degrees_of_freedom}
        taken = _NamesWithout(self._moving_joints[model.name], apart_from)
        return unique_name(f"{self.names.body(model.name, body)}_joint", taken)

    def joint_name(self, model: Model, joint: str, coordinate: int) -> str:
        """Return the name of the joint of a coordinate.

        Raises:
            UnwrittenReferenceError: The file does not have it; likewise for the names of other elements.
        """
        return _written(self.joint_names, (model.name, joint, coordinate), f"coordinate {coordinate} of joint '{joint}'")

    def site_name(self, model: Model, body: str, frame: str) -> str:
        """Return the name of the site of a frame."""
        return _written(self.site_names, (model.name, body, frame), f"frame '{frame}' of '{body}'")

    def geom_name(self, model: Model, body: str, shape: str) -> str:
        """Return the name of the geom of a shape."""
        return _written(self.geom_names, (model.name, body, shape), f"shape '{shape}' of '{body}'")

    def tendon_name(self, model: Model, tendon: str) -> str:
        """Return the name of a tendon."""
        return _written(self.tendon_names, (model.name, tendon), f"tendon '{tendon}'")

    def actuator_name(self, model: Model, actuator: str) -> str:
        """Return the name of an actuator; those without a model have names that are not recorded."""
        if not self.is_mjcf_world and (model.name, actuator) not in self.actuator_names:
            return actuator
        return _written(self.actuator_names, (model.name, actuator), f"actuator '{actuator}'")

    @contextmanager
    def dropping(self, path: str, location: Location | None) -> Iterator[None]:
        """Record an element as dropped if the file does not have one to which it refers."""
        try:
            yield
        except UnwrittenReferenceError as error:
            self.ledger.dropped(path, f"it refers to {error}, which the file does not have", location=location)

    def pose_attributes(self, pose: Pose) -> dict[str, str]:
        """Return the attributes of a pose; those of the identity are omitted."""
        attributes = {}
        if pose.position != ZERO3:
            attributes["pos"] = numbers_text(pose.position)
        if pose.wxyz != IDENTITY_WXYZ:
            attributes |= self._rotation_attribute(pose)
        return attributes

    def _rotation_attribute(self, pose: Pose) -> dict[str, str]:
        spelling, quaternion = pose.spelling, quaternion_text(pose.wxyz)
        if spelling is not None and spelling.order == self.euler_order:
            text = numbers_text(spelling.angles if self.euler_order == "xyz" else spelling.angles[::-1])
            if len(text) < len(quaternion) and quaternion_from_euler(spelling.angles, spelling.order) == pose.wxyz:
                return {"euler": text}
        return {"quat": quaternion}

    def add_site(self, model: Model, body: str | None, name: str, pose: Pose) -> str:
        """Add a site to a body, or to the world in the frame of the model, and return its name in the file."""
        written = self.names.take("site", model.name, name)
        if body is not None:
            self.ledger.rewritten(f"{model.name}/{body}.frames", "sites of force elements are added")
        elif WORLD not in model.bodies:
            for added in (WORLD, f"{WORLD}_joint"):
                self.ledger.rewritten(f"{model.name}/{added}", "MuJoCo's world, with sites of force elements")
        node = self.worldbody if body is None else self.body_nodes[model.name, body]
        at = model.pose @ pose if body is None else pose
        node.children.insert(_end_of_own_elements(node), element("site", {"name": written, **self.pose_attributes(at)}))
        return written


@dataclass(frozen=True, slots=True)
class _NamesWithout(Container[str]):
    """Names without one of them; a copy of the set for each joint would take quadratic time."""

    names: set[str]
    omitted: str | None

    def __contains__(self, name: object) -> bool:
        return name != self.omitted and name in self.names


def _written(names: Mapping[Any, str], key: Hashable, what: str) -> str:
    if key not in names:
        raise UnwrittenReferenceError(what)
    return names[key]


def _end_of_own_elements(node: XmlNode) -> int:
    """Return the index of the first child body, before which the elements of the body itself are."""
    return next((index for index, child in enumerate(node.children) if child.tag == "body"), len(node.children))


def quaternion_text(wxyz: Quaternion) -> str:
    """Return a quaternion as text; as small integers if normalizing them gives it bit-exactly."""
    largest = max(map(abs, wxyz))
    w, x, y, z = (round(value / largest) + 0.0 for value in wxyz)
    return numbers_text((w, x, y, z)) if normalized((w, x, y, z)) == wxyz else numbers_text(wxyz)


def record_parts_of_bodies(document: MjcfDocument) -> None:
    """Record the frames and shapes of bodies that have other names in the file."""
    for collection, names in (("frames", document.site_names), ("shapes", document.geom_names)):
        for (model, body, name), written in names.items():
            if written != name:
                changed = WrittenName(model=model, body=body, collection=collection, name=name, written=written)
                document.ledger.names.append(changed)


def record_models(ledger: Ledger, models: Sequence[Model], name: str) -> None:
    """Record that the models become one, which has a name."""
    if [model.name for model in models] == [name]:
        return
    ledger.joined_model = name
    detail = "MJCF has one tree of bodies, with the name of the document" if len(models) == 1 else "the models become one"
    for model in models:
        ledger.rewritten(f"{model.name}.name", detail, before=model.name, after=name)
        if len(models) > 1:
            for field in ("ignored_pairs", "cameras (order)", "lights (order)"):
                if getattr(model, field.partition(" ")[0]):
                    ledger.rewritten(f"{model.name}.{field}", "the order of the tree of all models")
