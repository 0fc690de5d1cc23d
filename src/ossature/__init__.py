"""Reads, checks, converts, writes and simulates robot and mechanism models.

Modules are imported on first use: ``import ossature`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ossature.assets import MeshStore, Resolver
    from ossature.comparison import compare
    from ossature.conversion import Conversion, ConversionError, convert, dumps, save
    from ossature.diagnostics import Ledger, Limits, LoadError, OssatureError, Report
    from ossature.fmu import export_fmu
    from ossature.ik_api import inverse_kinematics
    from ossature.interoperability import to_mjmodel, to_mjspec, to_pinocchio, to_trimesh, to_urdf_string
    from ossature.io import check, load, load_state, read, save_state
    from ossature.kinematics import Dynamics, Kinematics, poses
    from ossature.linting.fix_file import fix
    from ossature.model import State, World
    from ossature.model_diff import diff
    from ossature.recordings import open_recording
    from ossature.simulation import CompiledModel, Plant, Recording, SampledSignal, Simulation, SimulationError
    from ossature.sweeps import sweep

_HOMES = {
    "CompiledModel": "ossature.simulation",
    "Conversion": "ossature.conversion",
    "ConversionError": "ossature.conversion",
    "Dynamics": "ossature.kinematics",
    "Kinematics": "ossature.kinematics",
    "Ledger": "ossature.diagnostics",
    "Limits": "ossature.diagnostics",
    "LoadError": "ossature.diagnostics",
    "MeshStore": "ossature.assets",
    "OssatureError": "ossature.diagnostics",
    "Plant": "ossature.simulation",
    "Recording": "ossature.simulation",
    "Report": "ossature.diagnostics",
    "Resolver": "ossature.assets",
    "Simulation": "ossature.simulation",
    "SimulationError": "ossature.simulation",
    "SampledSignal": "ossature.simulation",
    "State": "ossature.model",
    "World": "ossature.model",
    "check": "ossature.io",
    "compare": "ossature.comparison",
    "convert": "ossature.conversion",
    "diff": "ossature.model_diff",
    "dumps": "ossature.conversion",
    "fix": "ossature.linting.fix_file",
    "export_fmu": "ossature.fmu",
    "inverse_kinematics": "ossature.ik_api",
    "load": "ossature.io",
    "load_state": "ossature.io",
    "open_recording": "ossature.recordings",
    "poses": "ossature.kinematics",
    "read": "ossature.io",
    "save": "ossature.conversion",
    "save_state": "ossature.io",
    "sweep": "ossature.sweeps",
    "to_mjmodel": "ossature.interoperability",
    "to_mjspec": "ossature.interoperability",
    "to_pinocchio": "ossature.interoperability",
    "to_trimesh": "ossature.interoperability",
    "to_urdf_string": "ossature.interoperability",
}

__all__ = [
    "CompiledModel",
    "Conversion",
    "ConversionError",
    "Dynamics",
    "Kinematics",
    "Ledger",
    "Limits",
    "LoadError",
    "MeshStore",
    "OssatureError",
    "Plant",
    "Recording",
    "Report",
    "Resolver",
    "SampledSignal",
    "Simulation",
    "SimulationError",
    "State",
    "World",
    "check",
    "compare",
    "convert",
    "diff",
    "dumps",
    "export_fmu",
    "fix",
    "inverse_kinematics",
    "load",
    "load_state",
    "open_recording",
    "poses",
    "read",
    "save",
    "save_state",
    "sweep",
    "to_mjmodel",
    "to_mjspec",
    "to_pinocchio",
    "to_trimesh",
    "to_urdf_string",
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

    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
