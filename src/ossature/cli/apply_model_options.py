"""Applying the options of commands that simulate, draw or convert a model to its World."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ossature.cli.console import EXIT_INVALID_INPUT, fail
from ossature.cli.read_options import ModelOptions, mesh_store
from ossature.diagnostics import Report, shared_rules

if TYPE_CHECKING:
    from ossature.kinematics import ChosenBase
    from ossature.model import World


def apply_model_options(
    world: World, options: ModelOptions, report: Report, file: Path, *, chooses_bases: bool = True
) -> World:
    """Return a World with the bases, inertia, floor, gravity and initial state that the options state; findings are added."""
    world, bases = _with_bases(world, options, report, chooses_bases=chooses_bases)
    for base in bases:
        report.add(shared_rules.FREE_BASE, base.message, world.models[base.model].origin, hint=base.hint, path=base.model)
    if options.infer_inertia is not None:
        world = _with_inertia(world, options, report, file)
    if options.ground:
        from ossature.kinematics import add_ground

        world = add_ground(world, mesh_store(file, options))
    if options.gravity is not None:
        if not all(map(math.isfinite, options.gravity)):
            fail(f"--gravity must be finite, not {' '.join(f'{value:g}' for value in options.gravity)}")
        world = replace(world, gravity=options.gravity)
    return _with_initial_state(world, options, report)


def _with_bases(
    world: World, options: ModelOptions, report: Report, *, chooses_bases: bool
) -> tuple[World, Sequence[ChosenBase]]:
    from ossature.kinematics import BaseChoice, choose_bases

    if options.fix_base and options.float_base:
        fail("--fix-base and --float-base contradict each other")
    if options.fix_base or options.float_base:
        report.take(shared_rules.FREE_BASE.name)
        return choose_bases(world, BaseChoice.FIXED if options.fix_base else BaseChoice.FLOATING)
    if not chooses_bases:
        return world, ()
    return choose_bases(world, unspecified={finding.path for finding in report.take(shared_rules.FREE_BASE.name)})


def _with_inertia(world: World, options: ModelOptions, report: Report, file: Path) -> World:
    from ossature.kinematics import infer_inertia
    from ossature.kinematics.rules import INFERRED_INERTIA

    density = options.infer_inertia or 0.0
    if not 0.0 < density < float("inf"):
        fail(f"--infer-inertia needs a positive density, not {density:g} kg/m³")
    world, inferred = infer_inertia(world, density=density, meshes=mesh_store(file, options))
    for one in inferred:
        report.add(INFERRED_INERTIA, one.message, one.body.origin, path=f"{one.model}/{one.body.name}")
    return world


def _with_initial_state(world: World, options: ModelOptions, report: Report) -> World:
    if options.initial_state is not None:
        world = start_at(world, options.initial_state, report, verbose=options.verbose)
    return with_joint_positions(world, options.joint) if options.joint else world


def start_at(world: World, initial_state: Path, report: Report, *, verbose: bool) -> World:
    """Return a World whose initial state is that of a file, or a keyframe; end the command if it does not fit."""
    from ossature.cli.state_options import keyframe_named, read_state
    from ossature.cli.suspicious_values import note_coupled_positions
    from ossature.kinematics import start_at_keyframe
    from ossature.kinematics.apply_state import UnreachableStateError, apply_state
    from ossature.model.state_compatibility import StateMismatchError
    from ossature.model.state_frame_tree import FrameError

    keyframe = keyframe_named(initial_state, world)
    if keyframe is not None:
        return start_at_keyframe(world, keyframe)
    state = read_state(initial_state, report, verbose=verbose)
    try:
        started = apply_state(world, state)
    except (StateMismatchError, UnreachableStateError, FrameError) as error:
        fail(str(error), EXIT_INVALID_INPUT)
    specified = {model.name: {joint.name: joint.positions or () for joint in model.joints} for model in state.models}
    note_coupled_positions(world, specified, is_applied=False)
    return started


def with_joint_positions(world: World, texts: Sequence[str]) -> World:
    """Return a World whose joints have the initial positions ``NAME=VALUE[,VALUE…]``; end the command if they do not fit."""
    from ossature.cli.joint_assignments import joints_of
    from ossature.cli.suspicious_values import note_coupled_positions, note_joint_positions
    from ossature.kinematics import with_initial_positions

    positions = joints_of(world, list(texts))
    note_joint_positions(world, positions)
    note_coupled_positions(world, positions, is_applied=False)
    return with_initial_positions(world, positions)
