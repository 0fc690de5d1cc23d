"""World → SKEL document. Bodies and shapes are in ``write_body``, joints in ``write_joint``."""

from __future__ import annotations

from pathlib import Path

from ossature.diagnostics.ledger import Ledger
from ossature.formats.skel.free_joint_velocity import velocity_in_file
from ossature.formats.skel.pose_values import transformation_of
from ossature.formats.skel.read import FORMAT
from ossature.formats.skel.schema import COLLISION_DETECTORS, PhysicsElement, SkelElement, SkeletonElement, WorldElement
from ossature.formats.skel.supported_fields import SUPPORTED_FIELDS
from ossature.formats.skel.write_body import write_body
from ossature.formats.skel.write_joint import WRITTEN_FIELDS, write_joint
from ossature.formats.unique_names import UniqueNames
from ossature.model import Floating, Joint, Model, World
from ossature.model.writer_audit import audit
from ossature.syntax import xml
from ossature.syntax.xml_binding import unbind


def write_skel(world: World, ledger: Ledger, *, folder: Path | None = None) -> str:
    """Return a World as the text of a SKEL file.

    Args:
        world: What to write.
        ledger: Where goes what SKEL cannot say, or says differently.
        folder: The folder in which the file will lie, to which paths of meshes are made relative; None keeps them.
    """
    audit(world, SUPPORTED_FIELDS, ledger)
    if not world.steps_as_dart:
        ledger.approximated("steps_as_dart", "a SKEL file is stepped as DART does")
    names = UniqueNames(world.models.names(), "Unknown skeleton", "model", ledger)
    document = SkelElement(
        world=WorldElement(
            name=_world_name(world, ledger),
            physics=PhysicsElement(
                time_step=world.time_step,
                gravity=world.gravity,
                collision_detector=_collision_detector(world, ledger),
            ),
            skeleton=tuple([_skeleton(model, names[index], ledger, folder) for index, model in enumerate(world.models)]),
        )
    )
    return xml.serialize(unbind("skel", document))


def _world_name(world: World, ledger: Ledger) -> str:
    name = xml.printable(world.name) or "Unknown world"
    if name != world.name:
        ledger.approximated("name", f"{world.name!r} is written as {name!r}")
    return name


def _collision_detector(world: World, ledger: Ledger) -> str | None:
    detector = None
    for extension in world.extensions:
        if (extension.format, extension.key) == (FORMAT, "collision_detector") and (
            detector is None and extension.value in COLLISION_DETECTORS
        ):
            detector = extension.value
        else:
            ledger.dropped("extensions", f"{extension.format} {extension.key} = {extension.value}")
    return detector


def _skeleton(model: Model, name: str, ledger: Ledger, folder: Path | None) -> SkeletonElement:
    bodies = _body_names(model, ledger)
    return SkeletonElement(
        name=name,
        transformation=transformation_of(model.pose, f"{model.name}.pose", ledger),
        mobile=False if model.static else None,
        body=tuple(
            [
                write_body(body, bodies.of(body.name), f"{model.name}/{body.name}", ledger, folder)
                for index, body in enumerate(model.bodies)
                if bodies.is_first(index)
            ]
        ),
        joint=tuple(
            [
                write_joint(_in_file(joint, model, ledger), name, bodies, f"{model.name}/{joint.name}", ledger)
                for joint, name in _tree(model, bodies, ledger)
            ]
        ),
    )


def _body_names(model: Model, ledger: Ledger) -> UniqueNames:
    # In SKEL the parent "world" means a body of that name where there is one.
    reserved = {"world"} if any(joint.parent is None for joint in model.joints) else set()
    return UniqueNames(model.bodies.names(), "Unknown body", model.name, ledger, reserved=reserved, unique=False)


def _tree(model: Model, bodies: UniqueNames, ledger: Ledger) -> list[tuple[Joint, str]]:
    """Return the joints that SKEL can say, one for each body, with the names that they get."""
    by_child: dict[str, Joint] = {}
    for joint in model.joints:
        path = f"{model.name}/{joint.name}"
        if joint.child not in bodies or not (joint.parent is None or joint.parent in bodies):
            ledger.dropped(path, "it names a body that does not exist")
        elif type(joint.type) not in WRITTEN_FIELDS:
            ledger.dropped(path, f"SKEL has no {type(joint.type).__name__.lower()} joint")
        elif joint.child in by_child:
            ledger.dropped(path, f"it closes a loop: '{joint.child}' hangs on '{by_child[joint.child].name}' already")
        else:
            by_child[joint.child] = joint
    joints = list(by_child.values())
    for body in model.bodies:
        if body.name not in by_child:
            joint = Joint(name="root", type=Floating(), parent=None, child=body.name)
            by_child[body.name] = joint
            joints.append(joint)
    names = UniqueNames([joint.name for joint in joints], "Unknown joint", model.name, ledger)
    for index, joint in enumerate(joints):
        if joint not in model.joints:
            ledger.approximated(f"{model.name}/{names[index]}", f"'{joint.child}' has no joint and gets a free one")
    return [(joint, names[index]) for index, joint in enumerate(joints)]


def _in_file(joint: Joint, model: Model, ledger: Ledger) -> Joint:
    outer = model.pose if joint.parent is None else model.bodies[joint.parent].pose.inverse()
    turned = velocity_in_file(joint, outer, model.bodies[joint.child])
    if turned is not joint:
        ledger.approximated(
            f"{model.name}/{joint.name}.coordinates", "initial velocities are written as DART takes them, to rounding"
        )
    return turned
