"""The cameras of clients: going to a body, and following a robot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics import spanning_tree
from ossature.model import Floating, World
from ossature.spatial import Pose, Vector3, add, dot, subtract, vector_from
from ossature.viewer.camera_framing import translate_framing
from ossature.viewer.model_view import ModelView

if TYPE_CHECKING:
    import viser


def go_to_body(clients: Iterable[viser.ClientHandle], view: ModelView, model: str, body: str) -> None:
    """Move the cameras of clients so that one body fills the image, without turning them."""
    framing = translate_framing(view.framing_of_body(model, body), view.nodes.offset)
    for client in clients:
        x, y, z = (np.array(client.camera.position) - np.array(client.camera.look_at)).tolist()
        with client.atomic():
            client.camera.position = framing.eye_for(client.camera.aspect, (x, y, z), is_vertical_field_of_view=True)
            client.camera.look_at = framing.look_at_from((x, y, z))


class TrackingCamera:
    """Keeps a robot in the image by moving the scene instead of the cameras, which users may turn meanwhile.

    Attributes:
        is_active: Whether it follows.
        is_suspended: Whether the scene stays where it is for a moment: while a body is pulled to the pointer.
        descent: How far what it follows is below its initial position [m].
    """

    def __init__(self, scene: viser.SceneApi, views: Sequence[ModelView], *, is_active: bool) -> None:
        self.is_active, self.is_suspended, self.descent = is_active, False, 0.0
        self._views, self._offsets = views, [view.nodes.offset for view in views]
        self._floor = scene.get_handle_by_name("/floor")
        self._floor_position: Vector3 = (0.0, 0.0, 0.0) if self._floor is None else vector_from(self._floor.position)
        self._tracked = tracked_bodies(views[0].world)
        self._start = median_position(views[0].poses, self._tracked)

    def update(self) -> None:
        """Move the scene so that the robot is at its initial position."""
        if self.is_suspended:
            return
        poses = self._views[0].poses
        shift = subtract(self._start, median_position(poses, self._tracked)) if self.is_active else (0.0, 0.0, 0.0)
        self.descent = dot(shift, self._views[0].framing.up)
        for view, offset in zip(self._views, self._offsets, strict=True):
            view.nodes.move_to(add(offset, shift))
        if self._floor is not None:
            self._floor.position = add(self._floor_position, shift)


def tracked_bodies(world: World) -> list[tuple[str, str]]:
    """Return the bodies that a camera follows: floating roots of robots, or else all bodies that move."""
    models = [model for model in world.models if not model.static]
    return floating_roots(world) or [
        (model.name, body) for model in models for body in sorted(spanning_tree(model).moving_bodies())
    ]


def floating_roots(world: World) -> list[tuple[str, str]]:
    """Return the root bodies that float, by model and body; those of robots if there are any."""
    roots = []
    for model in world.models:
        if model.static:
            continue
        tree = spanning_tree(model)
        moving, parents = set(tree.moving_bodies()), {joint.parent for joint in model.joints}
        for branch in tree.branches:
            is_floating = branch.inboard is None or isinstance(branch.inboard.type, Floating)
            if is_floating and branch.body.name in moving:
                roots.append((model.name, branch.body.name, branch.body.name in parents))
    robots = [root for root in roots if root[2]]
    return [(model, body) for model, body, _ in robots or roots]


def follows_by_default(world: World) -> bool:
    """Whether the camera follows when a World is opened: if it has one floating robot, or nothing but floating bodies moves."""
    floating = floating_roots(world)
    is_robot = len(floating) == 1 and len(world.models[floating[0][0]].joints) > 1
    return is_robot or (bool(floating) and not _has_moving_bodies_on_fixed_bases(world))


def _has_moving_bodies_on_fixed_bases(world: World) -> bool:
    for model in world.models:
        if model.static:
            continue
        tree = spanning_tree(model)
        moving = set(tree.moving_bodies())
        for branch in tree.branches:
            joint = branch.inboard
            is_on_base = joint is not None and joint.parent not in moving and not isinstance(joint.type, Floating)
            if is_on_base and branch.body.name in moving:
                return True
    return False


def median_position(poses: Mapping[str, Mapping[str, Pose]], bodies: Sequence[tuple[str, str]]) -> Vector3:
    """Return the median position of bodies along each axis [m], which those that fall away do not move; the origin for none."""
    if not bodies:
        return (0.0, 0.0, 0.0)
    return vector_from(np.median([poses[model][body].position for model, body in bodies], axis=0))
