"""Prints the lowest versions that pyproject.toml declares, as requirements for pip: ``make test-lowest`` tests them."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)>=([0-9.]+)(?: *(;.*))?")


def lowest_versions(requirements: Sequence[str]) -> Iterator[str]:
    """Yield each requirement with its lowest version.

    Raises:
        ValueError: A requirement has no lowest version.
    """
    for requirement in requirements:
        match = _REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"the requirement '{requirement}' has no lowest version")
        yield f"{match[1]}=={match[2]}" + (f" {match[3]}" if match[3] else "")


def main(extras: Sequence[str]) -> None:
    """Print the lowest versions of the dependencies and of extras."""
    project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    for line in lowest_versions([*project["dependencies"], *(one for extra in extras for one in optional[extra])]):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
