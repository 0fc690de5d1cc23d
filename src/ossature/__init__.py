"""Reads, checks, converts, writes and simulates robot and mechanism models.

Modules are imported on first use: ``import ossature`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ossature.assets import MeshStore, Resolver
    from ossature.checks import check
    from ossature.comparison import compare
    from ossature.conversion import Conversion, ConversionError, convert, save
    from ossature.diagnostics import Ledger, Limits, LoadError, OssatureError, Report
    from ossature.ik_api import inverse_kinematics
    from ossature.io import load, read
    from ossature.kinematics import poses
    from ossature.model import World
    from ossature.simulation import CompiledModel, SampledSignal, Simulation, SimulationError

_HOMES = {
    "CompiledModel": "ossature.simulation",
    "Conversion": "ossature.conversion",
    "ConversionError": "ossature.conversion",
    "Ledger": "ossature.diagnostics",
    "Limits": "ossature.diagnostics",
    "LoadError": "ossature.diagnostics",
    "MeshStore": "ossature.assets",
    "OssatureError": "ossature.diagnostics",
    "Report": "ossature.diagnostics",
    "Resolver": "ossature.assets",
    "Simulation": "ossature.simulation",
    "SimulationError": "ossature.simulation",
    "SampledSignal": "ossature.simulation",
    "World": "ossature.model",
    "check": "ossature.checks",
    "compare": "ossature.comparison",
    "convert": "ossature.conversion",
    "inverse_kinematics": "ossature.ik_api",
    "load": "ossature.io",
    "poses": "ossature.kinematics",
    "read": "ossature.io",
    "save": "ossature.conversion",
}

__all__ = [
    "CompiledModel",
    "Conversion",
    "ConversionError",
    "Ledger",
    "Limits",
    "LoadError",
    "MeshStore",
    "OssatureError",
    "Report",
    "Resolver",
    "SampledSignal",
    "Simulation",
    "SimulationError",
    "World",
    "check",
    "compare",
    "convert",
    "inverse_kinematics",
    "load",
    "poses",
    "read",
    "save",
]


_RENAMED = {"Table": "SampledSignal"}
"""Deprecated names of the first release, with the current names."""


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        import warnings

        new = _RENAMED[name]
        warnings.warn(f"ossature.{name} is renamed to ossature.{new}", DeprecationWarning, stacklevel=2)
        name = new
    if name not in _HOMES:
        raise AttributeError(f"module 'ossature' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
