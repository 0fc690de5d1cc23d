"""Runs every benchmark, or those that are named, and prints what it measured.

The machines that these run on are shared, so absolute times wander; what counts are the ratios, taken pair by pair in one
run. Files come from the corpus of real files (``OSSATURE_CORPUS``), and where there is none, from the examples.
"""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks import (
    arrays,
    cached_loading,
    chain_loading,
    collada_loading,
    first_picture,
    ik,
    linting,
    loading,
    loop,
    mechanisms,
    mjcf,
    recording,
    scaling,
    sensors,
    startup,
    stepping,
    sweeps,
    urdf_loading,
    viewer,
)

ALL = (
    startup,
    loading,
    urdf_loading,
    collada_loading,
    cached_loading,
    mjcf,
    linting,
    ik,
    arrays,
    stepping,
    loop,
    mechanisms,
    chain_loading,
    viewer,
    first_picture,
    sensors,
    recording,
    scaling,
    sweeps,
)
PARTS = {part.__name__.rpartition(".")[2]: part for part in ALL}


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(PARTS)}; all of them where none is named")
    chosen = parser.parse_args().part
    unknown = set(chosen) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    console = Console(width=120)
    for name in chosen or PARTS:
        console.rule(PARTS[name].TITLE)
        for table in PARTS[name].run():
            console.print(table)


if __name__ == "__main__":
    main()
