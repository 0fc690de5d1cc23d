"""The command line: one file a command, no logic of its own."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Before the command line's libraries are loaded, which take longer than the answer.
        from ossature import __version__

        sys.stdout.write(f"ossature {__version__}\n")
        return
    # What is loaded and read stays: the collector would walk over it again and again, an eighth of a command's start.
    gc.set_threshold(50_000)
    from ossature.cli.app import app

    app()
