"""Pass: free joints are left out, for formats where a body without a joint is free; guides of motors become joints."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace

from ossature.diagnostics import Ledger
from ossature.formats.passes.motors_as_joints import joint_of_motor, start_text
from ossature.kinematics import model_poses, spanning_tree
from ossature.kinematics.joint_graph_edges import connections
from ossature.model import UNCONSTRAINED_COORDINATE, Coordinate, Floating, Joint, Model, NamedList
from ossature.model.unique_names import take_unique_name
from ossature.model.value_text import value_text
from ossature.spatial import IDENTITY, Pose


def with_guides_as_joints(model: Model, ledger: Ledger) -> Model:
    """Return a model in which the guides of motors, which constrain motions, are joints."""
    taken = set(model.joints.names())
    guides = []
    for connection in connections(model):
        motor = connection.motor
        if motor is not None:
            name = take_unique_name(motor.name, taken)
            function = value_text(motor.function, longest=None)
            detail = f"the motor becomes a joint, without its function of time{start_text(motor, model)}"
            ledger.approximated(f"{model.name}/{name}", detail, before=function, location=motor.origin)
            guides.append(replace(joint_of_motor(connection.joint, motor, model), name=name))
    return replace(model, joints=NamedList([*model.joints, *guides])) if guides else model


def without_free_joints(model: Model, ledger: Ledger, format_title: str, recorded: Collection[str]) -> Model:
    """Return a model without free joints, for formats in which a body without a joint is free, at its initial pose.

    Args:
        format_title: The format, for the ledger.
        recorded: The fields of coordinates whose loss is recorded here, because the format supports them in other joints.
    """
    free = [joint for joint in model.joints if isinstance(joint.type, Floating)]
    if not free:
        return model
    for joint in free:
        path = f"{model.name}/{joint.name}"
        ledger.rewritten(path, f"a body of {format_title} without a joint moves freely", location=joint.origin)
        _record_coordinates(joint, path, ledger, format_title, recorded)
    return _with_roots_at_initial_poses(model, ledger)


def _record_coordinates(joint: Joint, path: str, ledger: Ledger, format_title: str, recorded: Collection[str]) -> None:
    for index, coordinate in enumerate(joint.coordinates):
        for item in fields(Coordinate):
            is_default = getattr(coordinate, item.name) == getattr(UNCONSTRAINED_COORDINATE, item.name)
            if is_default or item.name not in recorded:
                continue
            if item.name == "initial_position":
                ledger.rewritten(f"{path}.coordinates[{index}].{item.name}", "its body is at its initial pose")
            else:
                ledger.dropped(f"{path}.coordinates[{index}].{item.name}", f"{format_title} has no joint for free motions")


def _with_roots_at_initial_poses(model: Model, ledger: Ledger) -> Model:
    """Return a model without its free joints, whose roots are at their initial poses.

    All other bodies keep their poses relative to their root, or to the world, with the coordinates of their joints at zero.
    """
    rest = replace(model, joints=NamedList([joint for joint in model.joints if not isinstance(joint.type, Floating)]))
    start = model_poses(replace(model, pose=IDENTITY))
    displacements: dict[str | None, Pose] = {None: IDENTITY}
    poses = {}
    for branch in spanning_tree(rest).branches:
        body = branch.body
        if branch.inboard is not None:
            displacement = displacements[branch.inboard.parent]
        else:
            displacement = IDENTITY if start[body.name] == body.pose else start[body.name] @ body.pose.inverse()
        displacements[body.name] = displacement
        poses[body.name] = body.pose if displacement is IDENTITY else displacement @ body.pose
        if displacement is not IDENTITY:
            detail = "its initial pose, because it moves freely" if branch.inboard is None else "it moves with a free body"
            ledger.rewritten(f"{model.name}/{body.name}.pose", detail)
    return replace(rest, bodies=rest.bodies.map(lambda body: replace(body, pose=poses[body.name])))
