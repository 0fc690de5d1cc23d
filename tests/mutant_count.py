"""How many mutants of each kind the long tests use: the environment variable ``OSSATURE_MUTANTS``, 10,000 by default."""

from __future__ import annotations

import os

MANY = int(os.environ.get("OSSATURE_MUTANTS", "10000"))
