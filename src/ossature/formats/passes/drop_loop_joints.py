"""Pass: reduces models to spanning trees, in which each body has one parent joint, for formats without loops."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.motors_as_joints import joint_of_motor, start_text
from ossature.kinematics import Tree, TreeJoint, spanning_tree
from ossature.model import Actuation, DriveMode, Joint, Model, Motor, NamedList, World
from ossature.model.value_text import value_text


def drop_loop_joints(world: World, context: WriteContext) -> World:
    """Return a World whose models are trees; loop joints are dropped.

    Motors become joints, and their functions of time are dropped.
    """
    return replace(world, models=world.models.map(lambda model: _as_tree(model, context.ledger)))


def _as_tree(model: Model, ledger: Ledger) -> Model:
    tree = spanning_tree(model)
    is_tree = not tree.loops and all(branch.is_joint or branch.inboard is None for branch in tree.branches)
    if is_tree and not any(branch.is_reversed for branch in tree.branches):
        return model
    for loop in tree.loops:
        detail = "loop joint, which the format does not support"
        ledger.dropped(f"{model.name}/{loop.name}", detail, location=loop.joint.origin)
    in_tree = {branch.connection.name for branch in tree.branches if branch.connection is not None}
    for joint in model.joints:
        if joint.name not in in_tree and joint not in tree.loop_joints:
            detail = "it connects no bodies, or constrains no motion"
            ledger.dropped(f"{model.name}/{joint.name}", detail, location=joint.origin)
    by_name = {joint.name: joint for joint in model.joints}
    written: dict[str, Joint] = {}
    for branch in tree.branches:
        outward = _tree_joint(branch, model, written, ledger)
        if outward is not None:
            written[outward.name] = outward
    ordered = [written.pop(name) for name in by_name if name in written]
    return replace(model, joints=NamedList([*ordered, *written.values()]), motors=_unused_motors(model, tree))


def _unused_motors(model: Model, tree: Tree) -> NamedList[Motor]:
    used = {branch.motor.name for branch in tree.branches if branch.motor is not None}
    return NamedList([motor for motor in model.motors if motor.name not in used])


def _tree_joint(branch: TreeJoint, model: Model, written: dict[str, Joint], ledger: Ledger) -> Joint | None:
    inboard = branch.inboard
    if inboard is None or branch.connection is None or branch.connection.bushing is not None:
        return None
    if branch.is_reversed:
        detail = "parent and child are exchanged, so that the joint points away from the root"
        has_other_coordinates = inboard.coordinates != branch.connection.joint.coordinates
        for field in ("parent", "child", "type", "pose", *(["coordinates"] if has_other_coordinates else [])):
            ledger.rewritten(f"{model.name}/{inboard.name}.{field}", detail)
    if branch.motor is None:
        return inboard
    name = inboard.name
    while name in written or name in model.joints:
        name += "_motor"
    function = value_text(branch.motor.function, longest=None)
    detail = f"the motor becomes a joint, without its function of time{start_text(branch.motor, model)}"
    ledger.approximated(f"{model.name}/{name}", detail, before=function, location=branch.motor.origin)
    ledger.replaced(f"{model.name}/{branch.motor.name}", f"it is the joint '{name}'")
    actuation = Actuation.FORCE if branch.motor.drive is DriveMode.FORCE else Actuation.VELOCITY
    return replace(joint_of_motor(inboard, branch.motor, model), name=name, actuation=actuation)
