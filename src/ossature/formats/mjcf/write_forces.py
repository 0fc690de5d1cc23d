"""Writer of force elements: spring-dampers as tendons or springs of joints, others as actuators of sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ossature.formats.format import ActuatorKind
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.write_context import NO_FUNCTIONS, MjcfDocument, WrittenCoordinate
from ossature.formats.mjcf.write_derived_equalities import add_spatial_tendon
from ossature.kinematics import Tree, model_poses, value_at
from ossature.model import (
    Bushing,
    ConstantFunction,
    DriveMode,
    Load,
    LoadKind,
    Model,
    Motor,
    RotationalSpringDamper,
    SpringDamper,
)
from ossature.model.joint import Z_AXIS
from ossature.model.value_text import value_text
from ossature.spatial import IDENTITY, Pose, Vector3, dot, norm, quaternion_between, rotate, subtract
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_PARALLEL = 1e-9
_OPPOSITE_FORCE = "MuJoCo applies the opposite force at the second site, not at the first"


def write_forces(document: MjcfDocument, model: Model, tree: Tree) -> None:
    """Add the force elements of a model."""
    if model.static:
        return
    poses = model_poses(model, tree=tree)
    for spring in model.spring_dampers:
        _write_spring(document, model, spring, poses)
    for rotational in model.rotational_spring_dampers:
        _write_rotational_spring(document, model, rotational, poses)
    for bushing in model.bushings:
        _write_bushing(document, model, bushing, poses)
    for load in model.loads:
        _write_load(document, model, load, poses)
    for motor in model.motors:
        if motor.joint_type is None:
            _write_free_motor(document, model, motor, poses)


def _pose_of(model: Model, body: str | None, poses: Mapping[str, Pose]) -> Pose:
    return model.pose if body is None else poses[body]


def _are_known(document: MjcfDocument, model: Model, name: str, bodies: Sequence[str | None]) -> bool:
    unknown = [body for body in bodies if body is not None and (model.name, body) not in document.body_nodes]
    if unknown:
        document.ledger.dropped(f"{model.name}/{name}", f"it refers to the unknown body '{unknown[0]}'")
    return not unknown


def _write_spring(document: MjcfDocument, model: Model, spring: SpringDamper, poses: Mapping[str, Pose]) -> None:
    path = f"{model.name}/{spring.name}"
    if not _are_known(document, model, spring.name, (spring.body1, spring.body2)):
        return
    ends = ((spring.body1, spring.point1), (spring.body2, spring.point2))
    tendon = add_spatial_tendon(document, model, spring.name, *ends)
    length = spring.free_length
    if length is None:
        first, second = (_pose_of(model, body, poses).transform(point) for body, point in ends)
        length = norm(subtract(first, second))
    attributes = tendon.attributes
    if spring.length_range is not None:
        attributes["range"] = numbers_text(spring.length_range)
        document.ledger.approximated(f"{path}.length_range", "stops are MuJoCo's limits of a tendon, with its own stiffness")
    if spring.stiffness:
        # A constant force is a longer spring.
        attributes["springlength"] = format_number(length + spring.preload / spring.stiffness)
        attributes["stiffness"] = format_number(spring.stiffness)
    elif spring.preload:
        _add_bias(document, model, spring.name, {"tendon": attributes["name"]}, (spring.preload, 0.0, 0.0))
    if spring.damping:
        attributes["damping"] = format_number(spring.damping)
    document.tendons.append(tendon)
    document.ledger.rewritten(path, "a tendon with stiffness and damping")
    _record_tables(document, path, spring)
    if any(spring.degressivity):
        document.ledger.dropped(f"{path}.degressivity", "MuJoCo's dampers are not degressive")


def _record_tables(document: MjcfDocument, path: str, spring: SpringDamper | RotationalSpringDamper) -> None:
    for field in ("spring_curve", "damping_curve", "force_map"):
        if getattr(spring, field, None):
            document.ledger.dropped(
                f"{path}.{field}", "MuJoCo has no tables of forces", before=value_text(getattr(spring, field))
            )


def _write_rotational_spring(
    document: MjcfDocument, model: Model, spring: RotationalSpringDamper, poses: Mapping[str, Pose]
) -> None:
    path = f"{model.name}/{spring.name}"
    if not _are_known(document, model, spring.name, (spring.body1, spring.body2)):
        return
    _record_tables(document, path, spring)
    free = spring.free_angle or 0.0
    hinge, sign = _hinge_between(document, model, spring)
    if hinge is not None and not {"stiffness", "damping", "springref"} & set(hinge.node.attributes):
        start = hinge.coordinate.initial_position
        own = hinge.node.attributes
        if spring.stiffness:
            own["springref"] = format_number(start + sign * (free + spring.preload / spring.stiffness))
            own["stiffness"] = format_number(spring.stiffness)
        elif spring.preload:
            _add_bias(document, model, spring.name, {"joint": hinge.name}, (sign * spring.preload, 0.0, 0.0))
        if spring.damping:
            own["damping"] = format_number(spring.damping)
        document.ledger.rewritten(path, f"stiffness and damping of the joint '{hinge.name}'")
        for field in ("stiffness", "damping", "spring_reference"):
            document.ledger.rewritten(f"{hinge.path}.{field}", f"those of the spring '{spring.name}'")
        return
    body1 = _pose_of(model, spring.body1, poses)
    frame = Pose(spring.point, quaternion_between(Z_AXIS, spring.axis))
    reference = document.add_site(model, spring.body1, f"{spring.name}_1", frame)
    own_frame = _pose_of(model, spring.body2, poses).inverse() @ body1 @ frame
    site = document.add_site(model, spring.body2, f"{spring.name}_2", own_frame)
    gear = {"site": site, "refsite": reference, "gear": "0 0 0 0 0 1"}
    bias = (spring.preload + spring.stiffness * free, -spring.stiffness, -spring.damping)
    _add_bias(document, model, spring.name, gear, bias)
    document.ledger.rewritten(path, "an actuator between two sites; it does not count revolutions")


def _hinge_between(
    document: MjcfDocument, model: Model, spring: RotationalSpringDamper
) -> tuple[WrittenCoordinate | None, float]:
    """Return the hinge whose angle is that of a spring, and the sign between them."""
    for coordinate in document.coordinates.values():
        joint = coordinate.joint
        ends = (joint.parent, joint.child)
        if coordinate.model is not model or not coordinate.is_rotation or joint.degrees_of_freedom != 1:
            continue
        if set(ends) != {spring.body1, spring.body2}:
            continue
        outer = IDENTITY if spring.body1 is None else model.bodies[spring.body1].pose
        inner = model.bodies[joint.child].pose @ joint.pose
        axis = rotate(inner.wxyz, joint.type.axis) if hasattr(joint.type, "axis") else (0.0, 0.0, 0.0)
        cosine = dot(rotate(outer.wxyz, spring.axis), axis)
        if abs(abs(cosine) - 1.0) < _PARALLEL:
            return coordinate, (1.0 if cosine > 0.0 else -1.0) * (1.0 if joint.child == spring.body2 else -1.0)
    return None, 1.0


def _write_bushing(document: MjcfDocument, model: Model, bushing: Bushing, poses: Mapping[str, Pose]) -> None:
    path = f"{model.name}/{bushing.name}"
    if not _are_known(document, model, bushing.name, (bushing.body1, bushing.body2)):
        return
    body1, body2 = (_pose_of(model, body, poses) for body in (bushing.body1, bushing.body2))
    site = document.add_site(model, bushing.body1, f"{bushing.name}_1", bushing.pose)
    relaxed = bushing.pose2 or body2.inverse() @ body1 @ bushing.pose
    reference = document.add_site(model, bushing.body2, f"{bushing.name}_2", relaxed)
    for number, label in enumerate(("x", "y", "z", "rx", "ry", "rz")):
        stiffness, damping = bushing.stiffness[number], bushing.damping[number]
        if stiffness or damping:
            gear = numbers_text([1.0 if number == each else 0.0 for each in range(6)])
            ends = {"site": site, "refsite": reference, "gear": gear}
            _add_bias(document, model, f"{bushing.name}_{label}", ends, (0.0, -stiffness, -damping))
    document.ledger.approximated(path, f"actuators between two sites, one for each direction; {_OPPOSITE_FORCE}")


def _write_load(document: MjcfDocument, model: Model, load: Load, poses: Mapping[str, Pose]) -> None:
    path = f"{model.name}/{load.name}"
    if not _are_known(document, model, load.name, (load.body,)):
        return
    if load.value is None:
        document.ledger.dropped(path, "a load that another program supplies", location=load.origin)
        return
    if not isinstance(load.modulation, ConstantFunction):
        before = value_text(load.modulation, longest=None)
        document.ledger.approximated(f"{path}.modulation", "constant: MJCF has no functions of time", before=before)
    point = load.point
    if not load.applied_at_body_point:
        point = (poses[load.body].inverse() @ model.pose).transform(load.point)
        document.ledger.approximated(f"{path}.point", "the point of action moves with the body")
    ends = {"site": document.add_site(model, load.body, load.name, Pose(point))}
    if not load.expressed_in_body_frame:
        ends["refsite"] = document.add_site(model, None, f"{load.name}_axes", Pose())
    ends["gear"] = numbers_text(_wrench(load.kind, load.value, float(value_at(load.modulation, 0.0))))
    # The force of the actuator is one, and its gear the load.
    _add_bias(document, model, load.name, ends, (1.0, 0.0, 0.0))
    document.ledger.rewritten(path, "an actuator with a constant force")


def _wrench(kind: LoadKind, value: Vector3, factor: float) -> tuple[float, ...]:
    x, y, z = (factor * each for each in value)
    return (x, y, z, 0.0, 0.0, 0.0) if kind is LoadKind.FORCE else (0.0, 0.0, 0.0, x, y, z)


def _write_free_motor(document: MjcfDocument, model: Model, motor: Motor, poses: Mapping[str, Pose]) -> None:
    """Add a motor that constrains nothing: a force along, or a torque about, its axis on its first body."""
    path = f"{model.name}/{motor.name}"
    if document.context.actuators is ActuatorKind.NONE:
        return  # the writer of actuators records it
    if not _are_known(document, model, motor.name, (motor.body1, motor.body2)):
        return
    if motor.drive is not DriveMode.FORCE:
        detail = "MuJoCo cannot prescribe one relative motion of two bodies that have no joint"
        document.ledger.dropped(path, detail, location=motor.origin)
        return
    frame = motor.pose @ Pose(wxyz=quaternion_between(Z_AXIS, motor.axis))
    between = _pose_of(model, motor.body2, poses).inverse() @ _pose_of(model, motor.body1, poses)
    site = document.add_site(model, motor.body1, f"{motor.name}_1", frame)
    reference = document.add_site(model, motor.body2, f"{motor.name}_2", between @ frame)
    gear = "0 0 0 0 0 1" if motor.guide.is_rotational else "0 0 1 0 0 0"
    name = document.names.take("actuator", model.name, motor.name)
    document.actuators.append(element("motor", {"name": name, "site": site, "refsite": reference, "gear": gear}))
    document.controls.append(float(value_at(motor.function, 0.0)))
    if not isinstance(motor.function, ConstantFunction):
        before = value_text(motor.function, longest=None)
        document.ledger.approximated(f"{path}.function", NO_FUNCTIONS, before=before)
    document.ledger.approximated(path, f"an actuator between two sites; {_OPPOSITE_FORCE}, and its axis turns with that site")


def _add_bias(
    document: MjcfDocument, model: Model, name: str, transmission: Mapping[str, str], bias: Sequence[float]
) -> XmlNode:
    """Add an actuator whose force depends on the length and velocity of its transmission, and on no control."""
    attributes = {"name": document.names.take("actuator", model.name, name), **transmission}
    attributes |= {"gainprm": "0", "biastype": "affine", "biasprm": numbers_text(bias)}
    document.ledger.rewritten(f"{model.name}/{attributes['name']}", "an actuator with a constant control")
    node = element("general", attributes)
    document.actuators.append(node)
    document.controls.append(0.0)
    return node
