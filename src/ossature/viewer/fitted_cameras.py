"""Cameras that show the whole scene until their users move them: in windows of any shape, and while a model moves."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.spatial import Vector3, vector_from
from ossature.viewer.camera_framing import CameraFraming, projection, union_of_framings

if TYPE_CHECKING:
    import viser

    from ossature.viewer.model_view import ModelView

WIDE = 1.2
"""Ratio of width to height of a window from which on all see the scene from the same position."""
_MARGIN = 0.15
"""Space beside what left the picture, relative to its size, so that the camera moves seldom."""
_FARTHEST = 1.5
"""Distance from the initial framing beyond which what moves is given up, such as what falls for ever, in sizes of it."""
_INTERVAL = 0.2
"""Between two examinations of a motion [s]."""
_REMEMBERED = 4
"""Last automatic positions of a camera, which may arrive late."""


class GrowingFraming:
    """The framing of a scene, which grows when what moves leaves the picture."""

    def __init__(self, framing: CameraFraming) -> None:
        self.framing = framing
        reach = _FARTHEST * framing.size
        self._limits = (np.array(framing.lower) - reach, np.array(framing.upper) + reach)

    def include(self, points: Array) -> bool:
        """Grow so that points are in the picture [m], shape (n, 3); returns whether it grew."""
        points = points[np.isfinite(points).all(axis=1)]
        seen = projection(points, self.framing, self.framing.eye_for(WIDE))
        if not (np.abs(seen) > [WIDE, 1.0]).any():
            return False
        lower, upper = points.min(axis=0), points.max(axis=0)
        margin = _MARGIN * float(np.linalg.norm(upper - lower))
        before = np.array([self.framing.lower, self.framing.upper])
        lower = np.minimum(np.maximum(lower - margin, self._limits[0]), before[0])
        upper = np.maximum(np.minimum(upper + margin, self._limits[1]), before[1])
        if np.array_equal([lower, upper], before):
            return False
        self.framing = replace(self.framing, lower=vector_from(lower), upper=vector_from(upper), corners=None)
        return True


class FittedCameras:
    """The cameras of the clients of a page.

    A camera is left alone as soon as its user moves it, until everything is fitted again.
    """

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._views: Sequence[ModelView] = ()
        self._positions: dict[int, deque[Array]] = {}
        self._aspects: dict[int, float] = {}
        self._examined = -math.inf

    def show(self, views: Sequence[ModelView]) -> None:
        """Show other views: the page was opened, or a file was reloaded; cameras stay."""
        self._views = views
        self._growing = GrowingFraming(union_of_framings([view.framing for view in views]))

    def add_client(self, client: viser.ClientHandle) -> None:
        """Fit the camera of a new client, and again whenever the shape of its window changes, also because panels open."""
        # At which the client's camera arrives some time after it connects.
        initial = np.array(self._server.initial_camera.position, dtype=np.float64)
        self._positions[client.client_id] = deque([initial], maxlen=_REMEMBERED)
        self._aspects[client.client_id] = WIDE
        self._fit_window(client)
        client.camera.on_update(lambda _: self._fit_window(client))

    def remove_client(self, client: viser.ClientHandle) -> None:
        """Remove a client that left."""
        self._positions.pop(client.client_id, None)
        self._aspects.pop(client.client_id, None)

    def fit_all(self, client: viser.ClientHandle, direction: Vector3 | None = None) -> None:
        """Move the camera of a client so that it shows everything as it is drawn, from the default direction or another one."""
        self._growing = GrowingFraming(union_of_framings([view.current_framing() for view in self._views]))
        self._move(client, direction)

    def update(self) -> None:
        """Examine whether what moves left the picture, at most five times a second, and show it to those who did not move
        their cameras.
        """
        if time.monotonic() - self._examined < _INTERVAL:
            return
        self._examined = time.monotonic()
        if self._growing.include(np.concatenate([view.moving_points() for view in self._views])):
            clients = self._server.get_clients()
            if not clients:
                self._set_initial_camera()
            for client in clients.values():
                if self._is_fitted(client):
                    self._move(client, vector_from(client.camera.position - client.camera.look_at))

    def _set_initial_camera(self) -> None:
        """Show everything to clients that connect later; clients that are connected would be moved too."""
        framing = self._growing.framing
        self._server.initial_camera.position = framing.eye_for(WIDE)
        self._server.initial_camera.look_at = framing.look_at

    def _fit_window(self, client: viser.ClientHandle) -> None:
        aspect = min(float(client.camera.aspect), WIDE)
        known = self._aspects.get(client.client_id)
        if known is not None and abs(aspect - known) > 0.01 * known and self._is_fitted(client):
            self._aspects[client.client_id] = aspect
            self._move(client, vector_from(client.camera.position - client.camera.look_at))

    def _is_fitted(self, client: viser.ClientHandle) -> bool:
        """Whether the camera of a client is where it was moved to automatically."""
        position = client.camera.position
        tolerance = 1e-3 * self._growing.framing.size
        return any(float(np.linalg.norm(position - known)) <= tolerance for known in self._positions.get(client.client_id, ()))

    def _move(self, client: viser.ClientHandle, direction: Vector3 | None) -> None:
        framing, aspect = self._growing.framing, min(float(client.camera.aspect), WIDE)
        with client.atomic():
            client.camera.position = framing.eye_for(aspect, direction, is_vertical_field_of_view=True)
            client.camera.look_at = framing.look_at_from(direction)
        self._positions.setdefault(client.client_id, deque(maxlen=_REMEMBERED)).append(
            np.array(client.camera.position, dtype=np.float64)
        )
