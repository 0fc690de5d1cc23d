"""Nodes that show no link: bodies where physics moves them, and things to look at where nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ossature.formats.collada import rules
from ossature.formats.collada.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.read_context import ColladaReadContext, Names
from ossature.formats.collada.read_kinematic_graph import LinkFrame
from ossature.formats.collada.read_physics import Physics, RigidBody, moved
from ossature.formats.collada.read_visual import NodeOwners, VisualShapes
from ossature.formats.collada.transforms import split
from ossature.model import Body, Collision, Fixed, Inertial, Joint, Model, NamedList, Visual
from ossature.spatial import IDENTITY, ZERO3, Pose, rotate


@dataclass(slots=True)
class UnboundBodies:
    """Models that no kinematics describes.

    Attributes:
        models: The models.
        names: The model and the body that each node is.
    """

    models: list[Model] = field(default_factory=list)
    names: dict[LinkFrame | NodeInstance, tuple[str, str]] = field(default_factory=dict)


def read_loose_bodies(
    visual: VisualTree, owners: NodeOwners, physics: Physics, shapes: VisualShapes, names: Names, reading: ColladaReadContext
) -> UnboundBodies:
    """Return a model for each root of the visual tree that shows no link, or for each of its nodes that physics moves."""
    loose = UnboundBodies()
    for node, rigid, nodes in _bodies(visual, owners, physics):
        name = names.take(node.element.name or node.id, "body", node.element.location())
        pose = split(visual.matrix(node))[0]
        visuals, frames = shapes.visuals(iter(nodes), pose)
        body = Body(
            name=name,
            inertial=_inertial(rigid, pose, node, reading),
            visuals=tuple(visuals),
            collisions=_collisions(rigid, pose, visuals),
            frames=tuple(frames),
            initial_velocity=ZERO3 if rigid is None else rotate(pose.inverse().wxyz, rigid.velocity),
            initial_angular_velocity_body=ZERO3 if rigid is None else rotate(pose.inverse().wxyz, rigid.angular_velocity),
            origin=node.element.location(),
        )
        held = (
            [] if rigid is not None and rigid.dynamic else [Joint(name=f"{name}_held", type=Fixed(), parent=None, child=name)]
        )
        loose.models.append(
            Model(
                name=name, pose=pose, bodies=NamedList([body]), joints=NamedList(held), static=rigid is None, origin=body.origin
            )
        )
        loose.names[rigid.node if rigid is not None and rigid.node is not None else node] = (name, name)
    return loose


def _bodies(
    visual: VisualTree, owners: NodeOwners, physics: Physics
) -> Iterator[tuple[NodeInstance, RigidBody | None, list[NodeInstance]]]:
    """Yield what is a body of its own: its node, what moves it, and the nodes that show it."""
    for root in visual.roots:
        if root in owners.roots:
            continue
        nodes = list(root.below())
        moved_nodes = [node for node in nodes if node in physics.by_node]
        # What moves a root's only body moves the root; several bodies are where they are moved.
        if len(moved_nodes) == 1:
            yield root, physics.by_node[moved_nodes[0]], nodes
            continue
        ends = frozenset(moved_nodes)
        rest = [] if root in ends else list(_below(root, ends))
        if any(node.element.instance_geometry for node in rest):
            yield root, None, rest
        for node in moved_nodes:
            yield node, physics.by_node[node], list(_below(node, ends))


def _below(node: NodeInstance, ends: frozenset[NodeInstance]) -> Iterator[NodeInstance]:
    """Yield a node and those inside it, as far as no others are reached."""
    pending = [node]
    while pending:
        inner = pending.pop()
        yield inner
        pending.extend(child for child in reversed(inner.children) if child not in ends)


def _inertial(rigid: RigidBody | None, pose: Pose, node: NodeInstance, reading: ColladaReadContext) -> Inertial:
    if rigid is None:
        return Inertial()
    if rigid.inertial is None:
        reading.report.add(rules.NO_MASS, f"'{rigid.name}' has no mass: 1 kg is taken", node.element.location())
        return Inertial()
    return moved(rigid.inertial, pose.inverse())


def _collisions(rigid: RigidBody | None, pose: Pose, visuals: list[Visual]) -> tuple[Collision, ...]:
    if rigid is None:
        return ()  # nothing moves it and nothing touches it: a mark, a plot
    if rigid.collisions:
        inverse = pose.inverse() if pose != IDENTITY else IDENTITY
        return tuple([replace(shape, pose=inverse @ shape.pose) for shape in rigid.collisions])
    return tuple([Collision(geometry=visual.geometry, pose=visual.pose, name=visual.name) for visual in visuals])
