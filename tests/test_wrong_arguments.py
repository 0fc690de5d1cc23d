"""Public functions refuse wrong arguments with one sentence that states what they need."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.kinematics import Translation3D
from ossature.model import UnknownNameError

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
    "sweep": lambda world: ossature.sweep(world, {}, lambda _: {}),
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
    with pytest.raises(TypeError, match=r"this needs a World, such as ossature.load\(path\) returns, not a \w+"):
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
        with pytest.raises(TypeError, match="this needs a State"):
            call(wrong)


@pytest.mark.parametrize("option", ["search_path", "allow"])
@pytest.mark.parametrize("wrong", ["meshes", Path("meshes"), 3])
def test_folders_are_a_list(option: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"{option} is a list of folders"):
        ossature.load(ARM, **{option: wrong})


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


URDF = '<robot name="r"><link name="a"/></robot>'


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": 3}, "a format is stated by its name, such as 'urdf', not 3"),
        ({"limits": 3}, r"limits are Limits, such as Limits\(seconds=60\), not 3"),
        ({"srdf": True}, "srdf is the path of an SRDF file, False or None, not True"),
        ({"calibration": 3}, "calibration is the path of a file, not 3"),
        ({"cache": 3}, "cache is True, False or a folder, not 3"),
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
    assert ossature.load(ARM, srdf=False) == arm()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda simulation: simulation.run("a"), "the duration is a number, not 'a'"),
        (lambda simulation: simulation.run(None), "the duration is a number, not None"),
        (lambda simulation: simulation.run(0.1, sample="a"), "the interval between samples is a number, not 'a'"),
        (lambda simulation: simulation.step("a"), "the number of steps is a whole number, not 'a'"),
        (lambda simulation: simulation.schedule("a", print), "the time of an action is a number, not 'a'"),
        (lambda simulation: simulation.schedule(1.0, 3), "an action is a function without arguments, not 3"),
        (lambda _: ossature.Simulation(arm(), time_step="a"), "the time step is a number, not 'a'"),
        (lambda _: ossature.Simulation(arm(), tolerance="a"), "the tolerance is a number, not 'a'"),
        (lambda _: ossature.Simulation(arm(), contact=3), "contact is a ContactOptions, not 3"),
        (lambda _: arm()[3], "an element is stated by its path, such as 'arm/elbow', not 3"),
        (lambda _: arm().attach(3, "arm/hand"), "a part is a Model, or a World with one model, not 3"),
        (lambda _: kinematics().pose(kinematics().configuration({}), 3), "a frame is stated by its name, not 3"),
        (lambda _: kinematics().random(3), r"the source of random numbers is a numpy.random.default_rng\(seed\), not 3"),
        (lambda _: ossature.sweep(arm(), {}, print), r"run is a Run, such as Run\(duration=1.0\), not <built-in"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(
    call: Callable[[Any], object], message: str, simulation: ossature.Simulation
) -> None:
    with pytest.raises(TypeError, match=message):
        call(simulation)


def test_a_compiled_model_is_shown_as_its_world() -> None:
    compiled = ossature.CompiledModel.from_world(arm())
    assert repr(compiled) == "CompiledModel(table, arm; time step 0.001 s)"
    assert "elbow" in compiled._repr_html_()
