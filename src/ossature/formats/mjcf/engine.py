"""MuJoCo's Python package, whose type stubs here cover only what simulations use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

mujoco: Any = import_module("mujoco")
"""The package."""
