"""Other programs that read written files: each module is run in a process of its own, and evaluates one file.

A module reads a request as JSON from the standard input, and prints the response as JSON after :data:`RESPONSE_MARK`:

- Request: ``path``, the file, and ``configurations``, each a list of models with the coordinates of joints by name.
- Response: ``error``, why the program does not open the file, or ``models``: for each configuration a list of models,
  with ``poses`` of bodies by name in the world (4 × 4 matrices), their ``jacobians`` (6 × n: angular above linear velocity
  of the body's origin, in world axes), and the ``mass_matrix`` (n × n), both in the velocities of the program; ``joints``
  are the names of the joints that it has.

They import nothing else of this package, which would take longer than their work.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

RESPONSE_MARK = "RESPONSE:"
"""Precedes the response in the standard output, which programs also use for messages."""


def serve(evaluate: Callable[[str, list[Any]], list[Any]]) -> None:
    """Answer the request in the standard input.

    Args:
        evaluate: Returns the response to a path and configurations.
    """
    request = json.load(sys.stdin)
    response: dict[str, Any]
    try:
        response = {"models": evaluate(request["path"], request["configurations"])}
    except Exception as error:  # noqa: BLE001  # of any class: each program has its own
        response = {"error": " ".join(str(error).split())}
    sys.stdout.write(f"\n{RESPONSE_MARK}{json.dumps(response)}\n")
    sys.stdout.flush()


def urdf_without_shapes(path: Path) -> str:
    """Return the text of a URDF file without shapes, and with zero inertia for links that state none.

    DART and MuJoCo would compute inertia for these links, each in its own way.
    """
    robot = ElementTree.fromstring(path.read_bytes())  # noqa: S314  # our own output
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
        if link.find("inertial") is None:
            link.append(ElementTree.fromstring(_ZERO_INERTIA))  # noqa: S314
    return ElementTree.tostring(robot, encoding="unicode")


_ZERO_INERTIA = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
