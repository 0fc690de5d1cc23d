"""Roots of the visual tree that show no link: bodies where physics moves them, and things to look at where nothing does."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.formats.collada import rules
from ossature.formats.collada.read_links import LinkPlace
from ossature.formats.collada.read_physics import Physics, RigidBody, moved
from ossature.formats.collada.read_visual import Owners, Shapes, bodies_without_kinematics
from ossature.formats.collada.reading import Names, Reading
from ossature.formats.collada.transforms import split
from ossature.formats.collada.visual_tree import PlacedNode, VisualTree
from ossature.model import Body, Collision, Fixed, Inertial, Joint, Model, Named, Visual
from ossature.spatial import IDENTITY, ZERO3, Pose, rotate


@dataclass(slots=True)
class LooseBodies:
    """Models that no kinematics describes.

    Attributes:
        models: The models.
        names: The model and the body that each root of the visual tree is.
    """

    models: list[Model] = field(default_factory=list)
    names: dict[LinkPlace | PlacedNode, tuple[str, str]] = field(default_factory=dict)


def read_loose_bodies(
    visual: VisualTree, owners: Owners, physics: Physics, shapes: Shapes, names: Names, reading: Reading
) -> LooseBodies:
    """Return a model for each root of the visual tree that shows no link."""
    loose = LooseBodies()
    for root in bodies_without_kinematics(visual, owners):
        rigid = physics.by_root.get(root)
        name = names.take(root.element.name or root.id, "body", root.element.location())
        pose = split(visual.matrix(root))[0]
        visuals, frames = shapes.visuals(root.below(), pose)
        body = Body(
            name=name,
            inertial=_inertial(rigid, pose, root, reading),
            visuals=tuple(visuals),
            collisions=_collisions(rigid, pose, visuals),
            frames=tuple(frames),
            initial_velocity=ZERO3 if rigid is None else rotate(pose.inverse().wxyz, rigid.velocity),
            initial_angular_velocity_body=ZERO3 if rigid is None else rotate(pose.inverse().wxyz, rigid.angular_velocity),
            origin=root.element.location(),
        )
        held = (
            [] if rigid is not None and rigid.dynamic else [Joint(name=f"{name}_held", type=Fixed(), parent=None, child=name)]
        )
        loose.models.append(
            Model(name=name, pose=pose, bodies=Named([body]), joints=Named(held), static=rigid is None, origin=body.origin)
        )
        loose.names[root] = (name, name)
    return loose


def _inertial(rigid: RigidBody | None, pose: Pose, root: PlacedNode, reading: Reading) -> Inertial:
    if rigid is None:
        return Inertial()
    if rigid.inertial is None:
        reading.report.add(rules.NO_MASS, f"'{rigid.name}' has no mass: 1 kg is taken", root.element.location())
        return Inertial()
    return moved(rigid.inertial, pose.inverse())


def _collisions(rigid: RigidBody | None, pose: Pose, visuals: list[Visual]) -> tuple[Collision, ...]:
    if rigid is None:
        return ()  # nothing moves it and nothing touches it: a mark, a plot
    if rigid.collisions:
        inverse = pose.inverse() if pose != IDENTITY else IDENTITY
        return tuple([Collision(geometry=shape.geometry, pose=inverse @ shape.pose) for shape in rigid.collisions])
    return tuple([Collision(geometry=visual.geometry, pose=visual.pose, name=visual.name) for visual in visuals])
