"""Which hand holds what → rigid constraints between bodies of a scene."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.model_writing import ModelWriting
from ossature.formats.collada.own_extra import extra_of, technique
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.schema_openrave import (
    PROFILE,
    AttachmentElement,
    DynamicRigidConstraintsElement,
    IgnoreLinkElement,
    IgnoreLinksElement,
    RigidConstraintElement,
)
from ossature.formats.collada.write_physics import physics_instance
from ossature.model import BodyPath, Grasp, World
from ossature.syntax.xml_binding import unbind


def write_grasps(world: World, models: list[ModelWriting], ledger: Ledger) -> Iterator[ExtraElement]:
    """Yield the extension that says which bodies hold which, if any does."""
    by_name = dict(reversed(list(zip(world.models.names(), models, strict=True))))
    constraints = [
        constraint
        for index, grasp in enumerate(world.grasps)
        if (constraint := _constraint(grasp, index, by_name, ledger)) is not None
    ]
    if constraints:
        content = unbind("technique", DynamicRigidConstraintsElement(rigid_constraint=tuple(constraints)))
        yield extra_of("dynamic_rigid_constraints", [technique(PROFILE, content.children)])


def _constraint(grasp: Grasp, index: int, models: dict[str, ModelWriting], ledger: Ledger) -> RigidConstraintElement | None:
    holder, held = _path(grasp.holder, models), _path(grasp.held, models)
    if holder is None or held is None:
        ledger.dropped("grasps", f"number {index} names a body that does not exist")
        return None
    model = models[grasp.holder.model]
    ignored = [name for name in grasp.ignored_bodies if name in model.model.bodies]
    if len(ignored) < len(grasp.ignored_bodies):
        ledger.dropped(f"grasps[{index}].ignored_bodies", "they name bodies that do not exist")
    # OpenRAVE finds a link only by the bare sid of its rigid body.
    links = tuple([IgnoreLinkElement(link=model.rigid(name)) for name in ignored])
    return RigidConstraintElement(
        sid=f"grasp{index}",
        ref_attachment=AttachmentElement(rigid_body=holder),
        attachment=AttachmentElement(rigid_body=held),
        technique=IgnoreLinksElement(profile=PROFILE, ignore_link=links) if links else None,
    )


def _path(path: BodyPath, models: dict[str, ModelWriting]) -> str | None:
    model = models.get(path.model)
    if model is None or path.body not in model.model.bodies:
        return None
    return f"{physics_instance(model)}/{model.rigid(path.body)}"
