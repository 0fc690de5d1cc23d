"""Reader of OpenUSD stages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ossature.assets import MeshStore
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.formats.format import Loaded, ReadContext
from ossature.formats.usd import rules
from ossature.formats.usd.open_stage import open_stage
from ossature.formats.usd.read_actuators import ACTUATORS
from ossature.formats.usd.read_joints import JOINTS
from ossature.formats.usd.read_models import ModelReader
from ossature.formats.usd.read_shapes import SHAPES
from ossature.formats.usd.scene_options import read_options
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import NamedList, World
from ossature.spatial import Vector3, vector_from

GRAVITY = 9.81
"""Gravity of a stage that does not state it, as of the Earth [m/s²]."""


def read(context: ReadContext) -> Loaded:
    """Return the World of an OpenUSD file."""
    return Loaded(world=read_usd(context.source, context.report, resolver=context.resolver, folder=context.folder))


@within_limits
def read_usd(source: Source, report: Report, *, resolver: Resolver, folder: Path | None = None) -> World | None:
    """Return the World of an OpenUSD file, or None if it has no bodies and no shapes.

    Args:
        resolver: Finds the other layers.
        folder: The folder of the file; None for a file in memory.
    """
    stage = open_stage(source, resolver, folder, report)
    if stage is None:
        return None
    scene = _scene(stage)
    models = ModelReader(stage, MeshStore(resolver, report.limits)).models()
    if not models:
        hint = "a body is a prim with PhysicsRigidBodyAPI"
        report.add(rules.NO_BODIES, "the stage has no bodies and no shapes", Location(source), hint=hint)
        return None
    top = None if stage.default_prim is None else stage.prims.get(stage.default_prim)
    world = World(
        name=top.name if top is not None else Path(source.name).stem or "world",
        gravity=_gravity(stage, scene),
        time_step=_time_step(scene),
        models=NamedList(models),
        hints=(read_options(scene, models),),
        origin=stage.location,
    )
    report_unread(stage)
    return world


def _scene(stage: Stage) -> Prim | None:
    scenes = [prim for prim in stage.prims.values() if prim.type == "PhysicsScene"]
    if len(scenes) > 1:
        stage.add(rules.SECOND_SCENE, f"of {len(scenes)} physics scenes {scenes[0].path} is read")
    return scenes[0] if scenes else None


def _gravity(stage: Stage, scene: Prim | None) -> Vector3:
    down = vector_from([-1.0 if axis == stage.up else 0.0 for axis in "XYZ"])
    direction, magnitude = down, -math.inf
    if scene is not None:
        direction = scene.finite_vector("physics:gravityDirection", (0.0, 0.0, 0.0))
        magnitude = scene.number("physics:gravityMagnitude", -math.inf)
        if not scene.flag("newton:gravityEnabled", True) or not scene.flag("mjc:flag:gravity", True):
            return 0.0, 0.0, 0.0
    vector = stage.rotation @ np.array(direction if any(direction) else down)
    strength = GRAVITY if not 0.0 <= magnitude < math.inf else magnitude * stage.length
    x, y, z = (vector / np.linalg.norm(vector) * strength + 0.0).tolist()
    return x, y, z


def _time_step(scene: Prim | None) -> float:
    if scene is None:
        return World().time_step
    step = scene.finite("mjc:option:timestep", 0.0)
    rates = [scene.finite(f"{name}:timeStepsPerSecond", 0.0) for name in ("newton", "physxScene")]
    rate = next((value for value in rates if value > 0.0), 0.0)
    return step if step > 0.0 else 1.0 / rate if rate > 0.0 else World().time_step


# What is not read

_READ_TYPES = frozenset(
    (
        "",
        "Xform",
        "Scope",
        "Material",
        "Shader",
        "NodeGraph",
        "PhysicsScene",
        "PhysicsCollisionGroup",
        "MjcTendon",
        "GeomSubset",
    )
)
_READ_SCHEMAS = frozenset(
    (
        *(f"Physics{name}API" for name in ("RigidBody", "Mass", "Collision", "MeshCollision", "Material", "FilteredPairs")),
        *(f"Physics{name}API" for name in ("ArticulationRoot", "Limit", "Drive")),
        *(
            f"Newton{name}API"
            for name in ("Scene", "ArticulationRoot", "Joint", "Mass", "Collision", "MeshCollision", "Material")
        ),
        *(f"Newton{name}API" for name in ("Mimic", "Site", "PDControl", "MaxEffortClamping")),
        *(f"Mjc{name}API" for name in ("Scene", "Site", "Imageable", "Collision", "MeshCollision", "Joint", "Material")),
        *(f"Mjc{name}API" for name in ("EqualityConnect", "EqualityWeld", "EqualityJoint")),
        *("MaterialBindingAPI", "GeomModelAPI", "NodeDefAPI", "CollectionAPI", "SemanticsAPI", "SemanticsLabelsAPI"),
        *("VisibilityAPI", "ModelAPI", "XformCommonAPI", "LightAPI", "ShapingAPI", "ShadowAPI"),
    )
)
"""Schemas of which attributes that are not read are reported one by one, and those without an effect on mechanisms."""
_ENGINES = ("physics:", "newton:", "mjc:", "physx", "limit:", "drive:", "state:")
"""Prefixes of attributes that describe mechanisms."""
_WITHOUT_EFFECT = frozenset(
    (
        *("physics:simulationOwner", "physics:startsAsleep", "newton:massModel", "newton:shellThickness", "mjc:compiler:angle"),
        *(f"mjc:{name}" for name in ("group", "inertia", "type", "rgba", "width")),
    )
)


def report_unread(stage: Stage) -> None:
    """Report prims, schemas and attributes of a stage that no reader has asked for."""
    known = _READ_TYPES | SHAPES | JOINTS | set(ACTUATORS)
    types = Counter(prim.type for prim in stage.prims.values() if prim.type not in known)
    if types:
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(types.items()))
        stage.add(rules.UNREAD_PRIM, f"prims of these types are not read: {counted}")
    _report_schemas(stage)
    found: dict[str, dict[str, list[str]]] = {}
    for prim in stage.prims.values():
        for name in _unread(prim):
            found.setdefault(name.partition(":")[0], {}).setdefault(name, []).append(prim.path)
    for names in found.values():
        texts = [f"'{name}' of {_counted(paths)}" for name, paths in sorted(names.items())]
        shown = ", ".join(texts[:_MOST_SHOWN]) + (
            f", and {len(texts) - _MOST_SHOWN} others" if len(texts) > _MOST_SHOWN else ""
        )
        stage.add(rules.UNREAD_ATTRIBUTE, f"not read: {shown}")


_MOST_SHOWN = 12


def _counted(paths: list[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} prims such as {paths[0]}"


def _report_schemas(stage: Stage) -> None:
    first: dict[str, str] = {}
    for prim in stage.prims.values():
        for api in prim.apis:
            kind = api.partition(":")[0]
            if kind not in _READ_SCHEMAS and prim.type not in ("RenderSettings", "RenderProduct"):
                first.setdefault(kind, prim.path)
    if first:
        shown = ", ".join(f"{kind} of {path}" for kind, path in sorted(first.items()))
        stage.add(rules.UNREAD_SCHEMA, f"schemas that are not read: {shown}")


def _unread(prim: Prim) -> Iterator[str]:
    for name in (*prim.attributes, *prim.relationships):
        if name.startswith(_ENGINES) and name not in prim.used and name not in _WITHOUT_EFFECT:
            yield name
