"""Other programs that read written files: each module is run in a process of its own, and evaluates one file.

A module reads a request as JSON from the standard input, and prints the response as JSON after :data:`RESPONSE_MARK`:

- Request: ``path``, the file, and ``configurations``, each a list of models with the coordinates of joints by name.
- Response: for each configuration a list of models: ``poses`` of bodies by name in the world (4 × 4 matrices), their
  ``jacobians`` (6 × n: angular above linear velocity of the body's origin, in world axes), and the ``mass_matrix`` (n × n),
  both in the velocities of the program; ``joints`` are the names of the joints that it has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

RESPONSE_MARK = "RESPONSE:"
"""Precedes the response in the standard output, which programs also use for messages."""


def serve(evaluate: Callable[[str, list[Any]], list[Any]]) -> None:
    """Answer the request in the standard input.

    Args:
        evaluate: Returns the response to a path and configurations.
    """
    request = json.load(sys.stdin)
    response = evaluate(request["path"], request["configurations"])
    sys.stdout.write(f"\n{RESPONSE_MARK}{json.dumps(response)}\n")
    sys.stdout.flush()
