"""The bodies to which joints, sites, shapes and other prims belong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ossature.formats.usd.read_bodies import owner_of
from ossature.formats.usd.read_joints import JOINTS
from ossature.formats.usd.stage import Stage


class OwningBodies:
    """The bodies to which the prims of a stage belong.

    Attributes:
        paths: The path of the body of each prim, by its path; None for the world.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        owners = {prim.path: owner_of(prim) for prim in stage.prims.values()}
        self.paths: Mapping[str, str | None] = {path: None if body is None else body.path for path, body in owners.items()}

    def of(self, paths: Iterable[str]) -> list[str]:
        """Return the bodies that prims belong to, or that they connect if they are joints."""
        return [body for path in paths for target in self._connected(path) if (body := self.paths.get(target)) is not None]

    def _connected(self, path: str) -> Iterable[str]:
        prim = self._stage.prims.get(path)
        if prim is None or prim.type not in JOINTS:
            return (path,)
        return [target for number in (0, 1) for target in prim.relationships.get(f"physics:body{number}", ())]
