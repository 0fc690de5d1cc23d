"""A handle that can be dragged, and an arm that follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.diagnostics import OssatureError
from ossature.model import IkType
from ossature.spatial import Pose, add, normalized, subtract
from ossature.viewer.detail_html import note
from ossature.viewer.interactive_ik import TYPES, IkTargetChoice, InteractiveIk, choices_of
from ossature.viewer.latest_request import LatestOnlyWorker
from ossature.viewer.model_view import ModelView

if TYPE_CHECKING:
    import viser

Moved = Callable[[ModelView, str, Mapping[str, Sequence[float]]], None]
"""Gets an exhibit, a model and coordinates of its joints."""

NONE_SELECTED = "nothing"
_HANDLE = "/handle"
_WORDS = {IkType.TRANSFORM_6D: "pose", IkType.TRANSLATION_3D: "point"}


class ReachPanel:
    """Chooses an arm, and shows its handle in the scene."""

    def __init__(self, server: viser.ViserServer, views: Sequence[ModelView], moved: Moved) -> None:
        self._server, self._moved = server, moved
        self._choices = {self._label(e, c, views): (e, c) for e in views for c in choices_of(e.world)}
        self._chosen: tuple[ModelView, InteractiveIk] | None = None
        self._is_stale = False
        self._gizmo: Any = None
        gui = server.gui
        choices = (NONE_SELECTED, *self._choices)
        has_manipulator = any(model.manipulators for view in views for model in view.world.models)
        with gui.add_folder("Drag an arm", expand_by_default=has_manipulator, visible=bool(self._choices)):
            self._drag: Any = gui.add_dropdown("Drag", choices, hint="A manipulator, or any body that joints move")
            self._type: Any = gui.add_dropdown("Bring its", tuple(_WORDS.values()), hint="To where the handle is")
            self._text: Any = gui.add_html(note("Choose what to drag; its handle appears in the scene."))
        self._latest: LatestOnlyWorker[Pose] = LatestOnlyWorker(self._follow)
        self._drag.on_update(lambda event: self._choose(str(event.target.value)))
        self._type.on_update(self._change_type)

    @staticmethod
    def _label(view: ModelView, choice: IkTargetChoice, views: Sequence[ModelView]) -> str:
        return f"{view.name}: {choice.label}" if len(views) > 1 else choice.label

    @property
    def labels(self) -> Sequence[str]:
        """What can be dragged."""
        return tuple(self._choices)

    def _choose(self, label: str) -> None:
        self._take_away()
        if label not in self._choices:
            self._text.content = note("Choose what to drag; its handle appears in the scene.")
            return
        view, choice = self._choices[label]
        model = view.world.models[choice.model]
        positions = view.configuration.positions()[choice.model]
        try:
            reacher = InteractiveIk(model, choice.arm(model), view.configuration.stated(choice.model))
        except (OssatureError, ValueError) as error:
            self._text.content = note(str(error))
            return
        self._chosen = (view, reacher)
        self._type.value = _WORDS[reacher.type]
        self._text.content = note("Drag the handle in the scene.")
        self._add(view, reacher.tip(positions))

    def _add(self, view: ModelView, tip: Pose) -> None:
        assert self._chosen is not None  # noqa: S101  # the caller chose
        gizmo = self._server.scene.add_transform_controls(
            _HANDLE,
            scale=1.5 * view.framing.axis_length,
            line_width=3.0,
            depth_test=False,
            disable_rotations=self._chosen[1].type is not IkType.TRANSFORM_6D,
            position=add(tip.position, view.stage.offset),
            wxyz=tip.wxyz,
        )
        gizmo.on_update(self._dragged)
        self._gizmo = gizmo

    def _dragged(self, event: Any) -> None:
        self._latest.ask(_pose(event.target))
        if event.phase == "end":
            self.show()

    def _take_away(self) -> None:
        if self._gizmo is not None:
            self._gizmo.remove()
        self._gizmo, self._chosen = None, None

    def _change_type(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None or self._chosen is None:
            return
        view, reacher = self._chosen
        reacher.type = next(type_ for type_ in TYPES if _WORDS[type_] == event.target.value)
        self._gizmo.remove()
        self._add(view, self._tip())

    def _tip(self) -> Pose:
        assert self._chosen is not None  # noqa: S101  # there is a handle
        view, reacher = self._chosen
        return reacher.tip(view.configuration.stated(reacher.model.name))

    def _follow(self, handle: Pose) -> None:
        if self._chosen is None:
            return
        view, reacher = self._fresh(*self._chosen)
        name = reacher.model.name
        goal = Pose(subtract(handle.position, view.stage.offset), handle.wxyz)
        found = reacher.reach(goal, view.configuration.positions()[name])
        if found is None:
            self._text.content = note("It cannot come there: out of reach, or beyond the limits of its joints.")
            return
        self._text.content = note("It is there.")
        self._moved(view, name, found)

    def _fresh(self, view: ModelView, reacher: InteractiveIk) -> tuple[ModelView, InteractiveIk]:
        """Return an arm that knows where the joints are that are not its own."""
        if self._is_stale:
            again = InteractiveIk(reacher.model, reacher.arm, view.configuration.stated(reacher.model.name))
            again.type = reacher.type
            self._chosen, self._is_stale = (view, again), False
        return self._chosen or (view, reacher)

    def follow(self) -> None:
        """Put the handle where the arm is, after joints were moved by something else."""
        self._is_stale = True
        self.show()

    def show(self) -> None:
        """Put the handle where the arm is."""
        if self._chosen is None or self._gizmo is None:
            return
        tip = self._tip()
        self._gizmo.position = add(tip.position, self._chosen[0].stage.offset)
        self._gizmo.wxyz = tip.wxyz


def _pose(handle: Any) -> Pose:
    x, y, z = map(float, handle.position)
    w, i, j, k = map(float, handle.wxyz)
    return Pose((x, y, z), normalized((w, i, j, k)))
