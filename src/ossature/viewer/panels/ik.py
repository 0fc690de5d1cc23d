"""Interactive inverse kinematics: an end effector that follows a target dragged in the scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.diagnostics import OssatureError
from ossature.model import IkType
from ossature.spatial import Pose, add, normalized, subtract
from ossature.viewer.interactive_ik import TYPES, EndEffectorChoice, InteractiveIk, end_effector_choices
from ossature.viewer.latest_only_worker import LatestOnlyWorker
from ossature.viewer.model_view import ModelView
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    import viser

OnMove = Callable[[ModelView, str, Mapping[str, Sequence[float]]], None]
"""Gets a view, the name of a model, and positions by joint [rad or m]."""

NONE_SELECTED = "none"
_INSTRUCTION = "Select an end effector; its target appears in the scene."
_GIZMO = "/ik_target"
_TYPE_LABELS = {IkType.TRANSFORM_6D: "pose", IkType.TRANSLATION_3D: "position"}


class IkPanel:
    """Selects an end effector, shows its target as a gizmo in the scene, and solves for it while it is dragged."""

    def __init__(self, server: viser.ViserServer, views: Sequence[ModelView], on_move: OnMove) -> None:
        self._server, self._on_move = server, on_move
        self._choices = {self._label(e, c, views): (e, c) for e in views for c in end_effector_choices(e.world)}
        self._selected: tuple[ModelView, InteractiveIk] | None = None
        self._has_stale_positions = False
        self._gizmo: Any = None
        gui = server.gui
        choices = (NONE_SELECTED, *self._choices)
        has_manipulator = any(model.manipulators for view in views for model in view.world.models)
        with gui.add_folder("Inverse kinematics", expand_by_default=has_manipulator, visible=bool(self._choices)):
            self._choice: Any = gui.add_dropdown("End effector", choices, hint="A manipulator, or any body that joints move")
            self._type: Any = gui.add_dropdown("Target", tuple(_TYPE_LABELS.values()), hint="Quantity that is solved for")
            self._text: Any = gui.add_html(paragraph(_INSTRUCTION))
        self._worker: LatestOnlyWorker[Pose] = LatestOnlyWorker(self._solve)
        self._choice.on_update(lambda event: self._select_end_effector(str(event.target.value)))
        self._type.on_update(self._change_type)

    @staticmethod
    def _label(view: ModelView, choice: EndEffectorChoice, views: Sequence[ModelView]) -> str:
        return f"{view.name}: {choice.label}" if len(views) > 1 else choice.label

    @property
    def labels(self) -> Sequence[str]:
        """Labels of the end effectors that can be selected."""
        return tuple(self._choices)

    def _select_end_effector(self, label: str) -> None:
        self._remove_gizmo()
        if label not in self._choices:
            self._text.content = paragraph(_INSTRUCTION)
            return
        view, choice = self._choices[label]
        model = view.world.models[choice.model]
        positions = view.configuration.positions()[choice.model]
        try:
            ik = InteractiveIk(model, choice.arm(model), view.configuration.specified_positions(choice.model))
        except (OssatureError, ValueError) as error:
            self._text.content = paragraph(str(error))
            return
        self._selected = (view, ik)
        self._type.value = _TYPE_LABELS[ik.type]
        self._text.content = paragraph("Drag the target in the scene.")
        self._add_gizmo(view, ik.tip(positions))

    def _add_gizmo(self, view: ModelView, tip: Pose) -> None:
        assert self._selected is not None  # noqa: S101  # the caller selects one
        gizmo = self._server.scene.add_transform_controls(
            _GIZMO,
            scale=1.5 * view.framing.axis_length,
            line_width=3.0,
            depth_test=False,
            disable_rotations=self._selected[1].type is not IkType.TRANSFORM_6D,
            position=add(tip.position, view.nodes.offset),
            wxyz=tip.wxyz,
        )
        gizmo.on_update(self._on_drag)
        self._gizmo = gizmo

    def _on_drag(self, event: Any) -> None:
        self._worker.submit(_gizmo_pose(event.target))
        if event.phase == "end":
            self.show_target()

    def _remove_gizmo(self) -> None:
        if self._gizmo is not None:
            self._gizmo.remove()
        self._gizmo, self._selected = None, None

    def _change_type(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None or self._selected is None:
            return
        view, ik = self._selected
        ik.type = next(type_ for type_ in TYPES if _TYPE_LABELS[type_] == event.target.value)
        self._gizmo.remove()
        self._add_gizmo(view, self._tip_in_scene())

    def _tip_in_scene(self) -> Pose:
        assert self._selected is not None  # noqa: S101  # there is a gizmo
        view, ik = self._selected
        return ik.tip(view.configuration.specified_positions(ik.model.name))

    def _solve(self, target_in_scene: Pose) -> None:
        if self._selected is None:
            return
        view, ik = self._with_current_positions(*self._selected)
        name = ik.model.name
        target = Pose(subtract(target_in_scene.position, view.nodes.offset), target_in_scene.wxyz)
        found = ik.solve(target, view.configuration.positions()[name])
        if found is None:
            self._text.content = paragraph("Unreachable: the target is out of reach, or violates joint limits.")
            return
        self._text.content = paragraph("Target reached.")
        self._on_move(view, name, found)

    def _with_current_positions(self, view: ModelView, ik: InteractiveIk) -> tuple[ModelView, InteractiveIk]:
        """Return the solver, with the current positions of the joints that are not part of the arm."""
        if self._has_stale_positions:
            updated = InteractiveIk(ik.model, ik.arm, view.configuration.specified_positions(ik.model.name))
            updated.type = ik.type
            self._selected, self._has_stale_positions = (view, updated), False
        return self._selected or (view, ik)

    def update_target(self) -> None:
        """Move the target to the end effector after joints were moved by another control."""
        self._has_stale_positions = True
        self.show_target()

    def show_target(self) -> None:
        """Move the target to the end effector."""
        if self._selected is None or self._gizmo is None:
            return
        tip = self._tip_in_scene()
        self._gizmo.position = add(tip.position, self._selected[0].nodes.offset)
        self._gizmo.wxyz = tip.wxyz


def _gizmo_pose(gizmo: Any) -> Pose:
    x, y, z = map(float, gizmo.position)
    w, i, j, k = map(float, gizmo.wxyz)
    return Pose((x, y, z), normalized((w, i, j, k)))
