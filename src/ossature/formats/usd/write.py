"""Writer of OpenUSD stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ossature.diagnostics import Ledger, OssatureError
from ossature.diagnostics.ledger import WrittenName
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.usd.encode_layer import binary_layer, layer_archive
from ossature.formats.usd.mujoco_elements import has_mujoco_elements
from ossature.formats.usd.prim_names import PrimNames, identifier
from ossature.formats.usd.scene_options import write_options
from ossature.formats.usd.single_precision import SinglePrecision
from ossature.formats.usd.supported_fields import SUPPORTED_FIELDS
from ossature.formats.usd.usda_text import UsdPrim, layer_text, number
from ossature.formats.usd.write_model import ModelWriter
from ossature.model import Model, MujocoOption, World, hint_of
from ossature.model.unique_names import take_unique_name
from ossature.model.unsupported_fields import audit
from ossature.spatial import norm, unit

BINARY, ARCHIVE = ".usdc", ".usdz"
"""Suffixes of binary layers, and of archives with one; other files are written as text."""


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return the OpenUSD file of a World: text, a binary layer, or an archive with one.

    Raises:
        OssatureError: The World has no bodies, or a binary file needs the library for OpenUSD.
    """
    if not any(model.bodies for model in world.models):
        raise OssatureError("the World has no bodies: a stage of OpenUSD without bodies is no model")
    suffix, text = context.path.suffix.lower(), write_usd(world, context.ledger)
    if suffix not in (BINARY, ARCHIVE):
        return context.main_file(text)
    layer = binary_layer(text, context.report.limits)
    if suffix == BINARY:
        return context.main_file(layer)
    name = f"{identifier(context.path.stem, 'layer')}{BINARY}"
    return context.main_file(layer_archive(layer, name))


def write_usd(world: World, ledger: Ledger) -> str:
    """Return the text of a layer for a World.

    Args:
        ledger: Receives what OpenUSD cannot represent, or only approximately.
    """
    audit(world, SUPPORTED_FIELDS, ledger)
    if hint_of(world, MujocoOption) is None and any(map(has_mujoco_elements, world.models)):
        ledger.rewritten("hints", "read as a World for MuJoCo, which simulates actuators, tendons, equalities and armature")
    name, label = PrimNames(ledger).take(world.name, "world", "")
    top = UsdPrim("Xform", name, f"/{name}", label, kind="assembly")
    names = PrimNames(ledger)
    scene, _ = names.take("physicsScene", "physicsScene")
    _write_scene(world, top.child("PhysicsScene", scene), ledger)
    labels: set[str] = set()
    for model, title in _titles(world, ledger):
        name, label = names.take(title, "model", model.name)
        ModelWriter(model, top.child("Xform", name, label), top, labels, ledger).write()
    return layer_text([top], top.name)


def _titles(world: World, ledger: Ledger) -> Iterator[tuple[Model, str]]:
    """Yield the models with bodies, with their names in the file."""
    taken, counts = set[str](), Counter[str]()
    for model in world.models:
        if not model.bodies:
            ledger.dropped(model.name, "a model of OpenUSD has bodies", location=model.origin)
            continue
        title = take_unique_name(model.name, taken)
        if title != model.name:
            occurrence = counts[model.name]
            ledger.renamed(WrittenName(model="", collection="models", name=model.name, occurrence=occurrence, written=title))
        counts[model.name] += 1
        yield model, title


def _write_scene(world: World, scene: UsdPrim, ledger: Ledger) -> None:
    single = SinglePrecision(ledger)
    strength = norm(world.gravity)
    direction = unit(world.gravity) if strength > 0.0 else (0.0, 0.0, -1.0)
    scene.add("vector3f", "physics:gravityDirection", single.vector(direction, "gravity"))
    scene.add("float", "physics:gravityMagnitude", single.number(strength, "gravity"))
    if world.time_step > 0.0:
        rate = round(1.0 / world.time_step)
        if rate > 0 and 1.0 / rate == world.time_step:
            scene.apply("NewtonSceneAPI")
            scene.add("uniform int", "newton:timeStepsPerSecond", str(rate))
        else:
            scene.apply("MjcSceneAPI")
            scene.add("uniform double", "mjc:option:timestep", number(world.time_step))
    options = hint_of(world, MujocoOption)
    if options is not None:
        write_options(options, scene)
