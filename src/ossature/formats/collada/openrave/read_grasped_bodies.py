"""Reads rigid constraints between bodies of a scene as grasps."""

from __future__ import annotations

from collections.abc import Mapping

from ossature.diagnostics import Location
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import extension
from ossature.formats.collada.kinematics.read_kinematic_graph import LinkFrame
from ossature.formats.collada.openrave.schema import DynamicRigidConstraintsElement, RigidConstraintElement
from ossature.formats.collada.physics.read import Physics
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.sid_resolution import split_sid_path
from ossature.formats.collada.visual_scene.node_instances import NodeInstance
from ossature.model import BodyPath, Grasp


def read_grasps(
    physics: Physics, names: Mapping[LinkFrame | NodeInstance, tuple[str, str]], reading: ColladaReadContext
) -> tuple[Grasp, ...]:
    """Return the grasps of the scene.

    Args:
        names: Names of the model and body of each link and root node.
    """
    scene = reading.document.root.scene
    grasps = []
    for instance in scene.instance_physics_scene if scene is not None else ():
        for extra in instance.extra:
            if extra.type != "dynamic_rigid_constraints":
                continue
            content = extension(extra, DynamicRigidConstraintsElement, reading.report)
            for constraint in content.rigid_constraint if content is not None else ():
                grasp = _read_grasp(constraint, physics, names, reading)
                if grasp is not None:
                    grasps.append(grasp)
    return tuple(grasps)


def _read_grasp(
    element: RigidConstraintElement,
    physics: Physics,
    names: Mapping[LinkFrame | NodeInstance, tuple[str, str]],
    reading: ColladaReadContext,
) -> Grasp | None:
    paths = [side.rigid_body if side is not None else None for side in (element.ref_attachment, element.attachment)]
    gripper_body, grasped = (_find_body(path, physics, names, element.location(), reading) for path in paths)
    if gripper_body is None or grasped is None:
        return None
    model_path = split_sid_path(paths[0] or "")[:-1]
    ignored = []
    for specified in element.technique.ignore_link if element.technique is not None else ():
        path = split_sid_path(specified.link or "")
        link = _find_body(
            "/".join(path if len(path) > 1 else (*model_path, *path)), physics, names, specified.location(), reading
        )
        if link is not None:
            ignored.append(link.body)
    return Grasp(link=gripper_body, body=grasped, ignored_bodies=tuple(ignored), origin=element.location())


def _find_body(
    path: str | None,
    physics: Physics,
    names: Mapping[LinkFrame | NodeInstance, tuple[str, str]],
    location: Location | None,
    reading: ColladaReadContext,
) -> BodyPath | None:
    parts = split_sid_path(path or "")
    found = physics.by_path.get((parts[-2], parts[-1])) if len(parts) >= 2 else None
    name = names.get(found) if found is not None else None
    if name is None:
        reading.report.add(
            rules.UNRESOLVED_REFERENCE,
            f"'{path}' refers to no rigid body of the scene",
            location,
            hint=", ".join("/".join(known) for known in list(physics.by_path)[:8]) or "the scene has no rigid bodies",
        )
        return None
    model, body = name
    return BodyPath(model=model, body=body)
