"""Runs every benchmark and prints what it measured.

The machines that these run on are shared, so absolute times wander; what counts are the ratios, taken pair by pair in one
run. Files come from the corpus of real files (``OSSATURE_CORPUS``), and where there is none, from the examples.
"""

from __future__ import annotations

from rich.console import Console

from benchmarks import chains, ik, loading, mechanisms, robots, sensing, startup, states, stepping, urdf, viewing


def main() -> None:
    """Run everything."""
    console = Console(width=120)
    for part in (startup, loading, urdf, robots, ik, stepping, mechanisms, chains, viewing, sensing, states):
        console.rule(part.TITLE)
        for table in part.run():
            console.print(table)


if __name__ == "__main__":
    main()
