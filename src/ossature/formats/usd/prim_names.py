"""Names of prims: identifiers that are unique in the prim that contains them."""

from __future__ import annotations

import re

from ossature.diagnostics import Ledger
from ossature.model.unique_names import take_unique_name

_INVALID = re.compile(r"[^A-Za-z0-9_]")


def identifier(name: str, default: str) -> str:
    """Return a valid name of a prim: ASCII letters, digits and underscores, no digit at its start."""
    valid = _INVALID.sub("_", name)
    if not valid.strip("_"):
        return default
    return f"_{valid}" if valid[0].isdigit() else valid


class PrimNames:
    """The names of the prims in one prim.

    Args:
        ledger: Receives which elements have another name as prims.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._taken: set[str] = set()

    def take(self, name: str, default: str, path: str | None = None) -> tuple[str, str | None]:
        """Return the name of a new prim, and the name for people if that is another one.

        Args:
            name: The name of the element.
            default: The name of a prim whose element has no letters and digits in its name.
            path: The path of the element, or None if its name has no meaning.
        """
        prim = take_unique_name(identifier(name, default), self._taken)
        if prim == name:
            return prim, None
        if path is not None:
            detail = "names of prims have letters, digits and underscores: the name is that of its display"
            self._ledger.rewritten(f"{path}.name" if path else "name", detail, before=name, after=prim)
        return prim, name
