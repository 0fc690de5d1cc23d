"""Arrays of numbers by model, element and quantity."""

from __future__ import annotations

from typing import TypeAlias

from ossature.array_types import Array

Quantities: TypeAlias = "dict[str, dict[str, dict[str, Array]]]"
"""Arrays of numbers by model, element and quantity."""
