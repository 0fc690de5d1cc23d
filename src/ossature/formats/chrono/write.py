"""World → Chrono YAML document. Each list of the model is written by its own module, ``write_…``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ossature.diagnostics.ledger import Ledger
from ossature.formats.chrono.read import ground_joint_name
from ossature.formats.chrono.read_simulation_and_solver import GRAVITY, TIME_STEP
from ossature.formats.chrono.schema_model import ChronoBodyElement, DataPathElement, ModelElement, ModelFile
from ossature.formats.chrono.supported_fields import SUPPORTED_FIELDS
from ossature.formats.chrono.write_body import write_body
from ossature.formats.chrono.write_bushing import write_bushing
from ossature.formats.chrono.write_constraint import write_constraint
from ossature.formats.chrono.write_context import GROUND, ChronoWriteContext
from ossature.formats.chrono.write_forces_motors_functions import write_load, write_motor, write_rsda, write_tsda
from ossature.formats.chrono.write_joint import write_joint
from ossature.formats.chrono.write_simulation_and_solver import run_files
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.unique_element_names import UniqueNames
from ossature.model import Body, ChronoContact, DartStepping, Fixed, Joint, Model, World, hint_of
from ossature.model.element_paths import COLLECTION_OF
from ossature.model.unique_names import unique_name
from ossature.model.unsupported_fields import audit
from ossature.spatial import Pose
from ossature.syntax import yaml
from ossature.syntax.yaml_binding import unbind

VERSION = 10.0
"""Version of Chrono that files are written for."""


def write_chrono(world: World, ledger: Ledger, *, folder: Path | None = None, run_file: str | None = None) -> str:
    """Return a World as the text of a Chrono model file.

    All models of the World become the one model of the file. Bodies have their poses at configuration zero, which is the
    initial configuration of a Chrono model.

    Args:
        ledger: Receives what Chrono cannot represent, or represents differently.
        folder: The folder of the file, to which paths of meshes are made relative; None leaves them unchanged.
        run_file: Name of the simulation file that refers to this file, see
            :func:`ossature.formats.chrono.write_simulation_and_solver.run_files`; None if there is none.
    """
    audit(world, SUPPORTED_FIELDS, ledger)
    _account_for_run(world, ledger, run_file)
    data = unbind(ModelFile(chrono_version=str(VERSION), model=_Document(world, ledger, folder).model()))
    data["chrono-version"] = VERSION
    return yaml.serialize(data)


def write_files(world: World, context: WriteContext) -> WrittenFiles:
    """Return the model file, and the simulation and solver files if settings differ from their defaults.

    These are left out if they would overwrite unrelated files.
    """
    path = context.path
    runs = run_files(world, path.stem) if path.suffix == ".yaml" else {}
    files = {path.with_name(name): text for name, text in runs.items()}
    first = next(iter(files), None)
    if first is not None and first.exists() and f"model: {path.name}" not in first.read_text("utf-8", "replace"):
        files, first = {}, None
    text = write_chrono(world, context.ledger, folder=context.folder, run_file=None if first is None else first.name)
    return {**context.main_file(text), **{file: content.encode() for file, content in files.items()}}


def _account_for_run(world: World, ledger: Ledger, run_file: str | None) -> None:
    """Record the settings that belong into the simulation file."""
    record = ledger.dropped if run_file is None else ledger.rewritten
    detail = "belongs into a Chrono simulation file, which is not written" if run_file is None else f"written to {run_file}"
    if world.gravity != GRAVITY:
        record("gravity", detail)
    if world.time_step != TIME_STEP:
        record("time_step", detail)
    if world.end_time is not None:
        record("end_time", detail)
    if hint_of(world, DartStepping) is not None:
        ledger.approximated("hints", "Chrono uses its own integrator")
    if hint_of(world, ChronoContact) is not None:
        record("hints", detail)


class _Document:
    """The model of a Chrono file, merged from all models of a World."""

    def __init__(self, world: World, ledger: Ledger, folder: Path | None) -> None:
        self._world, self._ledger, self._folder = world, ledger, folder
        self._reserved_names: set[str] = set()
        self._lists: dict[str, list[Any]] = {}
        self._used: dict[str, set[str]] = {}

    def model(self) -> ModelElement:
        models = self._world.models
        if not models:
            self._ledger.approximated(self._world.name, "a Chrono file has a model: an empty one is written")
        elif len(models) > 1:
            self._ledger.joined_model = self._world.name
            for name in models.names():
                detail = "joined with the other models, because a Chrono file has one model"
                self._ledger.approximated(f"{name}.name", detail, before=name, after=self._world.name)
            if any(joint.is_fixed_to_world for model in models for joint in model.joints):
                detail = "the joints of fixed bodies of all models are first"
                self._ledger.rewritten(f"{self._world.name}.joints (order)", detail)
        reserved = {body.name for model in models for body in model.bodies}
        ground = unique_name(GROUND, reserved)
        self._reserved_names.add(ground)
        writings = [self._write(model, ground) for model in models]
        if any(writing.uses_ground for writing in writings):
            self._account_for_ground(ground)
            self._lists.setdefault("bodies", []).insert(0, ChronoBodyElement(name=ground, fixed=True, position=(0.0, 0.0, 0.0)))
        name = models[0].name if len(models) == 1 else self._world.name
        if name != self._world.name:
            self._ledger.approximated("name", f"written as the name of the model, '{name}'")
        lists: dict[str, Any] = {key: tuple(items) for key, items in self._lists.items()}
        lists.setdefault("bodies", ())
        has_meshes = any(_names_file(body) for body in lists["bodies"])
        # By default Chrono resolves file names against its working directory.
        data_path = DataPathElement(type="RELATIVE") if has_meshes else None
        return ModelElement(name=name, angle_degrees=False, data_path=data_path, **lists)

    def _account_for_ground(self, ground: str) -> None:
        for model in self._world.models:
            for name in (ground, ground_joint_name(ground)):
                self._ledger.rewritten(f"{model.name}/{name}", f"the fixed body '{ground}' represents the world")
            self._ledger.rewritten(f"{model.name}.bodies (order)", f"the fixed body '{ground}' is first")

    def _write(self, model: Model, ground: str) -> ChronoWriteContext:
        names = self._written_names(list(model.bodies), "bodies", model.name, unique=False)
        by_name = {name: names.of(name) for name in model.bodies.names()}
        writing = ChronoWriteContext(model=model, names=by_name, ground=ground, ledger=self._ledger)
        self._account_for_model(model, by_name)
        fixed = _fixed_bodies(model, by_name, self._ledger)
        for number, body in enumerate(model.bodies):
            if names.is_first(number):
                path, is_fixed = f"{model.name}/{body.name}", model.static or body.name in fixed
                element = write_body(
                    body,
                    names[number],
                    writing.pose_in_global_frame(body.name),
                    path,
                    self._ledger,
                    self._folder,
                    fixed=is_fixed,
                )
                self._lists.setdefault("bodies", []).append(element)
        joints = [] if model.static else [joint for joint in model.joints if joint.name not in fixed.values()]
        self._add_elements("joints", joints, write_joint, writing)
        self._add_elements("joints", list(model.bushings), write_bushing, writing)
        self._add_elements("constraints", list(model.constraints), write_constraint, writing)
        self._add_elements("tsdas", list(model.spring_dampers), write_tsda, writing)
        self._add_elements("rsdas", list(model.rotational_spring_dampers), write_rsda, writing)
        self._add_elements("motors", list(model.motors), write_motor, writing)
        self._account_for_order(model, list(fixed.values()))
        self._add_elements("body_loads", [load for load in model.loads if load.value is not None], write_load, writing)
        self._add_elements("load_controllers", [load for load in model.loads if load.value is None], write_load, writing)
        return writing

    def _account_for_order(self, model: Model, fixing: list[str]) -> None:
        order = [*fixing, *(name for name in model.joints.names() if name not in fixing)]
        if not model.static and order != list(model.joints.names()):
            self._ledger.rewritten(f"{model.name}.joints (order)", "the joints of fixed bodies are first")
        is_external = [load.value is None for load in model.loads]
        if is_external != sorted(is_external):
            self._ledger.rewritten(f"{model.name}.loads (order)", "loads of external programs are last")

    def _written_names(self, elements: Sequence[Any], key: str, model: str, *, unique: bool = True) -> UniqueNames:
        used = self._used.setdefault(key, set(self._reserved_names) if key == "bodies" else set())
        names = [element.name for element in elements]
        collection = COLLECTION_OF[type(elements[0])] if elements else key
        found = UniqueNames(names, "unnamed", model, collection, self._ledger, reserved=used, unique=unique)
        used.update(name for name in found.written if name is not None)
        return found

    def _add_elements(
        self, key: str, elements: list[Any], write: Callable[[Any, str, ChronoWriteContext], Any], writing: ChronoWriteContext
    ) -> None:
        connected = [element for element in elements if self._is_connected(element, writing)]
        names = self._written_names(connected, key, writing.model.name)
        for number, element in enumerate(connected):
            written = write(element, names[number], writing)
            if written is not None:
                self._lists.setdefault(key, []).append(written)

    def _is_connected(self, element: Any, writing: ChronoWriteContext) -> bool:
        named = [getattr(element, field, None) for field in ("body1", "body2", "parent", "child", "body")]
        missing = [name for name in named if name is not None and name not in writing.names]
        if missing:
            self._ledger.dropped(writing.path(element.name), f"it refers to the unknown body '{missing[0]}'")
        return not missing

    def _account_for_model(self, model: Model, names: Mapping[str, str]) -> None:
        ledger, path = self._ledger, model.name
        if model.static:
            ledger.rewritten(f"{path}.static", "written as fixed bodies")
            for joint in model.joints:
                ledger.dropped(f"{path}/{joint.name}", "joint of a static model")
        is_moved = model.pose != Pose()
        if is_moved:
            ledger.rewritten(f"{path}.pose", "included in the poses of the bodies")
            for element in (*model.constraints, *model.spring_dampers):
                for end in (1, 2):
                    if getattr(element, f"body{end}") is None:
                        ledger.rewritten(f"{path}/{element.name}.point{end}", "expressed in the global frame")
        for body in model.bodies:
            self._account_for_collisions(body, f"{path}/{body.name}")
            if is_moved:
                ledger.rewritten(f"{path}/{body.name}.pose", "expressed in the global frame")
            if model.static:
                ledger.rewritten(f"{path}/{ground_joint_name(names[body.name])}", "written as fixed bodies")
        if not model.joined_bodies_collide:
            has_effect = len([body for body in model.bodies if body.collisions]) > 1
            record = ledger.approximated if has_effect else ledger.rewritten
            record(f"{path}.joined_bodies_collide", "in Chrono bodies that a joint connects collide")

    def _account_for_collisions(self, body: Body, path: str) -> None:
        if body.self_collide:
            return
        if body.collisions:
            self._ledger.approximated(f"{path}.self_collide", "in Chrono all bodies collide")
        else:
            self._ledger.rewritten(f"{path}.self_collide", "no effect without collision shapes")


def _names_file(body: ChronoBodyElement) -> bool:
    groups = [group for group in (body.contact, body.visualization) if group is not None]
    return any(shape.filename is not None for group in groups for shape in group.shapes)


def _fixed_bodies(model: Model, names: Mapping[str, str], ledger: Ledger) -> dict[str, str]:
    fixed: dict[str, str] = {}
    for joint in model.joints:
        if not joint.is_fixed_to_world or joint.child in fixed or joint.child not in model.bodies:
            continue
        fixed[joint.child] = joint.name
        path = f"{model.name}/{joint.name}"
        written = ground_joint_name(names[joint.child])
        if joint.name != written:
            for name in (joint.name, written):
                ledger.rewritten(f"{model.name}/{name}", f"written as the fixed body '{joint.child}'")
        if joint.pose != Pose():
            ledger.rewritten(f"{path}.pose", f"'{joint.child}' is fixed at its pose")
        if joint.actuation is not _DEFAULT_ACTUATION:
            ledger.dropped(f"{path}.actuation", "a fixed body has no command")
    return fixed


_DEFAULT_ACTUATION = Joint(name="", type=Fixed(), parent=None, child="").actuation
