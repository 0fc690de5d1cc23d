"""The options of MJCF, and sections that the model keeps as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_defaults import ARRAYS_OF_OPTION, NUMBERS_OF_OPTION, WORDS_OF_OPTION
from ossature.formats.mjcf.passthrough import add_sections
from ossature.formats.mjcf.plain_numbers import specified, specified_number
from ossature.model import Extension, MujocoOption
from ossature.spatial import ZERO3, Vector3, vector_from
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

_SECTIONS = ("size", "visual", "statistic", "custom", "extension")
"""Parts of a document that only MuJoCo uses; they are kept as text."""


_ENUMERATIONS = {
    "integrator": mujoco.mjtIntegrator,
    "cone": mujoco.mjtCone,
    "jacobian": mujoco.mjtJacobian,
    "solver": mujoco.mjtSolver,
}


_SPELLINGS = ("Euler", "RK4", "implicit", "implicitfast", "discrete", "pyramidal", "elliptic", "dense", "sparse", "auto")


_SPELLINGS_OF_WORDS = {word.lower(): word for word in (*_SPELLINGS, "PGS", "CG", "Newton")}


_DISABLED_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)


def read_gravity(model: Any) -> Vector3:
    """Return the gravity of a compiled model, zero if it is disabled [m/s²]."""
    return ZERO3 if int(model.opt.disableflags) & _DISABLED_GRAVITY else vector_from(model.opt.gravity)


def read_option(model: Any) -> MujocoOption:
    """Return the options of a compiled model that differ from MuJoCo's defaults."""
    option = model.opt
    values: dict[str, Any] = {name: specified_number(getattr(option, name), value) for name, value in NUMBERS_OF_OPTION.items()}
    values |= {name: specified(np.asarray(getattr(option, name)), value) for name, value in ARRAYS_OF_OPTION.items()}
    for name, default in WORDS_OF_OPTION.items():
        word = _ENUMERATIONS[name](int(getattr(option, name))).name.partition("_")[2]
        values[name] = specified_number(_SPELLINGS_OF_WORDS[word.lower()], default)
    values["integrator"] = values["integrator"] or "Euler"  # stated always, so that the World is one for MuJoCo
    groups = int(option.disableactuator)
    values["actuatorgroupdisable"] = tuple([bit for bit in range(31) if groups >> bit & 1]) or None
    # Disabled gravity is a World without gravity.
    values["disabled"] = _flags(int(option.disableflags) & ~_DISABLED_GRAVITY, mujoco.mjtDisableBit)
    values["enabled"] = _flags(int(option.enableflags), mujoco.mjtEnableBit)
    return MujocoOption(**values)


def _flags(bits: int, enumeration: Any) -> tuple[str, ...] | None:
    members = [(name.partition("_")[2].lower(), int(member)) for name, member in enumeration.__members__.items()]
    names = [(bit, name) for name, bit in members if name]  # without the number of flags
    return tuple([name for bit, name in names if bits & bit and bit & bit - 1 == 0]) or None


def read_sections(root: XmlNode) -> tuple[Extension, ...]:
    """Return the parts of a document that only MuJoCo uses, each once."""
    whole = XmlNode(root.tag, {}, root.source, root.offset)
    add_sections(whole, [_copy(node) for node in root.children if node.tag in _SECTIONS and (node.attributes or node.children)])
    return tuple([Extension(format="mjcf", key=node.tag, value=xml.compact(node)) for node in whole.children])


def _copy(node: XmlNode) -> XmlNode:
    copy = XmlNode(node.tag, dict(node.attributes), node.source, node.offset)
    copy.text, copy.children = node.text, [_copy(child) for child in node.children]
    return copy
