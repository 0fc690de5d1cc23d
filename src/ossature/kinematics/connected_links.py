"""The links of a robot that can collide with each other although joints connect them."""

from __future__ import annotations

from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.model import Floating, Model


def can_links_collide(model: Model) -> bool:
    """Whether two bodies of a model that joints connect may collide with each other."""
    return not model.static and len(model.joints) > 1 and any(body.self_collide for body in model.bodies)


def connected_links(model: Model) -> DisjointSets[str]:
    """Return the sets of bodies that joints connect with each other, not only with the world."""
    sets = DisjointSets[str]()
    for joint in model.joints:
        if joint.parent is not None and not isinstance(joint.type, Floating):
            sets.join(joint.parent, joint.child)
    return sets
