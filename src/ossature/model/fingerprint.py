"""Digests that identify a World."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

from ossature.diagnostics import OssatureError
from ossature.model.geometry import Mesh
from ossature.model.mujoco_hints import MujocoOption
from ossature.model.program_hints import DartStepping, hint_of
from ossature.model.serialized_names import hashed_items, serialized_class
from ossature.model.triangle_mesh import LazyMesh
from ossature.model.world import World

_UNMOVED = frozenset({"visuals"})
"""Fields that no motion depends on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Digests of a World.

    Attributes:
        world: Digest of everything in it that a motion may depend on: all but visual shapes, and the folders of its meshes.
        models: The same of each of its models, by name.
    """

    world: str
    models: tuple[tuple[str, str], ...]


def fingerprint(world: World) -> Fingerprint:
    """Return the digests of a World; embedded meshes are loaded for it."""
    models = tuple([(model.name, digest(model)) for model in world.models])
    # Origins and names do not affect the motion.
    rest: tuple[Any, ...] = (world.gravity, world.time_step, hint_of(world, DartStepping) is not None, world.grasps, models)
    option = hint_of(world, MujocoOption)
    return Fingerprint(world=digest(rest if option is None else (*rest, option)), models=models)


def digest(value: Any) -> str:
    """Return a digest of plain values and data classes, equal if they are equal."""
    hashed = hashlib.sha256()
    for token in _tokens(value):
        hashed.update(struct.pack("<q", len(token)))
        hashed.update(token)
    return hashed.hexdigest()[:32]


def _tokens(root: Any) -> Iterator[bytes]:
    pending = [root]
    while pending:
        value = pending.pop()
        if value is None or isinstance(value, bool):
            yield repr(value).encode()
        elif isinstance(value, Enum):
            yield str(value.value).encode()
        elif isinstance(value, int | float):
            yield struct.pack("<d", value + 0.0)  # minus zero is zero
        elif isinstance(value, str):
            yield value.encode("utf-8", "surrogatepass")
        elif isinstance(value, LazyMesh):
            yield from _mesh_tokens(value)
        elif isinstance(value, Mesh):
            yield PurePosixPath(value.uri).name.encode("utf-8", "surrogatepass")
            pending += [value.convex, value.scale]
        elif is_dataclass(value):
            specified = [part for name, part in hashed_items(value) if name not in _UNMOVED]
            yield f"{serialized_class(type(value))} {len(specified)}".encode()
            pending += reversed(specified)
        else:
            items = [part for pair in value.items() for part in pair] if isinstance(value, Mapping) else list(value)
            yield f"{len(items)} items".encode()
            pending += reversed(items)


def _mesh_tokens(surface: LazyMesh) -> Iterator[bytes]:
    try:
        triangles = surface.triangles
    except OssatureError:
        yield b"triangles that cannot be had"
        return
    yield triangles.vertices.tobytes()
    yield triangles.faces.tobytes()
