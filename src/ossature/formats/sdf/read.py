"""Reader of SDFormat files. Frames are resolved in ``frame_graph``, models are read in ``read_model``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ossature.assets import MeshStore
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.format import Loaded, ReadContext
from ossature.formats.root_elements import hint_for_root
from ossature.formats.sdf import rules
from ossature.formats.sdf.included_urdf import IncludedUrdf
from ossature.formats.sdf.includes import IncludeExpansion
from ossature.formats.sdf.name_scopes import scope_of
from ossature.formats.sdf.passthrough import FORMAT, extension_of, extensions_of, namespaces_of
from ossature.formats.sdf.read_model import ModelReader, connected_models
from ossature.formats.sdf.schema import SdfPhysicsElement, SdfRootElement, SdfWorldElement
from ossature.formats.sdf.upgrade_old_versions import upgrade_document
from ossature.model import Extension, NamedList, World
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind
from ossature.syntax.xml_values import format_number
from ossature.syntax.xml_with_loose_comments import parse_with_loose_comments

ANY_ENGINE = "ignored"
"""The type of physics that states no engine."""


def read(context: ReadContext) -> Loaded:
    """Return the World of an SDFormat file."""
    return Loaded(world=read_sdf(context.source, context.report, resolver=context.resolver, folder=context.folder))


@within_limits
def read_sdf(source: Source, report: Report, *, resolver: Resolver, folder: Path | None = None) -> World | None:
    """Return the World of an SDFormat file, or None if it has no model.

    Args:
        resolver: Finds the files of ``<include>`` and of meshes.
        folder: The folder of the file; None for a file in memory, whose relative paths stay unchanged.
    """
    root = parse_with_loose_comments(source, report)
    if root is None:
        return None
    if root.tag != "sdf":
        message = f"the root element is <{root.tag[:80]}>"
        hint = hint_for_root(root.tag, "the root element of an SDFormat file is <sdf version=…>")
        report.add(rules.WRONG_ROOT_ELEMENT, message, root.location, hint=hint)
        return None
    upgrade_document(root, report)
    file = str(folder / Path(source.name).name) if folder is not None else source.name
    includes = IncludeExpansion(resolver, report)
    includes.expand(root, (file,))
    element = bind(SdfRootElement, root, report)
    _report_unread(element, report)
    meshes = MeshStore(resolver, report.limits)
    if element.world:
        world = _read_world(element.world[0], folder, meshes, includes.urdf, report)
        return replace(world, extensions=(*namespaces_of(root), *world.extensions))
    if element.model:
        outer = SdfWorldElement(name="world", model=element.model[:1])
        world = _read_world(outer, folder, meshes, includes.urdf, report)
        return replace(world, gravity=World().gravity, extensions=namespaces_of(root), origin=root.location)
    report.add(rules.NO_MODELS, "the file has no <model> and no <world>", root.location, hint='<model name="…">')
    return None


def _report_unread(element: SdfRootElement, report: Report) -> None:
    for world in element.world[1:]:
        message, hint = f"the world '{world.name}' is not read", "write it to a file of its own"
        report.add(rules.UNREAD_WORLD, message, world.location(), hint=hint)
    first = 0 if element.world else 1
    for other in (*element.model[first:], *(element.other if element.world or element.model else ())):
        node = other.node
        name = f"<{node.tag}> '{node.attributes.get('name', '')}'" if isinstance(node, XmlNode) else "a model"
        report.add(rules.UNREAD_MODEL, f"{name} is not read", other.location(), hint="put it into a <world>")


def _read_world(element: SdfWorldElement, folder: Path | None, meshes: MeshStore, urdf: IncludedUrdf, report: Report) -> World:
    scope = scope_of(element, report)
    reader = ModelReader(scope, folder, meshes, urdf, report)
    models = [reader.read(members) for members in connected_models(scope, reader.world_joints)]
    physics = _used_physics(element)
    return World(
        name=element.name or "world",
        gravity=element.gravity,
        time_step=_time_step(physics),
        models=NamedList(models),
        extensions=_extensions(element),
        origin=element.location(),
    )


def _used_physics(element: SdfWorldElement) -> SdfPhysicsElement | None:
    """Return the settings that apply: those that are the default, or the first ones; None without any."""
    return next((one for one in element.physics if one.default), None) or next(iter(element.physics), None)


def _time_step(physics: SdfPhysicsElement | None) -> float:
    specified = physics.max_step_size if physics is not None else None
    return specified if specified is not None and specified > 0.0 else World().time_step


def _extensions(element: SdfWorldElement) -> tuple[Extension, ...]:
    used = _used_physics(element)
    physics = [extension for one in element.physics for extension in _physics_extensions(one, is_used=one is used)]
    frames = [extension_of(one.node) for one in element.frame if isinstance(one.node, XmlNode)]
    return (*extensions_of(element), *frames, *physics)


def _physics_extensions(element: SdfPhysicsElement, *, is_used: bool) -> tuple[Extension, ...]:
    """Return the settings of an engine, and its name and type; the time step only if it is not that of the World."""
    specified = {"@name": element.name, "@type": None if element.type == ANY_ENGINE else element.type}
    if not is_used and element.max_step_size is not None:
        specified["max_step_size"] = format_number(element.max_step_size)
    values = [Extension(format=FORMAT, key=f"physics/{key}", value=value) for key, value in specified.items() if value]
    return (*values, *extensions_of(element, "physics/"))
