"""Numbers that OpenUSD's schemas store with 32 bits, and their rounding errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ossature.diagnostics import Ledger
from ossature.formats.usd.usda_text import single
from ossature.spatial import (
    IDENTITY,
    Pose,
    Quaternion,
    angle_between,
    norm,
    normalized,
    quaternion_from,
    subtract,
    vector_from,
)

ROUNDING = 1e-12
"""Largest error that is not recorded, absolute or relative: that of a conversion of units."""
DETAIL = "OpenUSD stores it with 32 bits"
RADIANS = math.pi / 180.0
"""Radians in the unit of angles of OpenUSD."""


class SinglePrecision:
    """Writes numbers with 32 bits, and records the errors in the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def number(self, value: float, path: str, unit: float = 1.0) -> str:
        """Return the text of a number.

        Args:
            value: The number in SI units.
            path: The path of the field, for the ledger.
            unit: SI units in the unit of the file.
        """
        text = single(value / unit)
        self._record([value], [float(text) * unit], path)
        return text

    @staticmethod
    def unrecorded(value: float) -> str:
        """Return the text of a number that the file also has with 64 bits."""
        return single(value)

    @staticmethod
    def unrecorded_vector(values: Sequence[float]) -> str:
        """Return the text of several numbers that the file also has with 64 bits."""
        return f"({', '.join(map(single, values))})"

    def numbers(self, values: Sequence[float], path: str, unit: float = 1.0) -> list[str]:
        """Return the texts of several numbers of one field; see :meth:`number`."""
        texts = [single(value / unit) for value in values]
        self._record(values, [float(text) * unit for text in texts], path)
        return texts

    def vector(self, values: Sequence[float], path: str, unit: float = 1.0) -> str:
        """Return the text of several numbers as one value; see :meth:`number`."""
        return f"({', '.join(self.numbers(values, path, unit))})"

    def rotation(self, wxyz: Quaternion, path: str | None) -> str:
        """Return the text of a unit quaternion."""
        texts = [single(part) for part in wxyz]
        error = angle_between(Pose(wxyz=wxyz), Pose(wxyz=normalized(quaternion_from(map(float, texts)))))
        if error > ROUNDING and path is not None:
            self._ledger.approximated(path, DETAIL, error=error)
        return f"({', '.join(texts)})"

    def _record(self, values: Sequence[float], written: Sequence[float], path: str) -> None:
        pairs = [(a, b) for a, b in zip(values, written, strict=True) if a != b]
        errors = [abs(a - b) for a, b in pairs if not math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING)]
        if errors:
            self._ledger.approximated(path, DETAIL, error=max(errors))


def rounded_pose(pose: Pose) -> Pose:
    """Return a pose whose numbers have 32 bits, as it is read."""
    position = vector_from([float(single(value)) for value in pose.position])
    wxyz = pose.wxyz if pose.wxyz == IDENTITY.wxyz else normalized(quaternion_from([float(single(part)) for part in pose.wxyz]))
    return Pose(position, wxyz)


def pose_error(first: Pose, second: Pose) -> float:
    """Return the larger one of the distance [m] and the angle [rad] between two frames."""
    return max(norm(subtract(first.position, second.position)), angle_between(first, second))
