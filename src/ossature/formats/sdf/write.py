"""Writer of SDFormat files: a world, or only a model if the World states nothing else."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ossature.diagnostics.ledger import Ledger
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.sdf.frame_graph import WORLD
from ossature.formats.sdf.passthrough import FORMAT, NAMESPACE
from ossature.formats.sdf.read import ANY_ENGINE
from ossature.formats.sdf.schema import SdfPhysicsElement, SdfRootElement, SdfWorldElement
from ossature.formats.sdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.sdf.write_light import is_in_world, record_unsupported, write_light
from ossature.formats.sdf.write_model import write_model
from ossature.formats.sdf.write_passthrough import can_contain, element_of
from ossature.formats.sdf.written_names import model_names
from ossature.model import Extension, World
from ossature.model.unique_names import take_unique_name
from ossature.model.unsupported_fields import audit, drop_extension
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import shown

VERSION, VERSION_WITH_CONES = "1.11", "1.12"
"""The oldest versions that have all that is written: couplings came with 1.11, cones with 1.12."""
WORLD_SUFFIX = ".world"
"""The suffix of files that are worlds, whatever they contain."""


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return the SDFormat file of a World."""
    is_world = context.path.suffix.lower() == WORLD_SUFFIX
    return context.main_file(write_sdf(world, context.ledger, folder=context.folder, is_world=is_world))


def write_sdf(world: World, ledger: Ledger, *, folder: Path | None = None, is_world: bool = False) -> str:
    """Return the text of an SDFormat file for a World.

    Args:
        ledger: Receives what SDFormat cannot represent, or only approximately.
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
        is_world: Whether to write a ``<world>`` also for a World of one model that states nothing else.
    """
    audit(world, SUPPORTED_FIELDS, ledger)
    for model in world.models:
        record_unsupported(model, ledger)
    names = model_names(world, ledger)
    models = [write_model(model, name, ledger, folder) for model, name in zip(world.models, names, strict=True)]
    is_model = not is_world and len(models) == 1 and _is_only_model(world)
    content = models if is_model else [_write_world(world, models, ledger)]
    has_cones = any(node.tag == "cone" for model in models for node in xml.elements_of(model))
    root = unbind("sdf", SdfRootElement(version=VERSION_WITH_CONES if has_cones else VERSION))
    root.children += content
    root.attributes.update({one.key[1:]: one.value for one in world.extensions if _is_namespace(one)})
    return xml.serialize(root)


def _is_namespace(extension: Extension) -> bool:
    return extension.format == FORMAT and extension.key.startswith(NAMESPACE)


def _is_only_model(world: World) -> bool:
    """Whether a World states no more than a file with its model alone."""
    extensions = tuple([one for one in world.extensions if not _is_namespace(one)])
    stated = (world.name, world.gravity, world.time_step, extensions)
    default = World()
    has_lights = any(is_in_world(light) for model in world.models for light in model.lights)
    return not has_lights and stated == (default.name, default.gravity, default.time_step, default.extensions)


def _write_world(world: World, models: list[XmlNode], ledger: Ledger) -> XmlNode:
    name = xml.printable(world.name) or WORLD
    if name != world.name:
        ledger.approximated("name", f"written as {shown(name)}")
    physics = SdfPhysicsElement(type=ANY_ENGINE, max_step_size=world.time_step)
    node = unbind("world", SdfWorldElement(name=name, gravity=world.gravity, physics=(physics,)))
    targets = {WORLD, *[model.attributes["name"] for model in models]}
    for index, extension in enumerate(world.extensions):
        if not _is_namespace(extension) and not _write_extension(extension, node, targets):
            drop_extension(extension, f"extensions[{index}]", ledger, world.origin)
    node.children += models
    _write_lights(world, node, ledger)
    return node


def _write_lights(world: World, node: XmlNode, ledger: Ledger) -> None:
    """Write the lights that are fixed to the world."""
    taken = {child.attributes["name"] for child in node.children if "name" in child.attributes}
    for model in world.models:
        for light in model.lights:
            if is_in_world(light):
                name = take_unique_name(xml.printable(light.name) or "light", taken)
                node.children.append(write_light(light, name, model.name, ledger))


def _write_extension(extension: Extension, world: XmlNode, models: Collection[str]) -> bool:
    """Write an extension into a world; return whether that is possible."""
    if extension.format == FORMAT and extension.key.startswith(_PHYSICS):
        return _write_in_physics(extension, world)
    node = element_of(extension)
    if node is None:
        return False
    is_frame = node.tag == "frame" and _can_be_placed(node, models)
    if not is_frame and not can_contain(SdfWorldElement, node):
        return False
    world.children.append(node)
    return True


_PHYSICS = "physics/"


def _write_in_physics(extension: Extension, world: XmlNode) -> bool:
    physics, key = world.find("physics"), extension.key.removeprefix(_PHYSICS)
    if physics is None:
        return False
    if key in ("@name", "@type"):
        is_free = key == "@type" or key[1:] not in physics.attributes
        physics.attributes[key[1:]] = extension.value
        return is_free
    node = element_of(extension, _PHYSICS)
    if node is None or physics.find(node.tag) is not None or not can_contain(SdfPhysicsElement, node):
        return False
    physics.children.append(node)
    return True


def _can_be_placed(frame: XmlNode, models: Collection[str]) -> bool:
    """Whether a frame of the world refers to nothing but models and the world."""
    pose = frame.find("pose")
    named = [frame.attributes.get("attached_to"), None if pose is None else pose.attributes.get("relative_to")]
    return all(not name or name in models for name in named)
