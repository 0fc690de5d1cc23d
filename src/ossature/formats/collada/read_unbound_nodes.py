"""Reads nodes that belong to no link: rigid bodies if physics refers to them, static visuals otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import polar_decomposition
from ossature.formats.collada.geometry.read_shape import collisions_of_visuals
from ossature.formats.collada.kinematics.read_kinematic_graph import LinkFrame
from ossature.formats.collada.physics.read import Physics, RigidBody, transform_inertial
from ossature.formats.collada.read_context import ColladaReadContext, Names
from ossature.formats.collada.visual_scene.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.visual_scene.read import NodeOwners, VisualShapes
from ossature.model import Body, Collision, Fixed, Inertial, Joint, Model, NamedList, Visual
from ossature.spatial import IDENTITY, ZERO3, Pose, rotate


@dataclass(slots=True)
class UnboundBodies:
    """Models without kinematics.

    Attributes:
        names: The names of the model and the body of each node.
    """

    models: list[Model] = field(default_factory=list)
    names: dict[LinkFrame | NodeInstance, tuple[str, str]] = field(default_factory=dict)


def read_loose_bodies(
    visual: VisualTree, owners: NodeOwners, physics: Physics, shapes: VisualShapes, names: Names, reading: ColladaReadContext
) -> UnboundBodies:
    """Return a model for each root of the visual tree without links, or for each of its nodes with a rigid body."""
    unbound = UnboundBodies()
    for node, rigid, nodes in _unbound_bodies(visual, owners, physics):
        name = names.claim_unique(node.element.name or node.id, "body", node.element.location())
        pose = polar_decomposition(visual.matrix(node))[0]
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
        weld = (
            [] if rigid is not None and rigid.dynamic else [Joint(name=f"{name}_fixed", type=Fixed(), parent=None, child=name)]
        )
        unbound.models.append(
            Model(
                name=name, pose=pose, bodies=NamedList([body]), joints=NamedList(weld), static=rigid is None, origin=body.origin
            )
        )
        unbound.names[rigid.node if rigid is not None and rigid.node is not None else node] = (name, name)
    return unbound


def _unbound_bodies(
    visual: VisualTree, owners: NodeOwners, physics: Physics
) -> Iterator[tuple[NodeInstance, RigidBody | None, list[NodeInstance]]]:
    """Yield each unbound body: its node, its rigid body, and the nodes of its visuals."""
    for root in visual.roots:
        if root in owners.roots:
            continue
        nodes = list(root.self_and_descendants())
        rigid_nodes = [node for node in nodes if node in physics.by_node]
        # A single rigid body is assigned to the root; several ones to their own nodes.
        if len(rigid_nodes) == 1:
            yield root, physics.by_node[rigid_nodes[0]], nodes
            continue
        ends = frozenset(rigid_nodes)
        rest = [] if root in ends else list(_descendants_until(root, ends))
        if any(node.element.instance_geometry for node in rest):
            yield root, None, rest
        for node in rigid_nodes:
            yield node, physics.by_node[node], list(_descendants_until(node, ends))


def _descendants_until(node: NodeInstance, ends: frozenset[NodeInstance]) -> Iterator[NodeInstance]:
    """Yield a node and its descendants, without the subtrees of certain nodes."""
    pending = [node]
    while pending:
        inner = pending.pop()
        yield inner
        pending.extend(child for child in reversed(inner.children) if child not in ends)


def _inertial(rigid: RigidBody | None, pose: Pose, node: NodeInstance, reading: ColladaReadContext) -> Inertial:
    if rigid is None:
        return Inertial()
    if rigid.inertial is None:
        reading.report.add(rules.MISSING_MASS, f"'{rigid.name}' has no mass: 1 kg is used", node.element.location())
        return Inertial()
    return transform_inertial(rigid.inertial, pose.inverse())


def _collisions(rigid: RigidBody | None, pose: Pose, visuals: list[Visual]) -> tuple[Collision, ...]:
    if rigid is None:
        return ()  # a static visual has no contacts: a marker, a plot
    if rigid.collisions:
        inverse = pose.inverse() if pose != IDENTITY else IDENTITY
        return tuple([replace(shape, pose=inverse @ shape.pose) for shape in rigid.collisions])
    return collisions_of_visuals(visuals, enabled=True)
