"""``ossature simulate``: simulate a model file."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.actuation_options import Commands, apply_commands, command_files
from ossature.cli.console import (
    EXIT_INVALID_INPUT,
    errors_console,
    fail,
    fail_on,
    input_errors,
    output_console,
    print_findings,
    print_json,
    progress_bar,
)
from ossature.cli.gripper_options import Close, Grasp, Open, Release, schedule_grippers, write_world
from ossature.cli.joint_assignments import joints_of
from ossature.cli.output_path_checks import check_outputs, require_plot, require_suffix, writing
from ossature.cli.read_model import has_failures, load_world
from ossature.cli.read_options import InitialState, Json, ModelFile, ModelOptions, mesh_store, new_report
from ossature.cli.state_options import IgnoreMismatch, keyframe_named, read_state, restore
from ossature.cli.terminal_tables import format_numbers, format_rotation, print_table
from ossature.cli.time_options import require_duration, require_step
from ossature.cli.track_option import print_tracking, trajectory_to_track
from ossature.diagnostics import OssatureError, Report
from ossature.diagnostics.counted_nouns import counted

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import Trajectory, World
    from ossature.simulation import Recording, Simulation
    from ossature.simulation.accuracy_results import Peak, RunDiagnostics


class IntegratorOption(StrEnum):
    """The integrators that may be asked for; see :class:`ossature.simulation.compile.integrator_choice.Integrator`."""

    SEMI_IMPLICIT_EULER = "semi-implicit-euler"
    IMPLICIT = "implicit"
    LEAPFROG = "leapfrog"
    STAGGERED_EULER = "staggered-euler"


_NOTABLE_PART_OF_STEP = 0.01
"""Difference between the wanted and the simulated duration, in steps, that is noted."""


def simulate(
    file: ModelFile,
    read: ModelOptions,
    duration: Annotated[
        float | None, typer.Option(help="Duration [s]; the end time that the file states by default, else 1 s.", min=0.0)
    ] = None,
    time_step: Annotated[float | None, typer.Option(help="Time step [s]; the file's own by default.")] = None,
    integrator: Annotated[
        IntegratorOption | None,
        typer.Option(
            help="Integrator; by default it follows from the model: DART's own (semi-implicit-euler, first order), the "
            "engine's (implicit, first order), or leapfrog (second order). staggered-euler is first order for stiff elements."
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Largest estimated integration error of a coordinate per second [m or rad]: steps are divided into as many "
            "sub-steps as needed; 0.001 with leapfrog by default."
        ),
    ] = None,
    substeps: Annotated[bool, typer.Option("--substeps/--no-substeps", help="Divide steps into sub-steps if needed.")] = True,
    sample_interval: Annotated[float | None, typer.Option(help="Time between samples of the recording [s].")] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Write states and forces to this .usdf, .parquet, .npz, .csv, .json, .mcap or .rrd file."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot the recording into this .png, .svg or .pdf file (extra: plot).")
    ] = None,
    forces: Annotated[
        bool | None,
        typer.Option(
            "--forces/--no-forces",
            help="Record forces of joints, contacts, springs, loads and motors; the default except for SKEL trees.",
        ),
    ] = None,
    sensor: Annotated[
        list[str] | None,
        typer.Option(metavar="SENSOR", help="Read this sensor at its own rate; repeatable. Needs --sensor-output."),
    ] = None,
    sensor_output: Annotated[Path | None, typer.Option(help="Write the readings of sensors to this .npz file.")] = None,
    command: Commands = None,
    track: Annotated[
        str | None,
        typer.Option(
            help="Track a trajectory with the robot's motors: a .csv table, a model file with animations (FILE:NAME for one of "
            "several), or - for that of the model's own file."
        ),
    ] = None,
    initial_state: InitialState = None,
    save_state: Annotated[
        Path | None, typer.Option("--save-state", help="Write the final state, for a bit-exact restart, to this USDF file.")
    ] = None,
    apply_forces: Annotated[
        bool, typer.Option(help="Apply torques and wrenches of an initial state that is not restored exactly.")
    ] = True,
    ignore_mismatch: IgnoreMismatch = False,
    close: Close = None,
    open_: Open = None,
    grasp: Grasp = None,
    release: Release = None,
    save_world: Annotated[
        Path | None, typer.Option("--save-world", help="Write the World at the end, with its grasps, to this model file.")
    ] = None,
    limits: Annotated[bool, typer.Option(help="Enforce joint position limits; DART does so only on request.")] = True,
    contact_time_constant: Annotated[
        float | None,
        typer.Option(help="Make contacts compliant, with this time constant [s] (MuJoCo's solref); rigid by default."),
    ] = None,
    contact_damping_ratio: Annotated[
        float | None, typer.Option(help="Damping ratio of compliant contacts (MuJoCo's solref); 1 by default.")
    ] = None,
    ignore_link_overlaps: Annotated[
        bool,
        typer.Option(
            help="Let bodies that joints connect not collide if they overlap at the start by more than 0.02 mm, or 1 mm with "
            "compliant contacts."
        ),
    ] = True,
    as_json: Json = False,
) -> None:
    """Simulate a model file and print the final pose of every body."""
    _check_outputs(
        [file, initial_state, *command_files(command), read.calibration, None if track is None else Path(track)],
        record=record,
        save_state=save_state,
        plot=plot,
        sensor_output=sensor_output,
        save_world=save_world,
    )
    if bool(sensor) != (sensor_output is not None):
        fail("--sensor and --sensor-output need each other: the sensors to read, and the file for their readings")
    require_duration("--duration", duration)
    require_step("--time-step", time_step)
    require_step("--sample-interval", sample_interval)
    require_step("--contact-time-constant", contact_time_constant)
    _require_damping_ratio(contact_damping_ratio, contact_time_constant)
    if tolerance is not None and not 0.0 < tolerance < math.inf:
        fail(f"--tolerance must be positive, not {tolerance:g}")
    if tolerance is not None and not substeps:
        fail("--tolerance needs sub-steps, which --no-substeps disables")
    if sample_interval is not None and record is None and plot is None and track is None:
        fail("--sample-interval needs a recording: --record, --plot or --track")
    if initial_state is None and (ignore_mismatch or not apply_forces):
        fail("--ignore-mismatch and --no-apply-forces need --initial-state")
    world = load_world(file, read, prints_bases=True)
    trajectory = None if track is None else trajectory_to_track(track, world, verbose=read.verbose)
    if duration is None:
        duration = _choose_duration(world, trajectory)
    report = new_report()
    with input_errors():
        from ossature.kinematics.apply_state import place_models
        from ossature.simulation import ContactOptions, Simulation, TrajectoryTracker

        meshes = mesh_store(file, read)
        contact = ContactOptions(
            time_constant=contact_time_constant,
            damping_ratio=contact_damping_ratio or 1.0,
            ignore_link_overlaps=ignore_link_overlaps,
        )
        options: dict[str, Any] = {
            "meshes": meshes,
            "time_step": time_step,
            "enforce_limits": limits,
            "contact": contact,
            "integrator": None if integrator is None else integrator.value,
            "tolerance": tolerance,
            "sub_steps": substeps,
        }
        keyframe, state = keyframe_named(initial_state, world), None
        if keyframe is None and initial_state is not None:
            state = read_state(initial_state, report, verbose=read.verbose)
            world = place_models(world, state)
        following = None if trajectory is None else TrajectoryTracker(world, trajectory, report=report, **options)
        simulation = Simulation(world, report=report, **options) if following is None else following.simulation
        if keyframe is not None:
            simulation.apply_keyframe(keyframe)
            _set_joint_positions(simulation, read.joint)
        elif state is not None:
            restore(simulation, state, apply_forces=apply_forces, ignore_mismatch=ignore_mismatch)
        _report_mobility(world, meshes, report)
        apply_commands(simulation, command, report)
        schedule_grippers(simulation, duration, grasp=grasp, release=release, close=close, open_=open_)
        if read.strict and has_failures(report, strict=True):
            print_findings(report, verbose=read.verbose)
            raise typer.Exit(EXIT_INVALID_INPUT)
        wanted = record is not None or plot is not None or following is not None
        interval = sample_interval if sample_interval is not None else (0.01 if wanted else None)
        names = _select_sensors(simulation, sensor, report)
        started = time.perf_counter()
        with progress_bar("simulating") as progress:
            keep = plot is not None or following is not None
            recording = simulation.run(duration, interval, progress, sense=names, record=record, keep=keep, forces=forces)
        elapsed = time.perf_counter() - started
    print_findings(report, verbose=read.verbose, quiet=True)
    _save_state(simulation, save_state)
    write_world(simulation, save_world)
    _plot_recording(recording, plot)
    _save_readings(recording, sensor_output)
    steps = round(duration / simulation.time_step)
    _note_rounded_duration(duration, steps, simulation.time_step)
    errors = [] if following is None else following.errors(recording)
    if as_json:
        summary: dict[str, Any] = {
            "steps": steps,
            "steps_per_second": steps / elapsed if elapsed else None,
            "integrator": simulation.integration.as_dict(),
            "diagnostics": simulation.diagnostics.to_dict(),
        }
        if following is not None:
            summary["tracking"] = [dataclasses.asdict(error) for error in errors]
        print_json(summary | {"final": recording.to_dict()["samples"][-1]})
        return
    _print_summary(simulation, recording, steps, elapsed)
    print_tracking(errors)


def _set_joint_positions(simulation: Simulation, joints: Sequence[str] | None) -> None:
    """Set the positions of joints that options state, after a keyframe."""
    from ossature.model import JointState, ModelState, NamedList, State

    specified = joints_of(simulation.world, list(joints or ()))
    models = [
        ModelState(name=model, joints=NamedList(JointState(name=name, positions=tuple(at)) for name, at in positions.items()))
        for model, positions in specified.items()
    ]
    if models:
        simulation.set_coordinates(State(name=simulation.world.name, models=NamedList(models)))


def _require_damping_ratio(ratio: float | None, time_constant: float | None) -> None:
    if ratio is None:
        return
    if time_constant is None:
        fail("--contact-damping-ratio needs --contact-time-constant, which makes contacts compliant")
    if not 0.0 < ratio < math.inf:
        fail(f"--contact-damping-ratio must be positive, not {ratio:g}")


def _check_outputs(inputs: list[Path | None], **outputs: Path | None) -> None:
    """End the command if an output cannot be written, before hours of simulation."""
    check_outputs(inputs, outputs.values())
    require_suffix(outputs["save_state"], ".usdf", what="states")
    require_suffix(outputs["sensor_output"], ".npz", what="readings")
    if outputs["plot"] is not None:
        require_plot(outputs["plot"])
    if outputs["record"] is not None:
        from ossature.recordings.write import check_suffix

        with fail_on(OssatureError):
            check_suffix(outputs["record"])
    if outputs["save_world"] is not None:
        from ossature.formats import REGISTRY

        with fail_on(OssatureError):
            REGISTRY.to_write(outputs["save_world"])


def _choose_duration(world: World, trajectory: Trajectory | None) -> float:
    if trajectory is not None:
        return trajectory.end - trajectory.start
    return 1.0 if world.end_time is None else world.end_time


def _select_sensors(simulation: Simulation, names: list[str] | None, report: Report) -> list[str]:
    """Return the sensors to read; end the command if a name is unknown."""
    for name in names or ():
        try:
            simulation.sensors[name]
        except KeyError as error:
            print_findings(report, verbose=False, quiet=True)
            fail(str(error.args[0]))
    return names or []


def _save_readings(recording: Recording, file: Path | None) -> None:
    if file is None:
        return
    from ossature.simulation.sensors.export_readings import save_readings

    with writing(file):
        save_readings(recording.readings, file)


def _report_mobility(world: World, meshes: MeshStore, report: Report) -> None:
    from ossature.checks import locked_joint, singular_initial_configuration
    from ossature.checks.context import CheckContext

    context = CheckContext(meshes)
    for check in (locked_joint.check, singular_initial_configuration.check):
        check(world, report, context)


def _save_state(simulation: Simulation, file: Path | None) -> None:
    if file is None:
        return
    from ossature.io import save_state

    with writing(file):
        save_state(simulation.state(), file)


def _plot_recording(recording: Recording, file: Path | None) -> None:
    if file is None:
        return
    from ossature.simulation.observation.plot_recording import plot_recording

    with writing(file):
        plot_recording(recording, file)


def _note_rounded_duration(duration: float, steps: int, step: float) -> None:
    """Print a note if a duration is no whole number of steps, or none at all."""
    if abs(duration - steps * step) > _NOTABLE_PART_OF_STEP * step:
        whole = f"no whole number of steps of {step:g} s: {steps * step:g} s are simulated"
        errors_console().print(f"note: {duration:g} s is {whole}", markup=False)


def _print_summary(simulation: Simulation, recording: Recording, steps: int, elapsed: float) -> None:
    console = output_console()
    speed = f", {steps / elapsed:,.0f} steps/s" if elapsed > 0.0 and steps else ""
    console.print(f"{counted(steps, 'step')} of {simulation.time_step:g} s{speed}")
    console.print(str(simulation.integration), markup=False)
    for line in _format_diagnostics(simulation.diagnostics):
        console.print(line, markup=False)
    print_table(("body", "position [m]", "roll pitch yaw [°]", "speed [m/s]"), _table_rows(simulation, recording))


def _format_diagnostics(found: RunDiagnostics) -> Iterator[str]:
    if found.loop_residual is not None:
        yield f"loops closed to {_peak_text(found.loop_residual, 'm or rad')}"
    if found.rotation_per_step is not None and found.travel_per_step is not None and found.rotation_per_step.element:
        rotation, travel = _peak_text(found.rotation_per_step, "rad"), _peak_text(found.travel_per_step, "m")
        yield f"largest rotation in a step {rotation}, largest travel {travel}"
    if found.stiffness is not None and found.stiffness.value > 0.0:
        yield f"stiffness at most {found.stiffness.value:.2g} of the stability limit, at {found.stiffness.time:.3g} s"
    for met in found.singular_configurations:
        yield f"singular configuration at {met.time:.6g} s: {', '.join(met.joints)}{', locked' if met.is_limit else ''}"
    energy = found.energy
    dampers, others = energy.dissipated_by_dampers, energy.dissipated_by_constraints
    error = max(energy.relative_gain, energy.relative_loss)
    yield (
        f"energy changed by {energy.change:.4g} J; {energy.supplied:.4g} J supplied, {dampers:.4g} J dissipated by dampers, "
        f"{others:.4g} J by friction, contacts and limits; error at most {error:.1%} of {energy.scale:.3g} J"
    )


def _peak_text(peak: Peak, unit: str) -> str:
    return f"{peak.value:.2g} {unit} ({peak.element}, {peak.time:.3g} s)"


def _table_rows(simulation: Simulation, recording: Recording) -> Iterator[tuple[str, ...]]:
    for model, bodies in simulation.compiled.index.bodies.items():
        for body in bodies:
            state = recording.body(model, body)
            speed = math.hypot(*state.linear_velocity)
            yield f"{model}/{body}", format_numbers(state.position), format_rotation(state.wxyz), f"{speed:.3f}"
