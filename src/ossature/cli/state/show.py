"""``ossature state show``: print a state."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, input_errors, output_console, print_findings, print_json
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ReadOptions, mesh_store, new_report
from ossature.cli.state_options import IgnoreMismatch, Sample, StateArgument, Time, check_choice, open_file, reading, restore
from ossature.cli.terminal_tables import format_number, format_numbers, format_rotation, print_table

if TYPE_CHECKING:
    from ossature.kinematics.state_frame_motions import FrameMotion
    from ossature.model import State, World
    from ossature.simulation.state_report import StateReport


def show(
    file: StateArgument,
    read: ReadOptions,
    time: Time = None,
    number: Sample = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="The model file; adds energy, contacts, joints at limits and the loop residual."),
    ] = None,
    ignore_mismatch: IgnoreMismatch = False,
    as_json: Json = False,
) -> None:
    """Print frames, links and joints of a state; of a recording those of one sample, by default the last one."""
    from ossature.kinematics.apply_state import place_models
    from ossature.kinematics.state_frame_motions import frame_motions, link_motions
    from ossature.model.state_compatibility import complete_model_poses
    from ossature.model.state_frame_tree import FrameError
    from ossature.recordings import select_state

    check_choice(time, number)
    recording, report = open_file(file, verbose=read.verbose)
    times: list[float | None] = []
    states = _noting_times(recording.states(), times)
    with reading(report, verbose=read.verbose):
        state = select_state(states, time, number)
        deque(states, maxlen=0)  # to the end of the recording
    print_findings(report, verbose=read.verbose, quiet=True)
    if state is None:
        fail(str(recording.missing_sample()), EXIT_INVALID_INPUT)
    world = None if model is None else load_world(model, read)
    try:
        world = None if world is None else place_models(world, state)
        placed = state if world is None else complete_model_poses(state, world)
        frames, links = frame_motions(placed), link_motions(placed)
    except FrameError as error:
        fail(str(error), EXIT_INVALID_INPUT)
    insight, exact = None, _is_unedited(state)
    if model is not None and world is not None:
        insight, exact = _report_state_of_model(model, world, read, state, ignore_mismatch=ignore_mismatch)
    if as_json:
        print_json(_state_as_data(state, times, links, insight, exact=exact))
        return
    _print_head(state, times)
    precision = "bit-exact" if exact else "not bit-exact"
    output_console().print(f"a restart{' of its model' if model is None else ''} from this state is {precision}")
    _print_frames(state, frames)
    _print_links(links)
    _print_joints(state)
    if insight is not None:
        _print_state_report(insight)
    if report.has_errors:
        raise typer.Exit(EXIT_INVALID_INPUT)


def _noting_times(states: Iterable[State], times: list[float | None]) -> Iterator[State]:
    for state in states:
        times.append(state.time)
        yield state


def _is_unedited(state: State) -> bool:
    """Whether a state contains a checkpoint of a simulation, and its numbers still agree with it."""
    from ossature.model.state_compatibility import plain_digest

    return state.checkpoint is not None and state.checkpoint.plain == plain_digest(state)


def _report_state_of_model(
    model: Path, world: World, read: ReadOptions, state: State, *, ignore_mismatch: bool
) -> tuple[StateReport, bool]:
    """Return a report of a state of a model, and whether a restart from it is bit-exact."""
    report = new_report()
    with input_errors():
        from ossature.simulation import Simulation
        from ossature.simulation.state_report import report_state

        simulation = Simulation(world, meshes=mesh_store(model, read), report=report)
        exact = restore(simulation, state, apply_forces=False, ignore_mismatch=ignore_mismatch)
        insight = report_state(simulation)
    print_findings(report, verbose=read.verbose, quiet=True)
    return insight, exact


def _state_as_data(
    state: State,
    times: list[float | None],
    links: dict[tuple[str, str], FrameMotion],
    insight: StateReport | None,
    *,
    exact: bool,
) -> dict[str, Any]:
    models = {
        model.name: {
            "links": {
                name: {
                    "position": list(motion.pose.position),
                    "wxyz": list(motion.pose.wxyz),
                    "linear_velocity": list(motion.linear),
                    "angular_velocity": list(motion.angular),
                }
                for (owner, name), motion in links.items()
                if owner == model.name
            },
            "joints": {
                joint.name: {"positions": joint.positions, "velocities": joint.velocities, "torques": joint.efforts}
                for joint in model.joints
            },
        }
        for model in state.models
    }
    plain = {"name": state.name, "time": state.time, "samples": len(times), "models": models, "grasps": _grasps_as_data(state)}
    return plain | {"exact_restart": exact} | ({} if insight is None else insight.to_dict())


def _grasps_as_data(state: State) -> list[dict[str, Any]] | None:
    from ossature.kinematics import path_of

    if state.grasps is None:
        return None
    return [
        {
            "link": path_of(grasp.grasp.link),
            "body": path_of(grasp.grasp.body),
            "position": list(grasp.pose_link_body.position),
            "wxyz": list(grasp.pose_link_body.wxyz),
        }
        for grasp in state.grasps
    ]


def _print_head(state: State, times: list[float | None]) -> None:
    from ossature.kinematics import path_of

    console = output_console()
    when = "without a time stamp" if state.time is None else f"at {state.time:g} s"
    console.print(f"{state.name} {when}", markup=False)
    if len(times) > 1:
        console.print(f"{len(times)} samples from {times[0] or 0.0:g} s to {times[-1] or 0.0:g} s")
    for grasp in state.grasps or ():
        console.print(f"{path_of(grasp.grasp.link)} grasps {path_of(grasp.grasp.body)}", markup=False)


def _print_frames(state: State, motions: dict[str, FrameMotion]) -> None:
    poses = [(frame, motions[frame.name].pose) for frame in state.frames]
    rows = [
        (frame.name, frame.parent or "world", format_numbers(pose.position), format_rotation(pose.wxyz))
        for frame, pose in poses
    ]
    if rows:
        print_table(("frame", "in", "position in the world [m]", "roll pitch yaw [°]"), rows)


def _print_links(links: dict[tuple[str, str], FrameMotion]) -> None:
    rows = [(f"{model}/{link}", *_velocity_cells(motion)) for (model, link), motion in links.items()]
    if rows:
        print_table(("link", "position in the world [m]", "roll pitch yaw [°]", "speed\n[m/s]", "\n[rad/s]"), rows)


def _velocity_cells(motion: FrameMotion) -> tuple[str, ...]:
    from ossature.spatial import norm

    pose = (format_numbers(motion.pose.position), format_rotation(motion.pose.wxyz))
    return (*pose, *(format_number(norm(rate)).strip() for rate in (motion.linear, motion.angular)))


def _print_joints(state: State) -> None:
    joints = [(model.name, joint) for model in state.models for joint in model.joints if joint.positions != ()]
    rows = [
        (f"{model}/{joint.name}", *_column_lines((joint.positions, joint.velocities, joint.efforts))) for model, joint in joints
    ]
    if rows:
        print_table(("joint", "positions [rad or m]", "velocities [rad/s or m/s]", "torques [N·m or N]"), rows)


def _column_lines(columns: Iterable[tuple[float, ...] | None]) -> Iterator[str]:
    return ("" if column is None else format_numbers(column) for column in columns)


def _print_state_report(insight: StateReport) -> None:
    console = output_console()
    total = insight.potential_energy + insight.kinetic_energy
    console.print(
        f"energy: potential {insight.potential_energy:.6g} J, kinetic {insight.kinetic_energy:.6g} J, total {total:.6g} J"
    )
    if insight.violation is not None:
        console.print(f"loop residual {insight.violation:.2g} m or rad")
    for reached in insight.limits:
        coordinate = f"{reached.model}/{reached.joint}[{reached.coordinate}]"
        console.print(f"joint at its limit {reached.limit:g}: {coordinate} at {reached.position:g}", markup=False)
    for contact in insight.contacts:
        first, second = ("/".join(body) for body in contact.bodies)
        position = format_numbers(contact.position)
        console.print(f"contact: {first} and {second} at {position}, penetration {contact.depth:.2g} m", markup=False)
    if not insight.contacts:
        console.print("no contacts")
