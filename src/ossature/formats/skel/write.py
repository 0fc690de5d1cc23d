"""Writer of SKEL files. Bodies and shapes are written in ``write_body``, joints in ``write_joint``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ossature.diagnostics.ledger import Ledger
from ossature.formats.skel.convert_free_joint_motion import to_skel_motion, with_velocities_on_free_joints
from ossature.formats.skel.convert_pose import transformation_of
from ossature.formats.skel.drop_unsupported_joints import without_unsupported_joints
from ossature.formats.skel.read import FORMAT
from ossature.formats.skel.schema import COLLISION_DETECTORS, PhysicsElement, SkelElement, SkeletonElement, WorldElement
from ossature.formats.skel.supported_fields import SUPPORTED_FIELDS
from ossature.formats.skel.write_body import write_body
from ossature.formats.skel.write_joint import write_joint
from ossature.formats.unique_element_names import UniqueNames
from ossature.model import DartStepping, Floating, Joint, Model, World, hint_of
from ossature.model.unsupported_fields import audit, drop_extension
from ossature.syntax import xml
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import shown


def write_skel(world: World, ledger: Ledger, *, folder: Path | None = None) -> str:
    """Return the text of a SKEL file for a World.

    Args:
        ledger: Receives what SKEL cannot represent, or only approximately.
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
    """
    supported = world.models.map(lambda model: without_unsupported_joints(model, ledger))
    world = replace(world, models=supported.map(lambda model: with_velocities_on_free_joints(model, ledger)))
    audit(world, SUPPORTED_FIELDS, ledger)
    if hint_of(world, DartStepping) is None:
        ledger.approximated("hints", "a SKEL file is simulated with the time stepping of DART")
    names = UniqueNames(world.models.names(), "Unknown skeleton", "", "models", ledger)
    document = SkelElement(
        world=WorldElement(
            name=_world_name(world, ledger),
            physics=PhysicsElement(
                time_step=world.time_step,
                gravity=world.gravity,
                collision_detector=_collision_detector(world, ledger),
            ),
            skeleton=tuple([_write_skeleton(model, names[index], ledger, folder) for index, model in enumerate(world.models)]),
        )
    )
    return xml.serialize(unbind("skel", document))


def _world_name(world: World, ledger: Ledger) -> str:
    name = xml.printable(world.name) or "Unknown world"
    if name != world.name:
        ledger.approximated("name", f"written as {shown(name)}")
    return name


def _collision_detector(world: World, ledger: Ledger) -> str | None:
    detector = None
    for index, extension in enumerate(world.extensions):
        if (extension.format, extension.key) == (FORMAT, "collision_detector") and (
            detector is None and extension.value in COLLISION_DETECTORS
        ):
            detector = extension.value
        else:
            drop_extension(extension, f"extensions[{index}]", ledger)
    return detector


def _write_skeleton(model: Model, name: str, ledger: Ledger, folder: Path | None) -> SkeletonElement:
    body_names = _body_names(model, ledger)
    return SkeletonElement(
        name=name,
        transformation=transformation_of(model.pose, f"{model.name}.pose", ledger),
        mobile=False if model.static else None,
        body=tuple(
            write_body(body, body_names.of(body.name), f"{model.name}/{body.name}", ledger, folder)
            for index, body in enumerate(model.bodies)
            if body_names.is_first(index)
        ),
        joint=tuple(
            write_joint(_with_skel_velocity(joint, model, ledger), name, body_names, f"{model.name}/{joint.name}", ledger)
            for joint, name in _written_joints(model, body_names, ledger)
        ),
    )


def _body_names(model: Model, ledger: Ledger) -> UniqueNames:
    # In SKEL the parent "world" refers to a body of that name if there is one.
    reserved = {"world"} if any(joint.parent is None for joint in model.joints) else set()
    return UniqueNames(model.bodies.names(), "Unknown body", model.name, "bodies", ledger, reserved=reserved, unique=False)


def _written_joints(model: Model, body_names: UniqueNames, ledger: Ledger) -> list[tuple[Joint, str]]:
    """Return the joints that SKEL can represent, one parent joint for each body, with their names in the file."""
    by_child: dict[str, Joint] = {}
    for joint in model.joints:
        path = f"{model.name}/{joint.name}"
        if joint.child not in body_names or not (joint.parent is None or joint.parent in body_names):
            ledger.dropped(path, "it refers to an unknown body")
        elif joint.child in by_child:
            ledger.dropped(path, f"it closes a loop: '{joint.child}' already has parent joint '{by_child[joint.child].name}'")
        else:
            by_child[joint.child] = joint
    joints = list(by_child.values())
    for body in model.bodies:
        if body.name not in by_child:
            joint = Joint(name="root", type=Floating(), parent=None, child=body.name)
            by_child[body.name] = joint
            joints.append(joint)
    names = UniqueNames([joint.name for joint in joints], "Unknown joint", model.name, "joints", ledger)
    for index, joint in enumerate(joints):
        if joint not in model.joints:
            ledger.approximated(f"{model.name}/{names[index]}", f"'{joint.child}' has no joint: free joint added")
    return [(joint, names[index]) for index, joint in enumerate(joints)]


def _with_skel_velocity(joint: Joint, model: Model, ledger: Ledger) -> Joint:
    pose_parent_skeleton = model.pose if joint.parent is None else model.bodies[joint.parent].pose.inverse()
    converted = to_skel_motion(joint, pose_parent_skeleton, model.bodies[joint.child])
    if converted is not joint:
        ledger.approximated(
            f"{model.name}/{joint.name}.coordinates", "initial velocities converted to DART's definition, with rounding errors"
        )
    return converted
