"""Reads links with their visual shapes and rigid bodies as bodies of the model."""

from __future__ import annotations

from dataclasses import replace

from ossature.formats.collada import rules
from ossature.formats.collada.geometry.read_shape import collision_parts, collisions_of_visuals, read_geometry
from ossature.formats.collada.geometry.schema import GeometryElement
from ossature.formats.collada.kinematics.read_kinematic_graph import LinkFrame
from ossature.formats.collada.native_extension.difference_encoding import BODY_EXTRA, apply_difference, own_nodes
from ossature.formats.collada.openrave.read_extensions import Extras
from ossature.formats.collada.physics.read import MASS_OF_NOTHING, MOMENT_OF_NOTHING, RigidBody, transform_inertial
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.visual_scene.read import NodeOwners, VisualShapes
from ossature.model import Body, Collision, Inertial, Visual
from ossature.spatial import IDENTITY, ZERO3, Matrix3, Pose

NO_MOMENT: Matrix3 = (
    (MOMENT_OF_NOTHING, 0.0, 0.0),
    (0.0, MOMENT_OF_NOTHING, 0.0),
    (0.0, 0.0, MOMENT_OF_NOTHING),
)


def read_body(
    link: LinkFrame,
    rigid: RigidBody | None,
    shapes: VisualShapes,
    owners: NodeOwners,
    extras: Extras,
    reading: ColladaReadContext,
) -> Body:
    """Return the body of a link."""
    if rigid is not None and (rigid.velocity != ZERO3 or rigid.angular_velocity != ZERO3):
        reading.report.add(
            rules.UNSUPPORTED_CONTENT, f"the velocity of '{link.name}' is ignored: links move by their joints", rigid.location
        )
    visuals, frames = shapes.visuals(owners.nodes_of(link), link.pose_scene)
    visible = extras.visible.get(link.name, True)
    geometries = _collision_geometries(link, "environment", extras, reading)
    body = Body(
        name=link.name,
        pose=link.pose,
        inertial=_read_inertial(link, rigid, reading),
        visuals=tuple(visuals if visible else [replace(visual, visible=False) for visual in visuals]),
        collisions=_choose_collisions(link, geometries, rigid, visuals, extras),
        self_collisions=tuple(_collision_geometries(link, "self", extras, reading)) or None,
        frames=tuple({frame.name: frame for frame in reversed(frames)}.values())[::-1],
        self_collide=True,
        extensions=tuple(extras.link_infos.get(link.name, ())),
        origin=link.element.location(),
    )
    return body if rigid is None else apply_difference(body, own_nodes(rigid.extra, BODY_EXTRA), reading.report)


def _read_inertial(link: LinkFrame, rigid: RigidBody | None, reading: ColladaReadContext) -> Inertial:
    if rigid is None or rigid.inertial is None:
        reading.report.add(
            rules.MISSING_MASS, f"'{link.name}' has no mass: {MASS_OF_NOTHING:g} kg is used", link.element.location()
        )
        return Inertial(mass=MASS_OF_NOTHING, moment=NO_MOMENT)
    return transform_inertial(rigid.inertial, link.pose_scene.inverse())


def _collision_geometries(link: LinkFrame, use: str, extras: Extras, reading: ColladaReadContext) -> list[Collision]:
    """Return the shapes of the collision extension for one use: contact with the environment, or with the robot itself."""
    collisions: list[Collision] = []
    for name, specified, level in extras.geometries:
        if name != link.name or specified.type != use:
            continue
        item = reading.documents.find(specified.url, GeometryElement, level.document, specified, "url")
        if item is None:
            continue
        content = read_geometry(item, None, reading)
        for part in collision_parts(content.parts):
            collision = Collision(
                geometry=part.geometry,
                pose=part.pose,
                enabled=extras.colliding.get(link.name, True),
                name=content.name,
                origin=specified.location(),
            )
            collisions.append(replace(collision, **part.collision))
    return collisions


def _choose_collisions(
    link: LinkFrame, geometries: list[Collision], rigid: RigidBody | None, visuals: list[Visual], extras: Extras
) -> tuple[Collision, ...]:
    """Return the collision shapes: those of the extension, else those of the rigid body, else the visual shapes."""
    if geometries:
        return tuple(geometries)
    enabled = extras.colliding.get(link.name, True)
    if rigid is not None and rigid.collisions:
        inverse = link.pose_scene.inverse()
        return tuple([_collision_in_link(shape, inverse, enabled) for shape in rigid.collisions])
    return collisions_of_visuals(visuals, enabled)


def _collision_in_link(shape: Collision, inverse: Pose, enabled: bool) -> Collision:
    pose = inverse @ shape.pose
    # Two chains of equal transforms differ by rounding.
    return replace(shape, pose=IDENTITY if _is_identity(pose) else pose, enabled=enabled and shape.enabled)


def _is_identity(pose: Pose) -> bool:
    return max(map(abs, (*pose.position, *pose.wxyz[1:]))) <= 1e-12
