"""What the script of an exported page needs: joints, bodies, layers and recordings, as JSON.

Positions are in metres, angles in radians, and poses are lists of x, y, z, and the quaternion w, i, j, k.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Array
from ossature.kinematics import (
    all_coupled_coordinates,
    factor_joint,
    pose_parent_joint,
    sorted_coupled_coordinates,
    spanning_tree,
)
from ossature.model import Joint, JointPosition, Model, Number, Operation, fold_expression
from ossature.spatial import IDENTITY, Pose
from ossature.viewer.contact_arrows import COLOR, arrow_dimensions
from ossature.viewer.joint_configuration import CoordinateSlider, is_base
from ossature.viewer.scene_elements import Anchor
from ossature.viewer.scene_layers import HINTS, INNER_LAYERS, Layer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ossature.kinematics import TreeJoint
    from ossature.model import Expression
    from ossature.viewer.model_view import ModelView
    from ossature.viewer.playback_recording import PlaybackRecording

Coordinate = tuple[str, str, int]
"""A model, a joint, and the number of a coordinate."""


def page_data(
    views: Sequence[ModelView], title: str, layers: Mapping[Layer, bool], *, is_transparent: bool, fits_window: bool
) -> dict[str, Any]:
    """Return what the script needs of what is shown.

    Args:
        views: The files, at the joint positions at which the page opens.
        title: The title of the page.
        layers: The layers that are in the page, and whether they are shown.
        is_transparent: Whether visual shapes are transparent at first.
        fits_window: Whether the camera moves away so that a narrow window shows as much as a wide one.
    """
    return {
        "title": title,
        "fitsWindow": fits_window,
        "isTransparent": is_transparent,
        "opacities": [
            {"node": name, "opaque": opaque, "transparent": transparent}
            for view in views
            for name, (opaque, transparent) in view.nodes.opacities_of_visuals().items()
        ],
        "files": [file_data(view) for view in views],
        "layers": [
            {
                "name": layer.value,
                "hint": HINTS[layer],
                "isShown": is_shown,
                "nodes": [name for view in views for name in view.nodes.names_of_nodes(layer)],
                "isInner": layer in INNER_LAYERS,
                "states": {Layer.TENDONS: "tendons", Layer.CONTACTS: "contacts"}.get(layer),
            }
            for layer, is_shown in layers.items()
        ],
    }


def file_data(view: ModelView) -> dict[str, Any]:
    """Return the joints and bodies of one file."""
    coordinates = _numbers_of_coordinates(view)
    positions = view.configuration.positions()
    posed = [model for model in view.world.models if not _fixing_reasons(model)]
    posed_names = {model.name for model in posed}
    links = _numbers_of_links(view)
    dimensions = arrow_dimensions(view.framing.axis_length)
    return {
        "name": view.name,
        "values": [positions[model][joint][number] for model, joint, number in coordinates],
        "initial": [view.world.models[model].joints[joint].initial_positions[number] for model, joint, number in coordinates],
        "sliders": [
            _slider_data(view, slider, coordinates[slider.model, slider.joint, slider.number])
            for slider in view.sliders
            if slider.model in posed_names
        ],
        "fixedModels": [
            {"model": model.name, "reasons": reasons}
            for model in view.world.models
            if (reasons := _fixing_reasons(model)) and not model.static
        ],
        "couplings": [data for model in posed for data in _couplings_data(model, coordinates)],
        "links": [
            _link_data(view, model, branch, links, coordinates, is_posed=model.name in posed_names)
            for model in view.world.models
            for branch in spanning_tree(model).branches
        ],
        "connectors": [
            {
                "node": name,
                "layer": element.layer.value,
                "width": element.width,
                "ends": [_end_data(view, element.model, end, links) for end in element.ends],
            }
            for element, name in view.nodes.connectors()
        ],
        "instances": [
            {
                "node": shapes.node.name,
                "layer": shapes.elements[0].layer.value,
                "links": [links[element.model, element.body or ""] for element in shapes.elements],
                "poses": [_list_of(element.pose) for element in shapes.elements],
            }
            for shapes in view.nodes.instanced_meshes()
        ],
        "offset": view.nodes.offset,
        "tendons": {"node": view.tendon_lines.name, "thickness": view.tendon_lines.thickness},
        "contacts": {
            "node": view.contact_arrows.name,
            "color": COLOR,
            "style": dict(zip(("shaft_radius", "head_radius", "head_length"), dimensions, strict=True)),
        },
    }


def _numbers_of_coordinates(view: ModelView) -> dict[Coordinate, int]:
    found = [
        (model.name, joint.name, number)
        for model in view.world.models
        for joint in model.joints
        for number in range(joint.degrees_of_freedom)
    ]
    return {coordinate: number for number, coordinate in enumerate(dict.fromkeys(found))}


def _numbers_of_links(view: ModelView) -> dict[tuple[str, str], int]:
    bodies = [(model.name, branch.body.name) for model in view.world.models for branch in spanning_tree(model).branches]
    return {body: number for number, body in enumerate(bodies)}


def _fixing_reasons(model: Model) -> list[str]:
    """Return what makes joint positions depend on each other by more than couplings: the page does not solve it."""
    loops = [f"loop closed by {loop.label}" for loop in spanning_tree(model).loops]
    return loops + [f"constraint {equality.name}" for equality in model.equalities if equality.active]


def _slider_data(view: ModelView, slider: CoordinateSlider, coordinate: int) -> dict[str, Any]:
    return {
        "label": slider.label,
        "model": slider.model,
        "hint": slider.hint,
        "coordinate": coordinate,
        "lower": slider.range.lower,
        "upper": slider.range.upper,
        "isAngular": slider.is_angular,
        "isLimited": slider.is_limited,
        "isMovable": slider.is_movable,
        "isBase": is_base(view.world, slider),
    }


def _couplings_data(model: Model, coordinates: Mapping[Coordinate, int]) -> list[dict[str, Any]]:
    """Return the couplings of a model in the order of their evaluation."""
    if not all_coupled_coordinates(model):
        return []
    return [
        {
            "coordinate": coordinates[model.name, follower.joint.name, follower.number],
            "name": follower.joint.name,
            "program": _postfix(follower.formula.position, model, coordinates),
        }
        for follower in sorted_coupled_coordinates(model)
    ]


def _postfix(expression: Expression, model: Model, coordinates: Mapping[Coordinate, int]) -> list[Any]:
    """Return an expression in postfix notation: numbers as they are, ``["q", coordinate]``, and ``[operator, operands]``."""
    program: list[Any] = []

    def leaf(part: Number | JointPosition) -> None:
        if isinstance(part, Number):
            program.append(part.value)
        else:
            program.append(["q", coordinates[model.name, part.joint, part.coordinate]])

    def combine(operation: Operation, operands: list[None]) -> None:
        program.append([operation.operator.value, len(operands)])

    fold_expression(expression, leaf, combine)
    return program


def _link_data(
    view: ModelView,
    model: Model,
    branch: TreeJoint,
    links: Mapping[tuple[str, str], int],
    coordinates: Mapping[Coordinate, int],
    *,
    is_posed: bool,
) -> dict[str, Any]:
    """Return a body: its parent, and its pose there as a constant pose, the factors of a motion, and a constant pose."""
    name = branch.body.name
    before, after, factors, is_reversed = IDENTITY, IDENTITY, list[dict[str, Any]](), False
    parent = None
    if branch.inboard is None or branch.connection is None:
        before = model.pose @ branch.body.pose
    else:
        parent, joint = branch.inboard.parent, branch.connection.joint
        is_reversed = branch.is_reversed
        before, after = pose_parent_joint(model, joint), joint.pose.inverse()
        if is_reversed:
            before, after = after.inverse(), before.inverse()
        if parent is None:
            before = model.pose @ before
        factors = _factors_data(model, joint, coordinates, is_driven=not branch.is_joint)
    return {
        "node": view.nodes.name_of_body_node(model.name, name),
        "parent": None if parent is None else links[model.name, parent],
        "pose": _list_of(view.poses[model.name][name]),
        "isPosed": is_posed,
        "before": _list_of(before),
        "after": _list_of(after),
        "factors": factors,
        "isReversed": is_reversed,
    }


def _factors_data(
    model: Model, joint: Joint, coordinates: Mapping[Coordinate, int], *, is_driven: bool
) -> list[dict[str, Any]]:
    """Return the factors of a joint's motion; those of the guide of a motor have constant coordinates."""
    return [
        {
            "axis": factor.axis,
            "isRotation": factor.is_rotation,
            "translation": factor.translation,
            "anchor": factor.anchor,
            "constants": joint.initial_positions[factor.coordinate :] if is_driven else None,
            "coordinate": None if is_driven else coordinates[model.name, joint.name, factor.coordinate],
        }
        for factor in factor_joint(joint.type)
    ]


def _end_data(view: ModelView, model: str, end: Anchor, links: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    if end.body is None:
        return {"link": None, "point": view.world.models[model].pose.transform(end.point)}
    return {"link": links[model, end.body], "point": end.point}


def _list_of(pose: Pose) -> list[float]:
    return [*pose.position, *pose.wxyz]


# Recordings


class RecordedFile:
    """Collects the frames of a recording of one file.

    Args:
        view: The file.
        clip: Its recording.
    """

    def __init__(self, view: ModelView, clip: PlaybackRecording) -> None:
        self._view = view
        first = clip.frames[0]
        self._bodies = [body for body in _numbers_of_links(view) if body[1] in first.poses.get(body[0], {})]
        self._coordinates = [
            (model, joint, number)
            for model, joint, number in _numbers_of_coordinates(view)
            if number < len(first.positions.get(model, {}).get(joint, ()))
        ]
        self._poses: list[list[float]] = []
        self._positions: list[list[float]] = []
        self._tendons: list[Array] = []
        self._tendon_colors: list[Array] = []
        self._contacts: list[Array] = []

    def append(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Append what the view shows, with the joint positions of the frame."""
        view = self._view
        self._poses.append([value for model, body in self._bodies for value in _list_of(view.poses[model][body])])
        self._positions.append([positions[model][joint][number] for model, joint, number in self._coordinates])
        lines, colors = view.tendon_lines.drawn
        self._tendons.append(lines)
        self._tendon_colors.append(colors)
        self._contacts.append(view.contact_arrows.drawn)

    def data(self) -> dict[str, Any]:
        """Return the recording."""
        links, coordinates = _numbers_of_links(self._view), _numbers_of_coordinates(self._view)
        return {
            "links": [links[body] for body in self._bodies],
            "poses": _encode(self._poses),
            "coordinates": [coordinates[coordinate] for coordinate in self._coordinates],
            "positions": _encode(self._positions),
            "tendons": _lines_data(self._tendons),
            "tendonColors": _lines_data(self._tendon_colors),
            "contacts": _lines_data(self._contacts),
        }


def _lines_data(frames: Sequence[Array]) -> dict[str, Any] | None:
    """Return lines of each frame, or None if no frame has any."""
    if not any(len(lines) for lines in frames):
        return None
    return {"counts": [len(lines) for lines in frames], "points": _encode(np.concatenate([lines.ravel() for lines in frames]))}


def _encode(values: ArrayLike) -> str:
    """Return numbers as compressed 32-bit floats in Base64."""
    return base64.b64encode(zlib.compress(np.asarray(values, dtype="<f4").tobytes())).decode("ascii")
