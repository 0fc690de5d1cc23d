"""Tables on the terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from ossature.cli.console import output_console
from ossature.diagnostics.text_escaping import printable

_NARROW = 24
"""Columns of numbers up to this width are not broken."""
_SHORT_NAME = 16
"""Names are not broken below this width."""
_NUMBERS = re.compile(r"[-+0-9.e ∞…]*")


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; numbers stay on one line, and names are printed literally, including brackets."""
    from rich.table import Table
    from rich.text import Text

    from ossature.cli.escaping_console import WithoutTrailingBlanks

    cells = [[printable(cell, line_breaks=False) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False)
    for number, header in enumerate(headers):
        column = [row[number] for row in cells]
        longest = max(map(len, column), default=0)
        table.add_column(
            Text(header),
            no_wrap=longest <= _NARROW and all(map(_NUMBERS.fullmatch, column)),
            min_width=min(max(longest, 1), _SHORT_NAME) if number == 0 else None,
            overflow="fold",
        )
    for row in cells:
        table.add_row(*map(Text, row))
    output_console().print(WithoutTrailingBlanks(table))


def format_rotation(wxyz: Sequence[float]) -> str:
    """Return a rotation as roll, pitch and yaw: rotations about the fixed axes x, y and z [°]."""
    from ossature.spatial import euler_from_quaternion

    w, x, y, z = wxyz
    yaw, pitch, roll = euler_from_quaternion((w, x, y, z), "zyx")
    return " ".join(f"{math.degrees(angle):z6.1f}" for angle in (roll, pitch, yaw))


def format_numbers(values: Iterable[float]) -> str:
    """Return numbers for a cell of a table."""
    return " ".join(format_number(value) for value in values)


def format_number(value: float) -> str:
    """Return a number for a cell of a table, short even if it is huge."""
    return f"{value:.10g}" if abs(value) >= _HUGE else f"{value:z7.4f}"


_HUGE = 1e6
"""From here on decimal places carry no information."""
