"""Worlds that differ from a given one in exactly one field, for every field of every element in turn."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, get_args, get_origin, get_type_hints

import pytest

from ossature.model import (
    Actuator,
    Body,
    BodyPath,
    Box,
    Camera,
    Channel,
    ChronoCollision,
    Collision,
    Controller,
    Coordinate,
    Coupling,
    DartStepping,
    Distortion,
    ElectricMotor,
    Extension,
    ForceMap,
    Frame,
    Grasp,
    GripperJoint,
    HardLimits,
    HeightField,
    IkFreeJoint,
    IkSolver,
    IkType,
    Imu,
    Inertial,
    Joint,
    JointPosition,
    LazyMesh,
    Load,
    Manipulator,
    Material,
    MeasuredElement,
    Measurement,
    MeshData,
    Model,
    MujocoActuator,
    MujocoBody,
    MujocoConstraint,
    MujocoGeom,
    MujocoOption,
    MujocoSensor,
    NamedList,
    Number,
    OpenravePlanning,
    OpenravePlugin,
    PartialDerivative,
    Range,
    RotationalSpringDamper,
    Sensor,
    SensorDescription,
    SoftSkin,
    Sphere,
    SpringDamper,
    SpringVisual,
    StereoView,
    TorquePoint,
    Trajectory,
    Visual,
    World,
)
from ossature.model.element_fields import elements
from ossature.model.name_references import BODY_FIELDS, JOINT_FIELDS
from ossature.model.sensor_fields import settings_of
from ossature.spatial import Pose, multiply, normalized, quaternion_from_rotation_vector, unit

SMALL_TURN = quaternion_from_rotation_vector((0.1, -0.2, 0.3))
UNIT_VECTORS = {"axis", "axis1", "axis2", "normal", "direction"}
NAMES = {"ignored_pairs", "ignored_bodies"}
GROWING = {"deformations", "velocities", "times"}
SENSORS = get_args(SensorDescription)
REFERENCES = {*BODY_FIELDS, *JOINT_FIELDS, "format", "key", "value", "model"} - {"chain_end"}
AS_MANY_AS_COORDINATES = ("coordinates", "axes")
BALL = Sphere(radius=0.0625)
WHERE_UNSET: dict[tuple[type, str], Any] = {
    (Visual, "color"): (0.25, 0.5, 0.75, 1.0),
    (Inertial, "moment"): ((0.5, 0.0, 0.0), (0.0, 0.625, 0.0), (0.0, 0.0, 0.75)),
    (Body, "soft_skin"): SoftSkin(geometry=Box(size=(0.5, 0.25, 0.125)), mass=0.25, subdivisions=(3, 3, 3)),
    (Visual, "name"): "changed",
    (Collision, "name"): "changed",
    (Coordinate, "name"): "changed",
    (Coordinate, "hard_limits"): HardLimits(position=Range(lower=-2.5, upper=2.5)),
    (Coordinate, "coupling"): Coupling(position=Number(value=0.125)),
    (OpenravePlanning, "weight"): 1.5,
    (OpenravePlanning, "resolution"): 0.0625,
    (World, "end_time"): 2.5,
    (Body, "self_collisions"): (Collision(geometry=BALL),),
    (Collision, "material"): Material(name="changed", friction=0.25),
    **{
        (Material, name): 0.375
        for name in (
            "friction",
            "restitution",
            "young_modulus",
            "poisson_ratio",
            "normal_stiffness",
            "normal_damping",
            "tangential_stiffness",
            "tangential_damping",
        )
    },
    (Material, "name"): "changed",
    (SpringDamper, "free_length"): 0.75,
    (SpringDamper, "force_map"): ForceMap(deformations=(0.0, 1.0), velocities=(-1.0, 1.0), forces=((0.0, 1.0), (2.0, 3.0))),
    (SpringDamper, "length_range"): (0.25, 2.0),
    (SpringDamper, "visual"): SpringVisual(),
    (SpringVisual, "radius"): 0.0625,
    (SpringVisual, "coil_count"): 7.0,
    (SpringVisual, "resolution"): 33,
    (SpringVisual, "color"): (0.25, 0.5, 0.75, 1.0),
    (RotationalSpringDamper, "free_angle"): 0.125,
    (Load, "value"): (1.0, 2.0, 3.0),
    (OpenravePlugin, "kind"): "robot",
    (OpenravePlugin, "plugin"): "changed",
    (IkSolver, "type"): IkType.TRANSFORM_6D,
    (IkSolver, "interface"): OpenravePlugin(name="changed"),
    (IkFreeJoint, "step"): 0.25,
    (Sensor, "type"): "changed",
    (Sensor, "description"): Imu(measurement_time=0.5),
    (Sensor, "interface"): OpenravePlugin(name="changed"),
    (Sensor, "hardware_id"): "changed",
    **{(kind, name): None for kind in SENSORS for name in settings_of(kind)},
    (StereoView, "pose"): Pose((0.25, 0.0, 0.0)),
    (StereoView, "rectification"): ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    (Actuator, "type"): "changed",
    (Actuator, "motor"): ElectricMotor(gear_ratio=3.0),
    (Actuator, "controller"): Controller(proportional=2.0, derivative=0.5),
    **{
        (ElectricMotor, item.name): 0.375
        for item in dataclasses.fields(ElectricMotor)
        if item.default is None and item.compare and item.name != "model_type"
    },
    (ElectricMotor, "model_type"): "changed",
}
"""Optional fields with a value to set them to where they are not set; where they are, they are unset too."""
WHERE_EMPTY: dict[tuple[type, str], Any] = {
    (Body, "visuals"): Visual(geometry=BALL),
    (Body, "collisions"): Collision(geometry=BALL),
    (Body, "frames"): Frame(name="changed"),
    (World, "hints"): DartStepping(),
    (Body, "hints"): ChronoCollision(family=3),
    (Coordinate, "hints"): OpenravePlanning(resolution=0.0625),
    (Model, "hints"): OpenravePlugin(name="changed"),
    (Model, "ignored_pairs"): ("changed", "other"),
    (Trajectory, "channels"): Channel(model="changed", joint="other", times=(0.0,), values=(0.5,)),
    (Channel, "in_tangents"): (0.25, 0.5),
    (Channel, "out_tangents"): (0.25, 0.5),
    (World, "grasps"): Grasp(link=BodyPath(model="changed", body="hand"), body=BodyPath(model="other", body="thing")),
    (Grasp, "ignored_bodies"): "changed",
    (Coupling, "partials"): PartialDerivative(order=1, joint="changed", expression=JointPosition(joint="changed")),
    (Manipulator, "gripper"): GripperJoint(joint="changed"),
    (Manipulator, "solvers"): IkSolver(type=IkType.RAY_4D),
    (IkSolver, "free_joints"): IkFreeJoint(joint="changed"),
    (GripperJoint, "closing_directions"): 1.0,
    **{
        (kind, name): Extension(format="other", key="changed", value="yes")
        for kind, name in (
            (World, "extensions"),
            (Model, "extensions"),
            (Body, "extensions"),
            (Joint, "extensions"),
            (Manipulator, "extensions"),
            (IkSolver, "extensions"),
            (Sensor, "settings"),
            (Actuator, "settings"),
        )
    },
    (ElectricMotor, "nominal_points"): TorquePoint(speed=0.0, torque=0.5),
    (ElectricMotor, "max_points"): TorquePoint(speed=0.0, torque=0.5),
    (Distortion, "coefficients"): 0.25,
    (SpringDamper, "spring_curve"): (0.0, 1.0),
    (SpringDamper, "damping_curve"): (0.0, 1.0),
    (RotationalSpringDamper, "spring_curve"): (0.0, 1.0),
    (RotationalSpringDamper, "damping_curve"): (0.0, 1.0),
}
"""Fields that hold any number of elements, with one to put into them where there is none."""

OPTIONAL_FIELDS_OF = {
    f"ossature.model.{name}"
    for name in ("actuator_model", "appearance", "cameras_and_lights", "keyframe", "mujoco_hints", "tendon")
}
"""Modules of classes of which each optional field is unset if it is set."""
CHOICES: dict[tuple[type, str], tuple[Any, ...]] = {
    (MujocoOption, "integrator"): ("Euler", "implicitfast"),
    (MujocoOption, "cone"): ("pyramidal", "elliptic"),
    (MujocoOption, "jacobian"): ("sparse", "dense"),
    (MujocoOption, "solver"): ("PGS", "CG"),
    (MujocoOption, "disabled"): (("limit", "contact"), ("actuation",)),
    (MujocoOption, "enabled"): (("energy", "fwdinv"), ("override",)),
    (MujocoBody, "sleep"): ("never", "allowed"),
    (MujocoBody, "simple"): (),
    (HeightField, "rows"): (),  # as many as there are elevations
    (HeightField, "columns"): (),
    (Measurement, "quantity"): (),  # another quantity is of another element
    (MeasuredElement, "kind"): (),  # another kind of element has other fields
    (MujocoGeom, "condim"): (4, 6),
    (MujocoConstraint, "condim"): (4, 6),
    (MujocoActuator, "input"): (),
    (MujocoActuator, "interp"): ("linear", "cubic"),
    (MujocoSensor, "interp"): ("linear", "cubic"),
    (MujocoSensor, "data"): (("dist", "normal"), ("normal",)),
    (MujocoSensor, "reduce"): ("mindist", "maxforce"),
    (MujocoSensor, "datatype"): ("axis", "quaternion"),
    (MujocoSensor, "needstage"): ("vel", "pos"),
    (Camera, "output"): (("rgb", "depth"), ("rgb",)),
}
"""Values of a text or of several that are not free: one that differs is put into the field."""
MAY_BE_LEFT_OUT = {(SoftSkin, "subdivisions"), (Joint, "parent"), (Sensor, "body")}
"""Fields that are unset where they are set."""


class Changes(Protocol):
    """Changes one field of a world after the other."""

    def __call__(self, world: World, *others: World) -> Iterator[tuple[str, World]]:
        """Yield ``(path, changed world)``; the others are changed by somebody else."""


def perturbations(world: World, *others: World) -> Iterator[tuple[str, World]]:
    """Yield a world for every field, whatever others have; the path is spelled as the comparison spells it."""
    yield from _of(world, "")


def one_of_each_kind(world: World, *others: World) -> Iterator[tuple[str, World]]:
    """Yield those that change each field of elements of one kind once, in a world with one model alone.

    Much the same is tested in a fraction of the time, where no model needs another one. Kinds that one of the others has are
    left to it. Fields of several elements are changed in one world, as long as none of them is removed or renamed.
    """
    seen = {kind for other in others for alone in _models_alone(other) for kind, _, _ in _with_kinds(alone)}
    for alone in _models_alone(world):
        of_elements: dict[str, list[tuple[str, World]]] = {}
        for kind, where, changed in _with_kinds(alone):
            if kind in seen:
                continue
            seen.add(kind)
            element = _element_with_field(where)
            if element is None:
                yield where, changed
            else:
                of_elements.setdefault(element, []).append((where, changed))
        for changes in itertools.zip_longest(*of_elements.values()):
            yield _merged_changes(alone, [change for change in changes if change is not None])


def _element_with_field(where: str) -> str | None:
    """Return the path of the element with a changed field; None if the change is of its name or of a whole model."""
    element, _, name = where.partition(".")
    return element if element.count("/") == 1 and name not in {"", "name"} else None


def _merged_changes(base: World, changes: Sequence[tuple[str, World]]) -> tuple[str, World]:
    merged = base
    for _, changed in changes:
        merged = _merged(base, merged, changed)
    return " or ".join(where for where, _ in changes), merged


def _merged(base: Any, first: Any, second: Any) -> Any:
    """Return a value with the changes of two others, which change different elements of it."""
    if first is base or first == base:
        return second
    if second is base or second == base:
        return first
    if isinstance(base, NamedList):
        return NamedList([_merged(*items) for items in zip(base, first, second, strict=True)])
    values = {item.name: [getattr(each, item.name) for each in (base, first, second)] for item in dataclasses.fields(base)}
    return dataclasses.replace(base, **{name: _merged(*three) for name, three in values.items()})


def before(path: Path, paths: Sequence[Path]) -> Sequence[Path]:
    """Return those of several files that come before one."""
    return paths[: paths.index(path)]


def _models_alone(world: World) -> list[World]:
    return [dataclasses.replace(world, models=NamedList([model])) for model in world.models] or [world]


def _with_kinds(world: World) -> Iterator[tuple[str, str, World]]:
    kinds = _kinds_of_named_elements(world)
    for where, changed in perturbations(world):
        yield _kind_of_field(where, kinds), where, changed


EACH = pytest.mark.parametrize(
    "changes",
    [pytest.param(one_of_each_kind, id="of_each_kind"), pytest.param(perturbations, id="all", marks=pytest.mark.slow)],
)
"""For tests that change fields in turn: one of each kind in every run, all of them in long runs."""


def _kinds_of_named_elements(world: World) -> dict[str, str]:
    """Return what each element that has a name is: its class, and the type that it states."""
    return {
        path: f"{type(element).__name__} {_specified_type(element)}"
        for path, element, _ in elements(world)
        if "." not in path.rpartition("/")[2]
    }


def _specified_type(element: Any) -> str:
    specified = getattr(element, "type", None)
    return type(specified).__name__ if dataclasses.is_dataclass(specified) else str(specified)


def _kind_of_field(where: str, kinds: dict[str, str]) -> str:
    name = where
    while name and name not in kinds:
        name = name[: max(name.rfind("."), name.rfind("["), 0)]
    return f"{kinds.get(name)} {re.sub('[0-9]+', '', where.removeprefix(name))}"


def _of(element: Any, path: str) -> Iterator[tuple[str, Any]]:
    for item in dataclasses.fields(element):
        if not item.compare:
            continue
        value = getattr(element, item.name)
        here = f"{path}.{item.name}" if path else item.name
        for where, changed in _set_or_unset(item.name, value, here, element):
            yield where, dataclasses.replace(element, **{item.name: changed})
        for where, changed in _changed(item.name, value, here, path, element):
            yield where, dataclasses.replace(element, **{item.name: changed})


def _set_or_unset(name: str, value: Any, here: str, owner: Any) -> Iterator[tuple[str, Any]]:
    field = (type(owner), name)
    if type(owner).__module__ in OPTIONAL_FIELDS_OF and value is not None and _default_of(owner, name) is None:
        yield here, None
    elif field in WHERE_UNSET and WHERE_UNSET[field] != value:
        yield here, WHERE_UNSET[field] if value is None else None
    elif field in WHERE_EMPTY and not value:
        yield here, (WHERE_EMPTY[field],)
    elif field in MAY_BE_LEFT_OUT and value is not None:
        yield here, None


def _default_of(owner: Any, name: str) -> Any:
    return next(item.default for item in dataclasses.fields(owner) if item.name == name)


def _choices(owner: Any, name: str) -> tuple[Any, ...] | None:
    """Return the values that a field can have, or None if they are free."""
    if (type(owner), name) in CHOICES:
        return CHOICES[type(owner), name]
    hint = _HINTS.get(type(owner)) or _HINTS.setdefault(type(owner), get_type_hints(type(owner)))
    alternatives = (hint[name], *get_args(hint[name]))
    return next((get_args(one) for one in alternatives if get_origin(one) is Literal), None)


_HINTS: dict[type, dict[str, Any]] = {}


def _changed(name: str, value: Any, here: str, path: str, owner: Any) -> Iterator[tuple[str, Any]]:
    choices = None if value is None or not dataclasses.is_dataclass(owner) else _choices(owner, name)
    if choices is not None:
        yield from [(here, choice) for choice in choices if choice != value][:1]
    elif isinstance(value, NamedList):
        yield from _named(value, path)
    elif isinstance(value, Pose):
        x, y, z = value.position
        yield f"{here}.position", Pose((x + 0.125, y, z), value.wxyz, value.spelling)
        yield f"{here}.wxyz", Pose(value.position, normalized(multiply(value.wxyz, SMALL_TURN)))
    elif isinstance(value, LazyMesh):
        yield here, LazyMesh(MeshData(vertices=1.25 * value.triangles.vertices, faces=value.triangles.faces))
    elif isinstance(value, enum.Enum):
        yield here, next(choice for choice in type(value) if choice is not value)
    elif isinstance(value, bool):
        yield here, not value
    elif isinstance(value, int):
        yield here, value + 1
    elif isinstance(value, float):
        yield here, value + 0.25 if abs(value) != float("inf") else (-0.5 if value < 0 else 0.5)
    elif isinstance(value, str):
        yield from _text(name, value, here)
    elif isinstance(value, tuple):
        yield from _tuple(name, value, here, owner)
    elif dataclasses.is_dataclass(value):
        yield from _of(value, here)


def _named(value: NamedList[Any], path: str) -> Iterator[tuple[str, Any]]:
    items = list(value)
    for index, item in enumerate(items):
        inner = f"{path}/{item.name}" if path else item.name
        yield inner, NamedList([*items[:index], *items[index + 1 :]])
        for where, changed in _of(item, inner):
            yield where, NamedList([*items[:index], changed, *items[index + 1 :]])


def _text(name: str, value: str, here: str) -> Iterator[tuple[str, Any]]:
    if name == "order":
        yield here, "zyx" if value == "xyz" else "xyz"
    elif name == "method":
        yield here, "NSC" if value == "SMC" else "SMC"
    elif name == "style":
        yield here, "segment" if value == "spring" else "spring"
    elif name not in REFERENCES:
        yield here, value + " changed"


def _tuple(name: str, value: tuple[Any, ...], here: str, owner: Any) -> Iterator[tuple[str, Any]]:
    if value and dataclasses.is_dataclass(value[0]):
        if name not in AS_MANY_AS_COORDINATES:
            yield here, value[1:]
        for index, item in enumerate(value):
            for where, changed in _of(item, f"{here}[{index}]"):
                yield where, (*value[:index], changed, *value[index + 1 :])
    elif value and isinstance(value[0], enum.Enum):
        last = next(choice for choice in type(value[-1]) if choice is not value[-1])
        yield here, (*value[:-1], last)
    elif name in UNIT_VECTORS:
        yield here, unit((value[0] + 0.0, value[1] * 0.96 + 0.28 * value[2], value[2] * 0.96 - 0.28 * value[1] + 1e-3))
    elif name in NAMES and value:
        yield here, value[1:]
    elif value and isinstance(value[0], tuple) and not isinstance(owner, Inertial):
        last = value[-1]
        yield here, (*value[:-1], (*last[:-1], last[-1] * 0.5 + 0.125))
    elif name in GROWING:
        yield here, (*value[:-1], value[-1] + 0.25)
    elif isinstance(owner, Inertial) and name == "moment":
        yield here, tuple(tuple(entry * 1.25 for entry in row) for row in value)
    elif value and isinstance(value[0], int):
        yield here, (value[0] + 1, *value[1:])
    elif value and isinstance(value[0], str):
        yield here, (*value[:-1], value[-1] + " changed")
    elif value:
        yield here, (*value[:-1], value[-1] * 0.5 + 0.125)
