"""Writes grasps as rigid constraints between rigid bodies of a scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.native_extension.difference_encoding import make_extra, technique_node
from ossature.formats.collada.openrave import schema
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import BodyPath, Grasp, World
from ossature.syntax.xml_binding import unbind


def write_grasps(world: World, paths: Mapping[BodyPath, str], ledger: Ledger) -> Iterator[ExtraElement]:
    """Yield the extension of the grasps of a World, if it has any.

    Args:
        paths: The path of each rigid body: the sids of the instances of its physics model and of itself.
        ledger: Receives grasps that cannot be written.
    """
    constraints = [
        constraint
        for index, grasp in enumerate(world.grasps)
        if (constraint := _constraint_element(grasp, index, paths, ledger)) is not None
    ]
    if constraints:
        content = unbind("technique", schema.DynamicRigidConstraintsElement(rigid_constraint=tuple(constraints)))
        yield make_extra("dynamic_rigid_constraints", [technique_node(schema.PROFILE, content.children)])


def _constraint_element(
    grasp: Grasp, index: int, paths: Mapping[BodyPath, str], ledger: Ledger
) -> schema.RigidConstraintElement | None:
    gripper_body, grasped_body = paths.get(grasp.link), paths.get(grasp.body)
    if gripper_body is None or grasped_body is None:
        ledger.dropped("grasps", f"grasp {index} refers to an unknown body")
        return None
    ignored = [paths.get(BodyPath(model=grasp.link.model, body=name)) for name in grasp.ignored_bodies]
    # OpenRAVE finds a link only by the sid of its rigid body, without the path.
    links = [schema.IgnoreLinkElement(link=path.rpartition("/")[2]) for path in ignored if path is not None]
    if len(links) < len(grasp.ignored_bodies):
        ledger.dropped(f"grasps[{index}].ignored_bodies", "unknown bodies are omitted")
    return schema.RigidConstraintElement(
        sid=f"grasp{index}",
        ref_attachment=schema.AttachmentElement(rigid_body=gripper_body),
        attachment=schema.AttachmentElement(rigid_body=grasped_body),
        technique=schema.IgnoreLinksElement(profile=schema.PROFILE, ignore_link=tuple(links)) if links else None,
    )
