"""The frames of a model by name: its bodies, their named frames, and its manipulators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import suggestion
from ossature.kinematics.coordinate_map import KinematicsError
from ossature.kinematics.joint_path import base_of
from ossature.kinematics.manipulator_chain import Arm, arm_of
from ossature.model import Model
from ossature.spatial import IDENTITY, Pose

_BODY, _MANIPULATOR = "body:", "manipulator:"
"""Prefixes of the names of frames."""


class NamedFrames:
    """The frames of a model by name.

    Args:
        bodies: Names of the bodies; a frame is returned with the number of its body in this order.

    Attributes:
        names: Names of all frames; see :class:`ossature.Kinematics`.
    """

    def __init__(self, model: Model, bodies: Sequence[str]) -> None:
        self._model, self._bodies = model, bodies
        self._ambiguous = frozenset(model.manipulators.names()) & frozenset(bodies)
        self._frames = self._find_all()
        self.names = tuple(self._frames)

    def _find_all(self) -> dict[str, tuple[int, Array | None]]:
        model, ambiguous = self._model, self._ambiguous
        numbers = {name: number for number, name in enumerate(self._bodies)}
        found: dict[str, tuple[int, Array | None]] = {
            f"{_BODY}{name}" if name in ambiguous else name: (number, None) for name, number in numbers.items()
        }
        for manipulator in model.manipulators:
            if manipulator.tip in numbers:
                name = f"{_MANIPULATOR}{manipulator.name}" if manipulator.name in ambiguous else manipulator.name
                found.setdefault(name, (numbers[manipulator.tip], np.array(manipulator.pose.matrix())))
        named = [(body.name, frame) for body in model.bodies for frame in body.frames]
        counts = Counter(frame.name for _, frame in named)
        for body, frame in named:
            place = (numbers[body], np.array(frame.pose.matrix()))
            found.setdefault(f"{body}/{frame.name}", place)
            if counts[frame.name] == 1 and frame.name not in ambiguous:
                found.setdefault(frame.name, place)
        return found

    def find(self, name: str) -> tuple[int, Array | None]:
        """Return the number of the body of a frame, and its pose in the body, or None for the body itself.

        Raises:
            KinematicsError: There is no such frame, or a body and a manipulator have the name.
            TypeError: The name is not a text.
        """
        if not isinstance(name, str):
            raise TypeError(f"a frame is stated by its name, not {name!r:.80}")
        if name in self._ambiguous:
            choices = f"use '{_BODY}{name}' or '{_MANIPULATOR}{name}'"
            raise KinematicsError(f"'{name}' is the name of a body and of a manipulator of '{self._model.name}': {choices}")
        found = self._frames.get(name) or self._prefixed_frame(name)
        if found is None:
            hint = suggestion(name, self._frames) or "there are none"
            raise KinematicsError(f"'{self._model.name}' has no frame '{name}': {hint}")
        return found

    def _prefixed_frame(self, name: str) -> tuple[int, Array | None] | None:
        """Return the frame of a body or manipulator whose name has a prefix without need."""
        prefix, _, own = name.partition(":")
        known = {"body": self._bodies, "manipulator": self._model.manipulators.names()}.get(prefix, ())
        return self._frames.get(own) if own in known else None

    def arm(self, frame: str, base: str | None) -> Arm:
        """Return the chain of joints that ends at a frame, from a body or the base of the manipulator."""
        number, offset = self.find(frame)
        manipulator = None if frame in self._model.bodies else self._model.manipulators.get(frame.removeprefix(_MANIPULATOR))
        if base is not None and base not in self._ambiguous:  # a base is a body
            self.find(base)
        if manipulator is not None:
            arm = arm_of(manipulator)
            return arm if base is None else replace(arm, base=base)
        body = self._bodies[number]
        pose = IDENTITY if offset is None else Pose.from_matrix(offset)
        return Arm(base=base_of(self._model, body) if base is None else base, tip=body, pose=pose)
