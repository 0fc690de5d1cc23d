"""Public functions refuse wrong arguments with one sentence that states what they need."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.kinematics import Translation3D
from ossature.model import Body, UnknownNameError
from ossature.sweeps import Run

ARM = PROJECT / "examples" / "arm.skel"
TARGET = Translation3D(position=(0.1, 0.2, 0.3))
NEED_A_WORLD: dict[str, Callable[[Any], object]] = {
    "CompiledModel": ossature.CompiledModel.from_world,
    "Dynamics": ossature.Dynamics,
    "Kinematics": ossature.Kinematics,
    "Plant": ossature.Plant,
    "Simulation": ossature.Simulation,
    "dumps": lambda world: ossature.dumps(world, "urdf"),
    "export_fmu": lambda world: ossature.export_fmu(world, "arm.fmu"),
    "inverse_kinematics": lambda world: ossature.inverse_kinematics(world, TARGET, tip="hand"),
    "poses": ossature.poses,
    "sweep": lambda world: ossature.sweep(world, {}, Run(duration=1.0)),
    "to_mjmodel": ossature.to_mjmodel,
    "to_mjspec": ossature.to_mjspec,
    "to_pinocchio": ossature.to_pinocchio,
    "to_trimesh": ossature.to_trimesh,
    "to_urdf_string": ossature.to_urdf_string,
}


@cache
def arm() -> ossature.World:
    return ossature.load(ARM)


@cache
def kinematics() -> ossature.Kinematics:
    return ossature.Kinematics(arm())


@pytest.fixture
def simulation() -> ossature.Simulation:
    return ossature.Simulation(arm())


@pytest.mark.parametrize("name", NEED_A_WORLD)
@pytest.mark.parametrize("wrong", [None, str(ARM), ARM], ids=["None", "text", "path"])
def test_functions_of_a_world_refuse_other_objects(name: str, wrong: object) -> None:
    with pytest.raises(TypeError, match=r"world is a World \(see ossature.load\)( or a .*|, a.*)?, not (None|.*arm.skel)"):
        NEED_A_WORLD[name](wrong)


@pytest.mark.parametrize("wrong", [None, str(ARM), ARM])
def test_a_world_is_compared_with_a_world_only(wrong: Any) -> None:
    for pair in ((arm(), wrong), (wrong, arm())):
        with pytest.raises(TypeError, match="this needs a World"):
            ossature.compare(*pair)


def test_paths_are_not_compared_as_texts() -> None:
    with pytest.raises(TypeError, match="this needs a World"):
        ossature.compare("a.skel", "b.skel")


def test_an_empty_path_is_no_folder() -> None:
    with pytest.raises(ossature.LoadError, match="the path is empty"):
        ossature.load("")


@pytest.mark.parametrize("wrong", [None, 3, arm()])
def test_functions_of_a_state_refuse_other_objects(wrong: Any, simulation: ossature.Simulation) -> None:
    for call in (simulation.restore, simulation.set_coordinates, lambda state: ossature.save_state(state, "x.usdf")):
        with pytest.raises(TypeError, match=r"state is a State \(see Simulation.state\), not "):
            call(wrong)


@pytest.mark.parametrize("option", ["search_path", "allow"])
@pytest.mark.parametrize("wrong", ["meshes", Path("meshes"), 3])
def test_folders_are_a_list(option: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"{option} is a sequence of paths, not "):
        ossature.load(ARM, **{option: wrong})


@pytest.mark.parametrize("option", ["search_path", "allow"])
def test_folders_exist(option: str, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    with pytest.raises(ValueError, match=f"{option} '.*/mehses': there is no such folder .did you mean 'meshes'"):
        ossature.load(ARM, **{option: [tmp_path / "mehses"]})
    with pytest.raises(ValueError, match=f"{option} '.*/a/b': there is no such folder$"):
        ossature.load(ARM, **{option: [tmp_path / "a" / "b"]})
    with pytest.raises(ValueError, match=f"{option} '.*/arm.skel': there is no such folder"):
        ossature.load(ARM, **{option: [ARM]})


def test_an_unknown_dialect_is_refused_whatever_the_format() -> None:
    with pytest.raises(ValueError, match="no format has the dialect 'opnrave': valid: openrave, mjcf-compiled"):
        ossature.load(ARM, dialect="opnrave")
    with pytest.raises(ValueError, match="the format 'skel' has no dialect 'openrave': it has none"):
        ossature.load(ARM, format="skel", dialect="openrave")


@pytest.mark.parametrize("wrong", [3, "nope", ["elbow"], {"arm": 1.0}])
def test_positions_are_coordinates_by_model_and_joint(wrong: Any) -> None:
    with pytest.raises(TypeError, match="positions are coordinates by model and joint, such as"):
        ossature.poses(arm(), wrong)


@pytest.mark.parametrize("wrong", [None, float("nan"), float("inf"), "x", object()])
def test_a_configuration_has_finite_numbers_only(wrong: Any) -> None:
    with pytest.raises(ossature.OssatureError, match="'elbow' "):
        kinematics().configuration({"elbow": wrong})


@pytest.mark.parametrize("wrong", [3, [1.0, 2.0], np.zeros(6), None])
def test_a_configuration_is_made_of_coordinates_by_name(wrong: Any) -> None:
    with pytest.raises(TypeError, match="positions are coordinates by name, such as"):
        kinematics().configuration(wrong)


@pytest.mark.parametrize(
    ("times", "values"),
    [([0.0, 1.0], [1.0, 2.0, 3.0]), ([0.0, 1.0, 2.0], [[1.0, 2.0, 3.0]] * 2), ([0.0, 1.0], [1.0] * 4), ([0.0], 1.0)],
)
def test_a_sampled_signal_has_the_values_of_each_time_in_one_row(times: list[float], values: Any) -> None:
    with pytest.raises(ValueError, match=rf"must have the shape \({len(times)},\) or \({len(times)}, coordinates\), not"):
        ossature.SampledSignal(times, values)


@pytest.mark.parametrize("times", [None, [], [1.0, 0.0], [[0.0, 1.0]]])
def test_the_times_of_a_sampled_signal_are_a_sequence_that_increases(times: Any) -> None:
    with pytest.raises(ValueError, match="the times must be a sequence that increases"):
        ossature.SampledSignal(times, [1.0, 2.0])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "a command must be finite, not None"),
        (float("nan"), "a command must be finite, not nan"),
        ("x", "a command is a number, or a number for each coordinate, not 'x'"),
        ([1.0, 2.0], "a command needs 1 value, not 2"),
        (lambda _: None, "a command must be finite, not None"),
    ],
)
def test_commands_are_finite_numbers(value: Any, message: str, simulation: ossature.Simulation) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        simulation.command("arm", "grip", value)
        simulation.step()


@pytest.mark.parametrize("time", [float("nan"), np.array([0.0, 0.5]), "0", None])
def test_times_of_signals_are_numbers(time: Any) -> None:
    signal = ossature.SampledSignal([0.0, 1.0], [1.0, 2.0])
    for call in (signal.at, lambda value: signal.integral(value, 1.0), lambda value: signal.integral(0.0, value)):
        with pytest.raises((TypeError, ValueError), match=r"^a time (is a number|must be finite), not "):
            call(time)
    with pytest.raises(ValueError, match="a time must be finite, not inf"):
        signal.integral(0.0, float("inf"))
    assert signal.at(float("inf")) == 2.0


@pytest.mark.parametrize("read", ["body", "joint_positions", "joint_velocities"])
def test_a_sample_of_a_recording_is_one_that_exists(read: str) -> None:
    name = "hand" if read == "body" else "elbow"
    for wrong in (3, -4):
        with pytest.raises(IndexError, match=f"there is no sample {wrong}: the recording has 3 samples"):
            getattr(recorded(), read)("arm", name, wrong)
    for other in (None, 1.0, slice(0, 2), np.array([0, 1]), True):
        with pytest.raises(TypeError, match="sample is a whole number, not "):
            getattr(recorded(), read)("arm", name, other)
    assert getattr(recorded(), read)("arm", name, np.int64(2)) == getattr(recorded(), read)("arm", name)


@pytest.mark.parametrize(
    "wrong",
    [[3], [("arm", "turn")], ["abc"], [(3, "turn", 1.0)], [("arm", ["turn"], 1.0)], [("arm", "turn", "x")], {"arm": 1.0}],
)
def test_inputs_of_steps_are_models_names_and_values(wrong: Any, simulation: ossature.Simulation) -> None:
    with pytest.raises(
        TypeError, match=r"^(an input is a tuple|the inputs are a sequence|the command of 'arm/turn' is an array)"
    ):
        simulation.advance(1, wrong)


@pytest.mark.parametrize("is_commanded", [False, True])
@pytest.mark.parametrize("wrong", [[1.0, 2.0], [], [[1.0]], [float("nan")], [float("inf")]])
def test_values_of_inputs_of_steps_are_finite_and_one_for_each_coordinate(
    is_commanded: bool, wrong: Any, simulation: ossature.Simulation
) -> None:
    if is_commanded:
        simulation.command("arm", "turn", 0.5)
    with pytest.raises(ValueError, match=r"^a command (needs 1 value|must be finite), not "):
        simulation.advance(1, [("arm", "turn", wrong)])


def test_an_input_of_steps_is_not_changed_afterwards(simulation: ossature.Simulation) -> None:
    other, values = ossature.Simulation(arm()), np.array([0.5])
    for each in (simulation, other):
        each.command("arm", "turn", 0.25)
    simulation.advance(1, [("arm", "turn", values)])
    other.advance(1, [("arm", "turn", 0.5)])
    values[:] = 100.0
    simulation.restore(simulation.state())
    simulation.advance(5)
    other.advance(5)
    assert np.array_equal(simulation.data.qpos, other.data.qpos)


@pytest.mark.parametrize("duration", [-1.0, float("nan"), float("inf")])
def test_a_wrong_duration_is_named(duration: float, simulation: ossature.Simulation) -> None:
    with pytest.raises(ValueError, match=f"the duration must be from 0 to 1e\\+09 s, not {duration} s"):
        simulation.run(duration)
    with pytest.raises(ValueError, match="the interval between samples must be positive"):
        simulation.run(0.1, sample=0.0)


def test_the_message_of_an_unknown_name_is_not_quoted(simulation: ossature.Simulation) -> None:
    for call in (
        lambda: ossature.poses(arm(), {"arn": {}}),
        lambda: ossature.poses(arm(), {"arm": {"elbo": 1.0}}),
        lambda: simulation.command("arm", "elbo", 1.0),
        lambda: simulation.command("arn", "elbow", 1.0),
        lambda: simulation.sensors["camera"],
        lambda: simulation.grippers["hand"],
        lambda: simulation.actuators["drive"],
        lambda: ossature.Plant(arm(), inputs=["elbo"]),
    ):
        with pytest.raises(UnknownNameError, match=r"^(there is no|model 'arm' has no) .*: (did you mean|valid|there|the sim)"):
            call()


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, pickle.dumps])
def test_simulations_are_not_copied(make_copy: Callable[[object], object], simulation: ossature.Simulation) -> None:
    for each in (simulation, ossature.Plant(simulation)):
        with pytest.raises(TypeError, match=f"a {type(each).__name__} cannot be copied or pickled: "):
            make_copy(each)


def test_simulations_and_signals_show_what_they_are(simulation: ossature.Simulation) -> None:
    simulation.step(5)
    assert repr(simulation) == "Simulation(table, arm; time step 0.001 s, time 0.005 s)"
    assert repr(ossature.SampledSignal([0.0, 2.5], [1.0, 2.0])) == "SampledSignal(2 samples of 1 value, 0 to 2.5 s)"


def test_hints_about_formats_have_the_argument_of_python() -> None:
    with pytest.raises(ossature.LoadError, match="in Python format="):
        ossature.load(b"neither")
    with pytest.raises(ossature.LoadError, match="in Python format='skel'"):
        ossature.load(ARM, format="urdf")


def test_representations_are_short_and_state_numbers_in_words(simulation: ossature.Simulation) -> None:
    assert repr(simulation.state()) == "State(workshop at 0 s: table, arm)"
    assert repr(ossature.diff(arm(), arm())) == "WorldDiff(no differences)"
    changed = arm().replace_at("arm/elbow", limits=(-1, 1))
    assert repr(ossature.diff(arm(), changed)) == "WorldDiff(1 difference; limits: 1)"
    typo = PROJECT / "examples" / "typo.skel"
    assert repr(ossature.fix(typo, dry_run=True)) == f"FixedFile({typo}: 1 fixed, 0 rejected; Report(6 notes))"
    assert repr(arm()["arm/hand"]) == "Body('hand': 0.4 kg, 1 visual, 1 collision)"


def test_a_conversion_is_printed_without_the_content_of_its_files(tmp_path: Path) -> None:
    found = ossature.convert(ARM, tmp_path / "arm.sdf")
    assert repr(found).startswith("Conversion(sdf: arm.sdf; Ledger(")
    assert len(repr(found)) < 200


CALLS: dict[str, tuple[Callable[..., Callable[..., object]], dict[str, Any]]] = {
    "CompiledModel.from_world": (lambda: ossature.CompiledModel.from_world, {"world": arm}),
    "CompiledModel.with_parameters": (lambda: compiled().with_parameters, {"parameters": dict}),
    "CompiledModel.with_world": (lambda: compiled().with_world, {"world": arm}),
    "CompiledModel.compile_anew": (lambda: compiled().compile_anew, {"world": arm}),
    "Dynamics": (lambda: ossature.Dynamics, {"world": arm}),
    "Kinematics": (lambda: ossature.Kinematics, {"world": arm}),
    "Kinematics.close_loops": (lambda: kinematics().close_loops, {"q": lambda: kinematics().initial}),
    "Kinematics.integrate": (lambda: kinematics().integrate, dict.fromkeys("qv", lambda: kinematics().initial)),
    "Kinematics.is_within_limits": (lambda: kinematics().is_within_limits, {"q": lambda: kinematics().initial}),
    "Kinematics.random": (lambda: kinematics().random, {"generator": np.random.default_rng}),
    "Kinematics.solve_ik": (lambda: kinematics().solve_ik, {"target": lambda: TARGET, "frame": lambda: "hand"}),
    "Kinematics.solve_ik_batch": (lambda: kinematics().solve_ik_batch, {"targets": lambda: [TARGET], "frame": lambda: "hand"}),
    "Limits.with_values": (lambda: ossature.Limits().with_values, {"text": lambda: "seconds=1"}),
    "MeshStore.of": (lambda: ossature.MeshStore.of, {"world": arm}),
    "Plant": (lambda: ossature.Plant, {"world": arm}),
    "Plant.reset": (lambda: ossature.Plant(compiled()).reset, {}),
    "Plant.step": (lambda: ossature.Plant(compiled()).step, {}),
    "Recording.body": (lambda: recorded().body, {"model": lambda: "arm", "body": lambda: "hand"}),
    "Recording.joint_positions": (lambda: recorded().joint_positions, {"model": lambda: "arm", "joint": lambda: "elbow"}),
    "Recording.joint_velocities": (lambda: recorded().joint_velocities, {"model": lambda: "arm", "joint": lambda: "elbow"}),
    "Report": (lambda: ossature.Report, {}),
    "SampledSignal": (lambda: ossature.SampledSignal, {"times": lambda: [0.0, 1.0], "values": lambda: [0.0, 1.0]}),
    "SampledSignal.at": (lambda: ossature.SampledSignal([0.0, 1.0], [0.0, 1.0]).at, {"time": float}),
    "SampledSignal.integral": (
        lambda: ossature.SampledSignal([0.0, 1.0], [0.0, 1.0]).integral,
        {"start": float, "stop": float},
    ),
    "Simulation": (lambda: ossature.Simulation, {"world": arm}),
    "Simulation.advance": (lambda: running().advance, {"count": int}),
    "Simulation.apply_keyframe": (lambda: running().apply_keyframe, {"name": str}),
    "Simulation.command": (lambda: running().command, {"model": lambda: "arm", "joint": lambda: "grip", "values": float}),
    "Simulation.grasp": (lambda: running().grasp, {"link": str, "body": str}),
    "Simulation.register_stateful": (lambda: running().register_stateful, {"name": str, "carrier": lambda: None}),
    "Simulation.release": (lambda: running().release, {"body": str}),
    "Simulation.restore": (lambda: running().restore, {"state": lambda: running().state()}),
    "Simulation.run": (lambda: running().run, {"duration": float}),
    "Simulation.schedule": (lambda: running().schedule, {"time": float, "action": lambda: print}),
    "Simulation.set_collidable": (lambda: running().set_collidable, {"model": str, "body": str, "collidable": bool}),
    "Simulation.set_coordinates": (lambda: running().set_coordinates, {"state": lambda: running().state()}),
    "World.attach": (lambda: arm().attach, {"part": arm, "at": str}),
    "World.find": (lambda: arm().find, {"kind": lambda: Body, "name": lambda: "hand"}),
    "World.remove": (lambda: arm().remove, {"path": str}),
    "World.rename": (lambda: arm().rename, {"path": str, "name": str}),
    "World.scale": (lambda: arm().scale, {"model": lambda: "arm", "factor": lambda: 2.0}),
    "check": (lambda: ossature.check, {"source": arm}),
    "convert": (lambda: ossature.convert, {"source": arm, "target": lambda: "arm.sdf"}),
    "diff": (lambda: ossature.diff, {"a": arm, "b": arm}),
    "dumps": (lambda: ossature.dumps, {"world": arm, "format": lambda: "sdf"}),
    "export_fmu": (lambda: ossature.export_fmu, {"world": arm, "path": lambda: "arm.fmu"}),
    "fix": (lambda: ossature.fix, {"path": lambda: ARM}),
    "inverse_kinematics": (lambda: ossature.inverse_kinematics, {"world": arm, "target": lambda: TARGET}),
    "load": (lambda: ossature.load, {"source": lambda: ARM}),
    "load_state": (lambda: ossature.load_state, {"path": lambda: "arm.usdf"}),
    "open_recording": (lambda: ossature.open_recording, {"path": lambda: "arm.usdf"}),
    "poses": (lambda: ossature.poses, {"world": arm}),
    "read": (lambda: ossature.read, {"source": lambda: ARM}),
    "save": (lambda: ossature.save, {"world": arm, "path": lambda: "arm.sdf"}),
    "save_state": (lambda: ossature.save_state, {"state": lambda: running().state(), "path": lambda: "arm.usdf"}),
    "sweep": (lambda: ossature.sweep, {"world": arm, "parameters": dict, "run": lambda: Run(duration=1.0)}),
    "to_mjmodel": (lambda: ossature.to_mjmodel, {"world": arm}),
    "to_mjspec": (lambda: ossature.to_mjspec, {"world": arm}),
    "to_trimesh": (lambda: ossature.to_trimesh, {"world": arm}),
    "to_urdf_string": (lambda: ossature.to_urdf_string, {"world": arm}),
}
"""Public functions and methods, each with what makes its required arguments."""


@cache
def compiled() -> ossature.CompiledModel:
    return ossature.CompiledModel.from_world(arm())


@cache
def running() -> ossature.Simulation:
    return ossature.Simulation(arm())


@cache
def recorded() -> ossature.Recording:
    return ossature.Simulation(arm()).run(0.002, sample=0.001)


@pytest.mark.parametrize(
    ("name", "argument"), [(name, each) for name, (find, _) in CALLS.items() for each in inspect.signature(find()).parameters]
)
def test_each_argument_of_another_type_is_refused_by_a_sentence(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is raised on purpose: it does not come from a line that happens to use the argument."""
    monkeypatch.chdir(tmp_path)
    find, required = CALLS[name]
    for wrong in (object(), np.zeros((3, 3, 3))):
        with pytest.raises((TypeError, ValueError, ossature.OssatureError)) as caught:
            find()(**{key: make() for key, make in required.items()} | {argument: wrong})
        raised_at = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (raised_at.line or "").startswith("raise "), f"{caught.value} in {raised_at.filename}:{raised_at.lineno}"
        assert not list(tmp_path.iterdir())


URDF = '<robot name="r"><link name="a"/></robot>'


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": 3}, "format is a text or None, not 3"),
        ({"limits": 3}, r"limits is a Limits \(see ossature.Limits\) or None, not 3"),
        ({"srdf": True}, "srdf is a path, False or None, not True"),
        ({"calibration": 3}, "calibration is a path or None, not 3"),
        ({"cache": 3}, "cache is True, False or a path, not 3"),
        ({"dialect": []}, r"dialect is a text or None, not \[\]"),
        ({"ignore_errors": "a"}, "ignore_errors is True or False, not 'a'"),
        ({"search_path": [3]}, r"search_path is a sequence of paths, not \[3\]"),
    ],
)
def test_options_of_reading_have_their_types(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ossature.load(URDF, **options)


def test_options_that_do_not_apply_to_the_format_of_a_file_are_refused() -> None:
    with pytest.raises(ValueError, match="an SRDF file belongs to a URDF file, not to a file of the format 'skel'"):
        ossature.load(ARM, srdf="arm.srdf")
    with pytest.raises(ValueError, match="the format 'skel' has no dialect 'openrave': it has none"):
        ossature.load(ARM, dialect="openrave")
    with pytest.raises(ValueError, match="the format 'skel' has no dialect 'openrave': it has none"):
        ossature.load(ARM, format="openrave")
    assert ossature.load(ARM, srdf=False) == arm()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda simulation: simulation.run("a"), "duration is a number, not 'a'"),
        (lambda simulation: simulation.run(None), "duration is a number, not None"),
        (lambda simulation: simulation.run(0.1, sample="a"), "sample is a number or None, not 'a'"),
        (lambda simulation: simulation.step("a"), "the number of steps is a whole number, not 'a'"),
        (lambda simulation: simulation.schedule("a", print), "time is a number, not 'a'"),
        (lambda simulation: simulation.schedule(1.0, 3), "action is a function, not 3"),
        (lambda _: ossature.Simulation(arm(), time_step="a"), "time_step is a number or None, not 'a'"),
        (lambda _: ossature.Simulation(arm(), tolerance="a"), "tolerance is a number or None, not 'a'"),
        (
            lambda _: ossature.Simulation(arm(), contact=3),
            "contact is a ContactOptions (see ossature.simulation.ContactOptions) or None, not 3",
        ),
        (lambda _: arm()[3], "an element is stated by its path, such as 'arm/elbow', not 3"),
        (lambda _: arm().attach(3, "arm/hand"), "part is a Model or a World (see ossature.load), not 3"),
        (lambda _: kinematics().pose(kinematics().configuration({}), 3), "a frame is stated by its name, not 3"),
        (lambda _: kinematics().random(3), "generator is a Generator (see numpy.random.default_rng), not 3"),
        (lambda _: ossature.sweep(arm(), {}, print), "run is a Run (see ossature.sweeps.Run), not <built-in"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(
    call: Callable[[Any], object], message: str, simulation: ossature.Simulation
) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call(simulation)


def test_a_compiled_model_is_shown_as_its_world() -> None:
    compiled = ossature.CompiledModel.from_world(arm())
    assert repr(compiled) == "CompiledModel(table, arm; time step 0.001 s)"
    assert "elbow" in compiled._repr_html_()
