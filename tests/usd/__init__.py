"""Tests of OpenUSD; they are skipped without usd-core."""

from __future__ import annotations

from pathlib import Path

import pytest

from ossature.assets import Resolver
from ossature.diagnostics import Limits, Report, Source
from ossature.formats.usd import read_usd
from ossature.model import World

pytest.importorskip("pxr", reason="the extra usd is not installed")

HEADER = '#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'


def stage(content: str, header: str = HEADER) -> bytes:
    """Return the layer of a robot with some prims."""
    return f'{header}def Xform "robot"\n{{\n{content}\n}}\n'.encode()


def body(name: str, values: str = "", *, kind: str = "Xform", apis: str = "", children: str = "") -> str:
    """Return a rigid body with mass properties."""
    schemas = '"PhysicsRigidBodyAPI", "PhysicsMassAPI"' + (f", {apis}" if apis else "")
    masses = (
        "float physics:mass = 1\npoint3f physics:centerOfMass = (0, 0, 0)\nfloat3 physics:diagonalInertia = (0.01, 0.02, 0.025)"
    )
    return f'def {kind} "{name}" (prepend apiSchemas = [{schemas}])\n{{\n{masses}\n{values}\n{children}\n}}\n'


def translated(x: float, y: float, z: float) -> str:
    """Return the translation of a prim."""
    return f'double3 xformOp:translate = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'


def joint(kind: str, values: str = "", *, name: str = "j", bodies: tuple[str, str] = ("a", "b"), apis: str = "") -> str:
    """Return a joint between two bodies; an empty name is the world."""
    ends = "".join(f"rel physics:body{n} = </robot/{one}>\n" for n, one in enumerate(bodies) if one)
    schemas = f"(prepend apiSchemas = [{apis}])" if apis else ""
    return f'def Physics{kind} "{name}" {schemas}\n{{\n{ends}{values}\n}}\n'


def read(data: bytes | str, report: Report, *, folder: Path | None = None, limits: Limits | None = None) -> World | None:
    """Return the World of a layer in memory, or of one in a folder."""
    content = data.encode() if isinstance(data, str) else data
    name = "<memory>" if folder is None else str(folder / "robot.usda")
    return read_usd(Source(name, content), report, resolver=Resolver(folder=folder), folder=folder)


def load(content: str, header: str = HEADER) -> World:
    """Return the World of a robot with some prims, whose errors fail the test."""
    report = Report()
    world = read(stage(content, header), report)
    assert world is not None, str(report)
    assert not report.has_errors, str(report)
    return world
