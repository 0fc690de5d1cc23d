"""The World: the content of a model file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from ossature.argument_types import typed_arguments
from ossature.diagnostics import Location
from ossature.model import edit as editing
from ossature.model.element_paths import find, paths_of_elements, resolve, value_at
from ossature.model.format_extension import Extension
from ossature.model.grasp import Grasp
from ossature.model.model import Model
from ossature.model.mujoco_hints import MujocoOption
from ossature.model.named_list import NO_ELEMENTS, NamedList
from ossature.model.program_hints import ChronoContact, DartStepping, HintedElement
from ossature.model.scaling import scale_model
from ossature.model.trajectory import Trajectory
from ossature.model.world_text_and_html import world_html, world_tree
from ossature.spatial import IDENTITY, Pose, Vector3

E = TypeVar("E")

STANDARD_GRAVITY: Vector3 = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True, kw_only=True)
class World(HintedElement):
    """Models under gravity.

    Attributes:
        name: Its name.
        gravity: Gravitational acceleration in the world frame [m/s²].
        time_step: Step that the author meant for simulation [s].
        end_time: Duration of a simulation as the file states it [s], or None if unspecified.
        models: The models, in file order.
        grasps: Grasps at time zero.
        trajectories: Trajectories of joints.
        hints: What its file states for DART, Chrono or MuJoCo.
        extensions: Content that only its own format can represent.
    """

    name: str = "world"
    gravity: Vector3 = STANDARD_GRAVITY
    time_step: float = 0.001
    end_time: float | None = None
    models: NamedList[Model] = NO_ELEMENTS
    grasps: tuple[Grasp, ...] = ()
    trajectories: NamedList[Trajectory] = NO_ELEMENTS
    hints: tuple[DartStepping | ChronoContact | MujocoOption, ...] = ()
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, path: str) -> Any:
        """Return the element, or the attribute of one, with a path: ``arm/elbow``, ``arm/elbow.coordinates[0].damping``.

        Raises:
            ModelError: There is no such element; the message names the nearest one.
        """
        return value_at(self, resolve(self, path))

    def _ipython_key_completions_(self) -> list[str]:
        """Return the paths of models and elements, which IPython completes between brackets."""
        return paths_of_elements(self)

    @typed_arguments
    def find(self, kind: type[E], name: str) -> E:
        """Return the element of a class with a name, ``find(Joint, "elbow")``, or with a path.

        Raises:
            ModelError: There is no such element, or several models have one.
        """
        found: E = find(self, kind, name)
        return found

    @typed_arguments
    def replace_at(self, path: str, **changes: Any) -> World:
        """Return a World with other attributes of one element: ``world.replace_at("arm/elbow", limits=(-2, 2))``.

        A joint with one coordinate has its attributes too (``limits`` are its ``position_limits``), and a body those of its
        inertial.

        Raises:
            ModelError: There is no such element or attribute, or a value does not fit.
        """
        return editing.replace_at(self, path, changes)

    def edit(self) -> editing.Edit[World]:
        """Return several edits, as a context: ``with world.edit() as edit:``, after which ``edit.world`` is the result."""
        return editing.Edit(self)

    def add(self, model: str, *elements: Any) -> World:
        """Return a World with further elements in a model; see :func:`ossature.model.edit.add`."""
        return self._world(editing.add(self, model, elements))

    @typed_arguments
    def rename(self, path: str, name: str, kind: type | None = None) -> World:
        """Return a World in which an element has another name, with all references; see :func:`ossature.model.edit.rename`."""
        return self._world(editing.rename(self, path, name, kind))

    @typed_arguments
    def remove(self, path: str, *, cascade: bool = False, kind: type | None = None) -> World:
        """Return a World without an element; see :func:`ossature.model.edit.remove`."""
        return self._world(editing.remove(self, path, cascade=cascade, kind=kind))

    @typed_arguments
    def attach(
        self, part: Model | World, at: str, *, prefix: str = "", link: str | None = None, pose: Pose | Vector3 = IDENTITY
    ) -> World:
        """Return a World with a part attached to a body; see :func:`ossature.model.edit.attach_at`."""
        return self._world(editing.attach_at(self, part, at, prefix=prefix, link=link, pose=pose))

    @typed_arguments
    def scale(self, model: str, factor: float) -> World:
        """Return a World with a scaled model; see :func:`ossature.model.scaling.scale_model`."""
        return replace(self, models=self.models.replaced(scale_model(find(self, Model, model), factor)))

    def _world(self, changed: Any) -> World:
        found: World = changed
        return found

    def __repr__(self) -> str:
        return f"World({'; '.join(f'{model.name}: {model.summary}' for model in self.models) or 'no models'})"

    def tree(self) -> str:
        """Return the bodies of all models as a tree, each with the joint that moves it."""
        return world_tree(self.models)

    def show(self, positions: Any = None, *, recording: Any = None, height: int = 480, embed_in: Sequence[str] = ()) -> Any:
        """Return a page of the viewer for a cell of a notebook; see :func:`ossature.viewer.notebook.show`.

        Args:
            positions: Joint coordinates by model and joint; by default the initial ones.
            recording: A :class:`ossature.Recording` to play.
            height: Height of the frame [px].
            embed_in: Origins of notebooks on other machines that may embed the page.

        Raises:
            OssatureError: The extra ``view`` is not installed, or the page cannot be served.
        """
        viewer = import_module("ossature.viewer.notebook")  # by name: the model imports no package above it
        return viewer.show(self, positions, recording=recording, height=height, embed_in=embed_in)

    def _repr_html_(self) -> str:
        return world_html(self.models)


def require_world(value: object) -> None:
    """Require that an argument is a World.

    Raises:
        TypeError: It is something else, for example the path of a file.
    """
    if not isinstance(value, World):
        found = type(value).__name__
        raise TypeError(f"this needs a World, such as ossature.load(path) returns, not a {found}")
