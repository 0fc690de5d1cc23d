"""Compares a World with what the real OpenRAVE makes of the same file.

Every ``differences_of_…`` returns what differs, a line of text each, empty where nothing does; the program's conventions are
spelled out here and nowhere else: a circular joint reports limits of ±10000, a slide without limits ±1000000, a joint whose
limits leave no room reports 0 and 0, and what a file says nothing of has the program's own values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from openrave_reference import (
    Matrix,
    Reference,
    ReferenceBody,
    ReferenceGeometry,
    ReferenceJoint,
    ReferenceLink,
    ReferenceSample,
)
from ossature.kinematics import poses
from ossature.model import (
    Actuation,
    Body,
    Box,
    Compound,
    Coordinate,
    Cylinder,
    Expression,
    Fixed,
    Geometry,
    Joint,
    JointPosition,
    Model,
    NamedList,
    Number,
    OpenravePlanning,
    Operator,
    Prismatic,
    Range,
    Revolute,
    Sphere,
    TriangleMesh,
    Visual,
    World,
    hint_of,
)
from ossature.spatial import Pose, Vector3, rotate

CIRCULAR_LIMIT = 10000.0
SLIDE_LIMIT = 1000000.0
DEFAULT_VELOCITY = {"revolute": 0.5, "prismatic": 0.01}
DEFAULT_ACCELERATION = 50.0
DEFAULT_JERK = 50000.0
DEFAULT_WEIGHT = 1.0
DEFAULT_RESOLUTION = 0.02
CLOSE = 1e-9
_MOST_SHOWN = 9


def is_passive(joint: Joint) -> bool:
    """Return whether a joint has no degree of freedom of its own for the program."""
    return joint.actuation is Actuation.PASSIVE or any(coordinate.coupling for coordinate in joint.coordinates)


def active_joints(model: Model) -> list[Joint]:
    """Return the joints that have degrees of freedom for the program, in their order."""
    return [joint for joint in model.joints if not is_passive(joint)]


def passive_joints(model: Model) -> list[Joint]:
    """Return the others."""
    return [joint for joint in model.joints if is_passive(joint)]


def program_limits(joint: Joint) -> tuple[float, float]:
    """Return the limits of a joint's first coordinate as the program reports them [rad or m]."""
    if isinstance(joint.type, Fixed) or joint.actuation is Actuation.LOCKED:
        return (0.0, 0.0)
    coordinate = joint.coordinates[0]
    limits = coordinate.position_limits
    if coordinate.continuous:
        return (-CIRCULAR_LIMIT, CIRCULAR_LIMIT)
    if not limits.bounded:
        widest = CIRCULAR_LIMIT if _turns(joint) else SLIDE_LIMIT
        return (-widest, widest)
    return (limits.lower, limits.upper) if limits.lower < limits.upper else (0.0, 0.0)


def _turns(joint: Joint) -> bool:
    return joint.type.axes[0].is_revolute if isinstance(joint.type, Compound) else isinstance(joint.type, Revolute)


def _axis(joint: Joint) -> Vector3:
    if isinstance(joint.type, Compound):
        return joint.type.axes[0].direction
    assert isinstance(joint.type, Revolute | Prismatic)
    return joint.type.axis


def _lines(*found: Iterable[str]) -> list[str]:
    return [line for lines in found for line in lines]


def _in_order(what: str, ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    if sorted(ours) != sorted(theirs):
        absent = sorted({name for name in theirs if ours.count(name) < theirs.count(name)})
        extra = sorted({name for name in ours if ours.count(name) > theirs.count(name)})
        return [f"{what}: without {absent}, and with {extra} besides"]
    places = zip(ours, theirs, strict=True)
    return [f"{what}: in the order {list(ours)} instead of {list(theirs)}"] if any(a != b for a, b in places) else []


def _apart(what: str, ours: Any, theirs: Any, tolerance: float = CLOSE) -> list[str]:
    """Return a line where numbers differ by more than a tolerance, relative to theirs where that is above one."""
    mine, wanted = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    within = np.abs(mine - wanted) <= tolerance * np.maximum(1.0, np.abs(wanted))  # nan is not
    if np.all(within):
        return []
    if mine.size > _MOST_SHOWN:
        first = int(np.argmin(within))
        return [f"{what}: {mine.ravel()[first]:.9g} instead of {wanted.ravel()[first]:.9g} at place {first}"]
    return [f"{what}: {_short(mine)} instead of {_short(wanted)}"]


def _short(values: Matrix) -> str:
    return np.array2string(values, precision=9, separator=", ").replace("\n", "")


def _paired(model: Model, body: ReferenceBody) -> list[tuple[Joint, ReferenceJoint]]:
    """Return joints beside the program's: active ones by their place, passive ones by their names.

    Files give two joints the same name; the place among those with a degree of freedom still tells them apart.
    """
    pairs = list(zip(active_joints(model), body.joints, strict=False))
    ours = passive_joints(model)
    for theirs in body.passive_joints:
        found = next((joint for joint in ours if joint.name == theirs.name), None)
        if found is not None:
            ours.remove(found)
            pairs.append((found, theirs))
    return pairs


# What differs


def differences_of_links(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the names and the order of the links."""
    return _in_order("links", model.bodies.names(), [link.name for link in body.links])


def differences_of_joints(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in names, order, types, parents and children, axes and anchors of the joints.

    Of a turn the anchor may be any point of the axis, of a slide any point at all.
    """
    active, passive = active_joints(model), passive_joints(model)
    names = _lines(
        _in_order("joints", [joint.name for joint in active], [joint.name for joint in body.joints]),
        _in_order("passive joints", sorted(j.name for j in passive), sorted(j.name for j in body.passive_joints)),
    )
    return names or _lines(*(_joint_differences(model, ours, theirs) for ours, theirs in _paired(model, body)))


def _joint_differences(model: Model, ours: Joint, theirs: ReferenceJoint) -> list[str]:
    name = ours.name
    if (ours.parent, ours.child) != (theirs.parent, theirs.child):
        return [f"{name}: between {ours.parent} and {ours.child} instead of {theirs.parent} and {theirs.child}"]
    absent = [link for link in (theirs.parent, theirs.child) if link not in model.bodies]
    if absent:
        return [f"{name}: without the link {absent[0]}"]
    if isinstance(ours.type, Fixed):
        return [] if theirs.lower == theirs.upper else [f"{name}: fixed instead of {theirs.type}"]
    kind = "revolute" if _turns(ours) else "prismatic"
    if kind != theirs.type:
        return [f"{name}: {kind} instead of {theirs.type}"]
    frame = model.body_pose(ours.parent).inverse() @ model.bodies[ours.child].pose @ ours.pose
    axis = rotate(frame.wxyz, _axis(ours))
    lines = _apart(f"{name}: axis", axis, theirs.axis_parent)
    if kind == "revolute" and not lines:
        aside = np.cross(np.subtract(frame.position, theirs.anchor_parent), theirs.axis_parent)
        lines += _apart(f"{name}: distance from the anchor", aside, (0.0, 0.0, 0.0))
    return lines


def differences_of_masses(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in masses, centres of mass and moments of inertia; links without any are left out."""
    pairs = [(ours, link) for link in body.links if link.has_mass and (ours := model.bodies.get(link.name)) is not None]
    return _lines(*(_mass_differences(ours, link) for ours, link in pairs))


def _mass_differences(ours: Body, link: ReferenceLink) -> list[str]:
    inertial = ours.inertial
    if inertial.moment is None:
        return [f"{link.name}: no moment of inertia"]
    return _lines(
        _apart(f"{link.name}: mass", inertial.mass, link.mass),
        _apart(f"{link.name}: centre of mass", inertial.center_of_mass, link.center_of_mass),
        _apart(f"{link.name}: moment of inertia", inertial.moment, link.moment),
    )


def differences_of_limits(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the limits of the positions."""
    return _lines(
        *(
            _apart(f"{theirs.name}: limits", program_limits(ours), (theirs.lower, theirs.upper))
            for ours, theirs in _paired(model, body)
        )
    )


def differences_of_speeds(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the limits of velocity, acceleration and jerk."""
    lines = []
    for ours, theirs in _paired(model, body):
        if isinstance(ours.type, Fixed):
            continue
        coordinate = ours.coordinates[0]
        specified = [
            ("velocity", coordinate.velocity_limits, theirs.velocity, DEFAULT_VELOCITY[theirs.type]),
            ("acceleration", coordinate.acceleration_limits, theirs.acceleration, DEFAULT_ACCELERATION),
            ("jerk", coordinate.jerk_limits, theirs.jerk, DEFAULT_JERK),
        ]
        for what, limits, value, default in specified:
            lines += _speed_differences(f"{theirs.name}: {what}", limits, value, default)
    return lines


def _speed_differences(what: str, limits: Range, value: float, default: float) -> list[str]:
    return _apart(what, (-limits.lower, limits.upper) if limits.bounded else (default, default), (value, value))


def differences_of_planning(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in weights and resolutions for planners."""
    lines = []
    for ours, theirs in _paired(model, body):
        if isinstance(ours.type, Fixed):
            continue
        coordinate = ours.coordinates[0]
        planning = hint_of(coordinate, OpenravePlanning) or OpenravePlanning()
        weight = DEFAULT_WEIGHT if planning.weight is None else planning.weight
        step = DEFAULT_RESOLUTION if planning.resolution is None else planning.resolution
        lines += _apart(f"{theirs.name}: planning weight", weight, theirs.planning_weight)
        lines += _apart(f"{theirs.name}: planning resolution", step, theirs.planning_resolution)
    return lines


def differences_of_start(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the start values of the joints, passive ones included."""
    values = dict(zip(map(id, body.joints), body.values_loaded, strict=True))
    lines = []
    for ours, theirs in _paired(model, body):
        value = values.get(id(theirs), body.passive_values_loaded.get(theirs.name, 0.0))
        specified = ours.coordinates[0].initial_position if ours.coordinates else 0.0
        lines += _apart(f"{theirs.name}: start value", specified, value)
    return lines


def differences_of_formulas(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the values that mimic joints follow, at every configuration."""
    mimics = {joint.name for joint in body.passive_joints if joint.mimic is not None}
    ours = {joint.name for joint in model.joints if any(coordinate.coupling for coordinate in joint.coordinates)}
    lines = [f"{name}: no formula" for name in sorted(mimics - ours)]
    lines += [f"{name}: a formula, and the program has none" for name in sorted(ours - mimics)]
    for name in sorted(mimics & ours):
        expected = [sample.passive_values[name] for sample in body.samples]
        values = [_followed(model, name, _specified(model, body, sample)) for sample in body.samples]
        lines += _apart(f"{name}: followed value", values, expected)[:1]
    return lines


def _specified(model: Model, body: ReferenceBody, sample: ReferenceSample) -> dict[str, float]:
    """Return the positions of a configuration by name; passive joints without a formula among them."""
    active = dict(zip([joint.name for joint in active_joints(model)], sample.values, strict=False))
    return {**sample.passive_values, **active}


def _followed(model: Model, name: str, specified: Mapping[str, float]) -> float:
    joint = model.joints.get(name)
    formula = joint.coordinates[0].coupling if joint is not None and joint.coordinates else None
    if formula is None:
        return specified.get(name, math.nan)
    return value_of(formula.position, lambda other, coordinate: _followed(model, other, specified))


_OPERATORS: dict[Operator, Callable[..., float]] = {
    Operator.ADD: lambda *terms: math.fsum(terms),
    Operator.SUBTRACT: lambda a, b: a - b,
    Operator.NEGATE: lambda a: -a,
    Operator.MULTIPLY: lambda *factors: math.prod(factors),
    Operator.DIVIDE: lambda a, b: a / b,
    Operator.POWER: lambda a, b: a**b,
    Operator.ROOT: lambda a, degree=2.0: a ** (1.0 / degree),
    Operator.REMAINDER: math.fmod,
    Operator.QUOTIENT: lambda a, b: float(math.floor(a / b)),
    Operator.FLOOR: math.floor,
    Operator.CEILING: math.ceil,
    Operator.ABSOLUTE: abs,
    Operator.MINIMUM: min,
    Operator.MAXIMUM: max,
    Operator.EXPONENTIAL: math.exp,
    Operator.NATURAL_LOGARITHM: math.log,
    Operator.LOGARITHM: lambda a, base=10.0: math.log(a) / math.log(base),
    Operator.SINE: math.sin,
    Operator.COSINE: math.cos,
    Operator.TANGENT: math.tan,
    Operator.ARC_SINE: math.asin,
    Operator.ARC_COSINE: math.acos,
    Operator.ARC_TANGENT: math.atan,
    Operator.ARC_TANGENT_2: math.atan2,
    Operator.HYPERBOLIC_SINE: math.sinh,
    Operator.HYPERBOLIC_COSINE: math.cosh,
    Operator.HYPERBOLIC_TANGENT: math.tanh,
    Operator.EQUAL: lambda a, b: float(a == b),
    Operator.NOT_EQUAL: lambda a, b: float(a != b),
    Operator.GREATER: lambda a, b: float(a > b),
    Operator.GREATER_OR_EQUAL: lambda a, b: float(a >= b),
    Operator.LESS: lambda a, b: float(a < b),
    Operator.LESS_OR_EQUAL: lambda a, b: float(a <= b),
    Operator.AND: lambda *terms: float(all(terms)),
    Operator.OR: lambda *terms: float(any(terms)),
    Operator.NOT: lambda a: float(not a),
    Operator.CHOOSE: lambda condition, then, otherwise: then if condition else otherwise,
}


def value_of(expression: Expression, position: Callable[[str, int], float]) -> float:
    """Return the value of an expression, worked out here and not by the package.

    Args:
        expression: The expression.
        position: Returns the position of a joint's coordinate [rad or m].
    """
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, JointPosition):
        return position(expression.joint, expression.coordinate)
    return float(_OPERATORS[expression.operator](*(value_of(operand, position) for operand in expression.operands)))


def differences_of_ignored_pairs(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the pairs of links that do not collide."""
    ours = {frozenset(pair) for pair in model.ignored_pairs}
    absent = [f"{_pair(pair)} may collide" for pair in sorted(body.ignored_pairs - ours, key=sorted)]
    return absent + [f"{_pair(pair)} may not collide" for pair in sorted(ours - body.ignored_pairs, key=sorted)]


def _pair(pair: frozenset[str]) -> str:
    return " and ".join(sorted(pair))


def differences_of_manipulators(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the manipulators: names, links, frames, directions and grippers."""
    names = _in_order("manipulators", model.manipulators.names(), [theirs.name for theirs in body.manipulators])
    if names:
        return names
    lines = []
    for ours, theirs in zip(model.manipulators, body.manipulators, strict=True):
        if (ours.base, ours.tip) != (theirs.base, theirs.tip):
            lines.append(f"{ours.name}: from {ours.base} to {ours.tip} instead of {theirs.base} to {theirs.tip}")
        lines += _apart(f"{ours.name}: frame", ours.pose.matrix(), theirs.pose_tip)
        lines += _apart(f"{ours.name}: direction", ours.direction, theirs.direction)
        lines += _in_order(f"{ours.name}: gripper", [joint.joint for joint in ours.gripper], theirs.gripper)
        signs = [sign for joint in ours.gripper for sign in joint.closing_directions or (0.0,)]
        if len(signs) == len(theirs.closing_directions):
            lines += _apart(f"{ours.name}: closing directions", signs, theirs.closing_directions)
        else:
            lines.append(f"{ours.name}: {len(signs)} closing directions instead of {len(theirs.closing_directions)}")
    return lines


def differences_of_sensors(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the sensors: names, links, frames and types."""
    names = _in_order("sensors", model.sensors.names(), [theirs.name for theirs in body.sensors])
    if names:
        return names
    lines = []
    for ours, theirs in zip(model.sensors, body.sensors, strict=True):
        if (ours.body or "", ours.type or "") != (theirs.link, theirs.type):
            lines.append(f"{ours.name}: a {ours.type} on {ours.body} instead of a {theirs.type} on {theirs.link}")
        lines += _apart(f"{ours.name}: frame", ours.pose.matrix(), theirs.pose_link)
    return lines


def differences_of_shapes(model: Model, body: ReferenceBody) -> list[str]:
    """Return what differs in the shapes that are seen: their kinds and sizes; of meshes triangles, area, volume and bounds.

    The order of the shapes of a link does not count.
    """
    pairs = [(ours, link) for link in body.links if (ours := model.bodies.get(link.name)) is not None]
    return _lines(*(_shape_differences(ours, link) for ours, link in pairs))


@dataclass(frozen=True, slots=True)
class _Measured:
    """Numbers by which shapes of either side can be compared and sorted."""

    kind: str
    numbers: tuple[float, ...]
    bounds: Matrix | None

    @property
    def order(self) -> tuple[Any, ...]:
        low = tuple(np.round(self.bounds.ravel(), 6)) if self.bounds is not None else ()
        return (self.kind, *(float(f"{number:.6g}") for number in self.numbers), *low)


def _shape_differences(ours: Body, link: ReferenceLink) -> list[str]:
    left = sorted([_measured(visual) for visual in ours.visuals], key=lambda shape: shape.order)
    right = sorted([_measured_reference(geometry) for geometry in link.geometries], key=lambda shape: shape.order)
    lines = []
    for index, (mine, theirs) in enumerate(zip_longest(left, right)):
        name = f"{link.name}: shape {index}"
        if mine is None or theirs is None or mine.kind != theirs.kind:
            lines.append(f"{name}: {mine.kind if mine else 'none'} instead of {theirs.kind if theirs else 'none'}")
            continue
        lines += _apart(f"{name} ({mine.kind})", mine.numbers, theirs.numbers)
        if mine.bounds is not None and theirs.bounds is not None:
            lines += _apart(f"{name} ({mine.kind}): bounds", mine.bounds, theirs.bounds)
    return lines


def _measured(visual: Visual) -> _Measured:
    shape: Geometry = visual.geometry
    center = np.array(visual.pose.position)
    if isinstance(shape, TriangleMesh):
        return _measured_mesh(shape, visual.pose)
    if isinstance(shape, Box):
        half = np.abs(visual.pose.matrix()[:3, :3]) @ np.divide(shape.size, 2.0)
        return _Measured("box", tuple(sorted(shape.size)), np.array([center - half, center + half]))
    if isinstance(shape, Sphere):
        return _Measured("sphere", (shape.radius, *center), None)
    if isinstance(shape, Cylinder):
        return _Measured("cylinder", (shape.radius, shape.length, *center, *_line(visual.pose.matrix())), None)
    return _Measured(type(shape).__name__.lower(), (), None)


def _line(matrix: Matrix) -> tuple[float, ...]:
    """Return six numbers of the direction of the z axis that do not change when it is turned round."""
    axis = matrix[:3, 2]
    return tuple(np.outer(axis, axis)[np.triu_indices(3)])


def _measured_mesh(mesh: TriangleMesh, pose: Pose) -> _Measured:
    triangles = mesh.surface.triangles
    if not len(triangles.faces):
        return _Measured("trimesh", (0.0, 0.0, 0.0), None)
    matrix = pose.matrix()
    vertices = triangles.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    a, b, c = (vertices[triangles.faces[:, corner]] for corner in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    used = np.concatenate([a, b, c])
    bounds = np.array([used.min(axis=0), used.max(axis=0)])
    return _Measured("trimesh", (float(len(a)), float(area), float(volume)), bounds)


def _measured_reference(geometry: ReferenceGeometry) -> _Measured:
    center = geometry.pose_link[:3, 3]
    if geometry.type == "trimesh":
        return _Measured("trimesh", (float(geometry.triangles), geometry.area, geometry.volume), geometry.bounds)
    if geometry.type == "box":
        return _Measured("box", tuple(sorted(geometry.sizes)), geometry.bounds)
    if geometry.type == "sphere":
        return _Measured("sphere", (*geometry.sizes, *center), None)
    if geometry.type == "cylinder":
        return _Measured("cylinder", (*geometry.sizes, *center, *_line(geometry.pose_link)), None)
    return _Measured(geometry.type, (), None)


def differences_of_poses(model: Model, body: ReferenceBody) -> list[str]:
    """Return the links that are elsewhere, at the start values of the file and at every configuration.

    Mimic joints are put where the program has them.
    """
    places = [("start", body.values_loaded, body.passive_values_loaded, [link.pose_loaded for link in body.links])]
    places += [(f"sample {i}", s.values, s.passive_values, list(s.poses)) for i, s in enumerate(body.samples)]
    worst: dict[str, tuple[float, str]] = {}
    for name, values, passive_values, expected in places:
        ours = placed(model, values, passive_values)
        for link, theirs in zip(body.links, expected, strict=True):
            if link.name in ours:
                error = float(np.abs(ours[link.name].matrix() - theirs).max())
                error = math.inf if math.isnan(error) else error
                worst[link.name] = max(worst.get(link.name, (0.0, "")), (error, name))
    return [f"{link}: off by {error:.3g} at {name}" for link, (error, name) in worst.items() if error > CLOSE]


def placed(model: Model, values: Sequence[float], passive_values: Mapping[str, float]) -> dict[str, Pose]:
    """Return the frames of the bodies in the world at positions of the program.

    Joints of one name are told apart by their places, so the model is posed under other names.

    Args:
        model: The model.
        values: Positions of the joints that are not passive, in their order [rad or m].
        passive_values: Positions of the others, by name [rad or m].
    """
    given = iter(values)
    joints, positions = [], {}
    for index, joint in enumerate(model.joints):
        value = passive_values.get(joint.name, 0.0) if is_passive(joint) else next(given, 0.0)
        name = f"{index} {joint.name}"
        positions[name] = [value] if joint.coordinates else []
        joints.append(replace(joint, name=name, coordinates=tuple([_plain(c) for c in joint.coordinates])))
    numbered = replace(model, joints=NamedList(joints))
    return poses(World(models=NamedList([numbered])), {numbered.name: positions})[numbered.name]


def _plain(coordinate: Coordinate) -> Coordinate:
    return replace(coordinate, coupling=None)


COMPARISONS: dict[str, Callable[[Model, ReferenceBody], list[str]]] = {
    "links": differences_of_links,
    "joints": differences_of_joints,
    "masses": differences_of_masses,
    "limits": differences_of_limits,
    "speeds": differences_of_speeds,
    "planning": differences_of_planning,
    "start": differences_of_start,
    "formulas": differences_of_formulas,
    "ignored pairs": differences_of_ignored_pairs,
    "manipulators": differences_of_manipulators,
    "sensors": differences_of_sensors,
    "shapes": differences_of_shapes,
    "poses": differences_of_poses,
}
"""Every comparison of a model with a body, by what it looks at."""


def differences_of_world(world: World, wanted: Reference) -> list[str]:
    """Return what differs in gravity, in the names and the order of the models, and in what holds what."""
    held = {(grasp.link.model, grasp.body.model, grasp.link.body) for grasp in world.grasps}
    theirs = {(body.name, other, link) for body in wanted.bodies for other, link in body.grabbed}
    return _lines(
        _apart("gravity", world.gravity, wanted.gravity, 1e-7),  # theirs went through a float of four bytes
        _in_order("models", world.models.names(), [body.name for body in wanted.bodies]),
        [f"{gripper_body} does not hold {other} with {link}" for gripper_body, other, link in sorted(theirs - held)],
        [f"{gripper_body} holds {other} with {link}" for gripper_body, other, link in sorted(held - theirs)],
    )


def differences(world: World, wanted: Reference) -> dict[str, list[str]]:
    """Return all that differs, by what was looked at; models are compared in their order. What agrees is left out."""
    models = [with_passive_joints(model, body) for model, body in zip(world.models, wanted.bodies, strict=False)]
    found = {"world": differences_of_world(world, wanted)}
    for what, compare in COMPARISONS.items():
        found[what] = _lines(*(compare(model, body) for model, body in zip(models, wanted.bodies, strict=False)))
    return {what: lines for what, lines in found.items() if lines}


def with_passive_joints(model: Model, body: ReferenceBody) -> Model:
    """Return a model whose locked joints are passive if they are passive for the program."""
    passive = {joint.name for joint in body.passive_joints}
    joints = [
        replace(joint, actuation=Actuation.PASSIVE) if joint.actuation is Actuation.LOCKED and joint.name in passive else joint
        for joint in model.joints
    ]
    return replace(model, joints=NamedList(joints))
