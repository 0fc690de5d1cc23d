"""``ossature state show``: what a state says."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    Json,
    LimitsOption,
    Verbose,
    fail,
    load_world,
    mesh_store,
    new_report,
    number_in_table,
    numbers,
    print_findings,
    roll_pitch_yaw_degrees,
)
from ossature.cli.console import output_console, print_json
from ossature.cli.states import (
    Partial,
    Sample,
    StateArgument,
    Time,
    check_choice,
    fail_without_sample,
    open_file,
    pick,
    reading,
    restore,
)
from ossature.cli.tables import print_table

if TYPE_CHECKING:
    from ossature.kinematics.frames import Motion
    from ossature.model import State
    from ossature.simulation.insight import Insight


def show(
    file: StateArgument,
    time: Time = None,
    number: Sample = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="The model file: tells energy, contacts, limits reached and violation, too."),
    ] = None,
    partial: Partial = False,
    as_json: Json = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Print frames, links and joints of a state, of a recording those of its last sample."""
    from ossature.kinematics.frames import frame_motions, link_motions
    from ossature.model.frame_graph import FrameError

    check_choice(time, number)
    recording, report = open_file(file, verbose=verbose)
    times: list[float | None] = []
    states = _noting_times(recording.states(), times)
    with reading(report, verbose=verbose):
        state = pick(states, time, number)
        deque(states, maxlen=0)  # on to the end
    print_findings(report, verbose=verbose, quiet=True)
    if state is None:
        fail_without_sample(recording)
    try:
        frames, links = frame_motions(state), link_motions(state)
    except FrameError as error:
        fail(str(error), INPUT_AT_FAULT)
    insight, exact = None, _is_unedited(state)
    if model is not None:
        insight, exact = _insight(model, state, partial=partial, verbose=verbose)
    if as_json:
        print_json(_plain(state, times, links, insight, exact=exact))
        return
    _print_head(state, times)
    whose = "a simulation of its model" if model is None else "a simulation"
    precision = "to the last bit" if exact else "to the precision of its numbers"
    output_console().print(f"{whose} goes on from here {precision}")
    _print_frames(state, frames)
    _print_links(links)
    _print_joints(state)
    if insight is not None:
        _print_insight(insight)
    if report.has_errors:
        raise typer.Exit(INPUT_AT_FAULT)


def _noting_times(states: Iterable[State], times: list[float | None]) -> Iterator[State]:
    for state in states:
        times.append(state.time)
        yield state


def _is_unedited(state: State) -> bool:
    """Whether a state carries what a simulation remembered, and the numbers beside it are still those of that instant."""
    from ossature.model.state_fit import plain_digest

    return state.remembered is not None and state.remembered.plain == plain_digest(state)


def _insight(model: Path, state: State, *, partial: bool, verbose: bool) -> tuple[Insight, bool]:
    """Return what a state means for a model, and whether a simulation of it goes on to the last bit."""
    from ossature.cli.common import input_errors

    world, report = load_world(model, None, strict=False, verbose=verbose), new_report()
    with input_errors():
        from ossature.simulation import Simulation
        from ossature.simulation.insight import insight_of

        simulation = Simulation(world, meshes=mesh_store(model, None, None), report=report)
        exact = restore(simulation, state, efforts=False, partial=partial)
        insight = insight_of(simulation)
    print_findings(report, verbose=verbose, quiet=True)
    return insight, exact


def _plain(
    state: State, times: list[float | None], links: dict[tuple[str, str], Motion], insight: Insight | None, *, exact: bool
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
    plain = {"name": state.name, "time": state.time, "samples": len(times), "models": models, "held": _plain_held(state)}
    return plain | {"exact_restart": exact} | ({} if insight is None else insight.to_json())


def _plain_held(state: State) -> list[dict[str, Any]] | None:
    """Return what hands hold, or None where the state does not say."""
    from ossature.kinematics import path_of

    if state.held is None:
        return None
    return [
        {
            "holder": path_of(held.grasp.holder),
            "held": path_of(held.grasp.held),
            "position": list(held.pose_holder_held.position),
            "wxyz": list(held.pose_holder_held.wxyz),
        }
        for held in state.held
    ]


def _print_head(state: State, times: list[float | None]) -> None:
    from ossature.kinematics import path_of

    console = output_console()
    when = "at no stated time" if state.time is None else f"at {state.time:g} s"
    console.print(f"{state.name} {when}", markup=False)
    if len(times) > 1:
        console.print(f"{len(times)} samples from {times[0] or 0.0:g} s to {times[-1] or 0.0:g} s")
    for held in state.held or ():
        console.print(f"{path_of(held.grasp.holder)} holds {path_of(held.grasp.held)}", markup=False)


def _print_frames(state: State, motions: dict[str, Motion]) -> None:
    poses = [(frame, motions[frame.name].pose) for frame in state.frames]
    rows = [
        (frame.name, frame.parent or "world", numbers(pose.position), roll_pitch_yaw_degrees(pose.wxyz))
        for frame, pose in poses
    ]
    if rows:
        print_table(("frame", "in", "position in the world [m]", "roll pitch yaw [°]"), rows)


def _print_links(links: dict[tuple[str, str], Motion]) -> None:
    rows = [(f"{model}/{link}", *_moving(motion)) for (model, link), motion in links.items()]
    if rows:
        print_table(("link", "position in the world [m]", "roll pitch yaw [°]", "speed\n[m/s]", "\n[rad/s]"), rows)


def _moving(motion: Motion) -> tuple[str, ...]:
    from ossature.spatial import norm

    place = (numbers(motion.pose.position), roll_pitch_yaw_degrees(motion.pose.wxyz))
    return (*place, *(number_in_table(norm(rate)).strip() for rate in (motion.linear, motion.angular)))


def _print_joints(state: State) -> None:
    joints = [(model.name, joint) for model in state.models for joint in model.joints if joint.positions != ()]
    rows = [(f"{model}/{joint.name}", *_columns((joint.positions, joint.velocities, joint.efforts))) for model, joint in joints]
    if rows:
        print_table(("joint", "positions [rad or m]", "velocities", "torques"), rows)


def _columns(columns: Iterable[tuple[float, ...] | None]) -> Iterator[str]:
    return ("" if column is None else numbers(column) for column in columns)


def _print_insight(insight: Insight) -> None:
    console = output_console()
    total = insight.potential_energy + insight.kinetic_energy
    console.print(
        f"energy: potential {insight.potential_energy:.6g} J, kinetic {insight.kinetic_energy:.6g} J, together {total:.6g} J"
    )
    if insight.violation is not None:
        console.print(f"loops are held to {insight.violation:.2g} m or rad")
    for reached in insight.limits:
        where = f"{reached.model}/{reached.joint}[{reached.coordinate}]"
        console.print(f"at its limit {reached.limit:g}: {where} stands at {reached.position:g}", markup=False)
    for contact in insight.contacts:
        first, second = ("/".join(body) for body in contact.bodies)
        where = numbers(contact.position)
        console.print(f"{first} touches {second} at {where}, {contact.depth:.2g} m deep", markup=False)
    if not insight.contacts:
        console.print("nothing touches anything")
