"""Passes: the joints that SDFormat can represent."""

from __future__ import annotations

from dataclasses import fields, replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.formats.passes.standardize_compound_joints import standard_type
from ossature.formats.sdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.sdf.write_joint import are_perpendicular
from ossature.kinematics import model_poses
from ossature.kinematics.joint_graph_edges import connections
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Axis,
    Compound,
    Coordinate,
    Fixed,
    Floating,
    Joint,
    JointType,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    World,
)
from ossature.model.unique_names import take_unique_name
from ossature.model.value_text import kind_text, value_text
from ossature.spatial import ZERO3, Pose

_TYPES = (Fixed, Revolute, Prismatic, Screw, Universal, Spherical)


def support_joints(world: World, context: WriteContext) -> World:
    """Return a World of joints that SDFormat can represent.

    Guides of motors become joints, free joints are left out, and joints of other types become serial ones.
    """
    models = [_without_free_joints(_with_guides(model, context.ledger), context.ledger) for model in world.models]
    simplified = NamedList([_with_standard_joints(model, context.ledger) for model in models])
    return split_joints(replace(world, models=simplified), context.ledger, unsupported_reason, ())


def unsupported_reason(joint: Joint) -> str | None:
    """Return why SDFormat cannot represent a joint, or None if it can."""
    if isinstance(joint.type, _TYPES) or _is_revolute2(joint.type):
        return None
    return f"SDFormat has no {kind_text(type(joint.type))} joint"


def _is_revolute2(joint_type: JointType) -> bool:
    """Whether a joint is two hinges through one point."""
    axes = joint_type.axes if isinstance(joint_type, Compound) else ()
    return len(axes) == 2 and all(isinstance(axis, Axis) and axis.is_revolute and axis.anchor == ZERO3 for axis in axes)


def _with_standard_joints(model: Model, ledger: Ledger) -> Model:
    """Return a model whose compound joints are the standard ones as which SDFormat reads them."""
    return replace(model, joints=model.joints.map(lambda joint: _standard_joint(joint, model.name, ledger)))


def _standard_joint(joint: Joint, model: str, ledger: Ledger) -> Joint:
    standard = standard_type(joint.type) if isinstance(joint.type, Compound) else None
    if isinstance(standard, Universal) and not are_perpendicular(standard.axis1, standard.axis2):
        standard = None
    if standard is None:
        return joint
    detail = f"its axes are those of a {kind_text(type(standard))} joint"
    ledger.rewritten(f"{model}/{joint.name}.type", detail, location=joint.origin)
    return replace(joint, type=standard)


# Motors


def _with_guides(model: Model, ledger: Ledger) -> Model:
    """Return a model in which the guides of motors, which constrain motions, are joints."""
    taken = set(model.joints.names())
    guides = []
    for connection in connections(model):
        motor = connection.motor
        if motor is not None:
            name = take_unique_name(motor.name, taken)
            function = value_text(motor.function, longest=None)
            detail = "the motor becomes a joint, without its function of time"
            ledger.approximated(f"{model.name}/{name}", detail, before=function, location=motor.origin)
            guides.append(replace(connection.joint, name=name))
    return replace(model, joints=NamedList([*model.joints, *guides])) if guides else model


# Free joints


def _without_free_joints(model: Model, ledger: Ledger) -> Model:
    """Return a model without free joints: a link of SDFormat without a joint is free."""
    free = [joint for joint in model.joints if isinstance(joint.type, Floating)]
    if not free:
        return model
    for joint in free:
        path = f"{model.name}/{joint.name}"
        ledger.rewritten(path, "a link of SDFormat without a joint moves freely", location=joint.origin)
        _record_coordinates(joint, path, ledger)
    moved = _at_initial_poses(model, free, ledger)
    return replace(moved, joints=NamedList([joint for joint in moved.joints if not isinstance(joint.type, Floating)]))


def _record_coordinates(joint: Joint, path: str, ledger: Ledger) -> None:
    for index, coordinate in enumerate(joint.coordinates):
        for item in fields(Coordinate):
            is_default = getattr(coordinate, item.name) == getattr(UNCONSTRAINED_COORDINATE, item.name)
            if not is_default and item.name in SUPPORTED_FIELDS[Coordinate] | {"initial_velocity"}:
                ledger.dropped(f"{path}.coordinates[{index}].{item.name}", "SDFormat has no joint for free motions")


def _at_initial_poses(model: Model, free: list[Joint], ledger: Ledger) -> Model:
    """Return a model whose free bodies are at their initial poses."""
    start = {joint.name: joint.initial_positions for joint in free if any(joint.initial_positions)}
    if not start:
        return model
    others = {joint.name: (0.0,) * joint.degrees_of_freedom for joint in model.joints if joint.name not in start}
    poses = model_poses(replace(model, pose=Pose()), {**others, **start})
    bodies = model.bodies.map(lambda body: replace(body, pose=poses[body.name]))
    for body in model.bodies:
        if poses[body.name] != body.pose:
            ledger.rewritten(f"{model.name}/{body.name}.pose", "its initial pose, because it moves freely")
    return replace(model, bodies=bodies)
