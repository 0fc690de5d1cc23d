"""How files are read and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ossature.diagnostics import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How files are read and checked.

    Attributes:
        format_name: Format of the files, or None if each file determines it.
        dialect: The program whose interpretation is used of files in formats that have this dialect, or None.
        search_path: Folders with packages and data.
        allowed: Folders outside those of the files from which others may be opened.
        calibration: File with the calibration of the robot, or None.
        motor_speed_unit: Unit of motor speeds, or None.
        srdf: SRDF file of URDF robots; None for the one beside each URDF file, False for none.
        xacro: Arguments of the files as xacro templates, or None for files that are none.
        opens_meshes: Whether mesh files are opened.
    """

    format_name: str | None = None
    dialect: str | None = None
    search_path: tuple[Path, ...] = ()
    allowed: tuple[Path, ...] = ()
    calibration: Path | None = None
    motor_speed_unit: str | None = None
    srdf: Path | Literal[False] | None = None
    xacro: tuple[tuple[str, str], ...] | None = None
    limits: Limits = field(default_factory=Limits)
    opens_meshes: bool = False
