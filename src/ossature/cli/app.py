"""The whole command line; the program itself makes only what its arguments name."""

from __future__ import annotations

from ossature.cli.commands import make_app

app = make_app()
