"""Which hand holds what → rigid constraints between bodies of a scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.native_extension.encode import extra_of, technique
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.schema_openrave import (
    PROFILE,
    AttachmentElement,
    DynamicRigidConstraintsElement,
    IgnoreLinkElement,
    IgnoreLinksElement,
    RigidConstraintElement,
)
from ossature.model import BodyPath, Grasp, World
from ossature.syntax.xml_binding import unbind


def write_grasps(world: World, paths: Mapping[BodyPath, str], ledger: Ledger) -> Iterator[ExtraElement]:
    """Yield the extension that says which bodies hold which, if any does.

    Args:
        world: The World.
        paths: The path of each rigid body: the sids of its model's instance and of its own.
        ledger: Where goes what cannot be said.
    """
    constraints = [
        constraint
        for index, grasp in enumerate(world.grasps)
        if (constraint := _constraint(grasp, index, paths, ledger)) is not None
    ]
    if constraints:
        content = unbind("technique", DynamicRigidConstraintsElement(rigid_constraint=tuple(constraints)))
        yield extra_of("dynamic_rigid_constraints", [technique(PROFILE, content.children)])


def _constraint(grasp: Grasp, index: int, paths: Mapping[BodyPath, str], ledger: Ledger) -> RigidConstraintElement | None:
    gripper_body, held = paths.get(grasp.link), paths.get(grasp.body)
    if gripper_body is None or held is None:
        ledger.dropped("grasps", f"number {index} names a body that does not exist")
        return None
    ignored = [paths.get(BodyPath(model=grasp.link.model, body=name)) for name in grasp.ignored_bodies]
    # OpenRAVE finds a link only by the bare sid of its rigid body.
    links = [IgnoreLinkElement(link=path.rpartition("/")[2]) for path in ignored if path is not None]
    if len(links) < len(grasp.ignored_bodies):
        ledger.dropped(f"grasps[{index}].ignored_bodies", "they name bodies that do not exist")
    return RigidConstraintElement(
        sid=f"grasp{index}",
        ref_attachment=AttachmentElement(rigid_body=gripper_body),
        attachment=AttachmentElement(rigid_body=held),
        technique=IgnoreLinksElement(profile=PROFILE, ignore_link=tuple(links)) if links else None,
    )
