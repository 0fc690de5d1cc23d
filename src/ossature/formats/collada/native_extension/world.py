"""Native extension of a World."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast, get_args

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.document_lookup import Document
from ossature.formats.collada.native_extension.difference_encoding import encode_difference, own_extras, own_fields, own_nodes
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import ChronoContact, Extension, NamedList, Trajectory, World, with_hint
from ossature.model.program_hints import ContactMethod

EXTRA = "world"
_WRITTEN_ELSEWHERE = ("name", "gravity", "time_step", "models", "grasps", "trajectories")


def world_extra(
    world: World,
    extensions: tuple[Extension, ...],
    ledger: Ledger,
    *,
    has_name: bool = True,
    trajectories: NamedList[Trajectory] | None = None,
) -> tuple[ExtraElement, ...]:
    """Return the extension with the content of a World that the rest of the document does not state.

    Args:
        extensions: Its extensions that are not written elsewhere.
        ledger: Collects what other programs ignore.
        has_name: Whether the rest of the document states its name.
        trajectories: The trajectories that are read from the rest of the document; by default those of the World.
    """
    read = World(**{name: getattr(world, name) for name in _WRITTEN_ELSEWHERE if name != "name" or has_name})
    if trajectories is not None:
        read = replace(read, trajectories=trajectories)
    return own_extras(EXTRA, [encode_difference("", replace(world, extensions=extensions), read, ledger)])


def with_world_extra(world: World, document: Document, report: Report) -> World:
    """Return a World with its native extension applied."""
    for node in own_nodes(document.root.extra, EXTRA):
        if node.tag == World.__name__:
            fields = own_fields(World, node, report)
            extensions: Sequence[Extension] = fields.pop("extensions", ())
            world = replace(world, extensions=(*world.extensions, *extensions), **fields)
    return _with_contact_method(world)


def _with_contact_method(world: World) -> World:
    """Return a World with the contact method of Chrono as a hint, which files of older versions state as text."""
    for extension in world.extensions:
        if (extension.format, extension.key) == ("chrono", "contact_method") and extension.value in get_args(ContactMethod):
            rest = tuple([one for one in world.extensions if one is not extension])
            return with_hint(replace(world, extensions=rest), ChronoContact(method=cast(ContactMethod, extension.value)))
    return world
