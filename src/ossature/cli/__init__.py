"""The command line: one file a command, no logic of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Before the command line's libraries are loaded, which take longer than the answer.
        from ossature import __version__

        sys.stdout.write(f"ossature {__version__}\n")
        return
    from ossature.cli.app import app

    app()
