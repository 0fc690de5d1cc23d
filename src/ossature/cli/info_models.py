"""Models and their elements in the output of ``ossature info``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ossature.cli.console import escape_markup
from ossature.cli.info_robot_elements import robot_data, robot_lines
from ossature.cli.read_options import limits_of_command
from ossature.diagnostics.counted_nouns import counted
from ossature.model import Actuation
from ossature.model.model import motors_and_force_elements
from ossature.model.value_text import kind_text

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

    from ossature.kinematics import Mobility
    from ossature.model import Joint, Model, World


def build_tree(model: Model) -> RichTree:
    """Return the tree of a model with its joints and other elements, with markup."""
    from rich.tree import Tree as RichTree

    from ossature.kinematics import spanning_tree

    summary = f"{_count_text(len(model.bodies), 'body', 'bodies')}, {_count_text(len(model.joints), 'joint', 'joints')}"
    mobility, problem = _compute_mobility(model)
    state = "static" if model.static else f"{_degrees_of_freedom(mobility, model)}, {model.mass:g} kg"
    root = RichTree(f"[bold]{escape_markup(model.name)}[/]  {summary}, {state}")
    nodes: dict[str, RichTree] = {}
    for branch in spanning_tree(model).branches:
        inboard = branch.inboard
        above = nodes[inboard.parent] if inboard is not None and inboard.parent is not None else root
        connection = "" if inboard is None else f"  [dim]{_joint_words(inboard)}[/]"
        nodes[branch.body.name] = above.add(f"{escape_markup(branch.body.name)}  {branch.body.inertial.mass:g} kg{connection}")
    _add_elements(root, model)
    _add_mobility(root, mobility)
    if problem:
        root.add(escape_markup(problem))
    return root


def _joint_words(joint: Joint) -> str:
    words = f"{kind_text(type(joint.type))} {escape_markup(joint.name)}"
    return f"{words}, locked" if joint.actuation is Actuation.LOCKED else words


def _compute_mobility(model: Model) -> tuple[Mobility | None, str]:
    """Return the mobility of a model, or None if it cannot be computed, and the reason if no check of reading reports it."""
    from ossature.kinematics import FormulaError, LoopSizeError, MobilityError, mobility_of

    try:
        return mobility_of(model, limits=limits_of_command()), ""
    except (FormulaError, MobilityError):
        return None, ""
    except LoopSizeError as error:
        return None, str(error)


def _degrees_of_freedom(mobility: Mobility | None, model: Model) -> str:
    if mobility is None:
        return _count_text(model.degrees_of_freedom, "joint coordinate", "joint coordinates")
    details = [f"{mobility.floating} floating"] if mobility.floating else []
    details += [f"{mobility.driven} driven"] if mobility.driven else []
    text = _count_text(mobility.degrees_of_freedom, "degree of freedom", "degrees of freedom")
    return f"{text} ({', '.join(details)})" if details else text


def _add_mobility(root: RichTree, mobility: Mobility | None) -> None:
    """Add the effects of loops on the motion: redundant constraints, locked joints, a singular initial configuration."""
    if mobility is None:
        return
    for one in mobility.redundancies:
        count = _count_text(one.count, "redundant constraint", "redundant constraints")
        root.add(f"[dim]{count} among[/] {escape_markup(', '.join(one.joints))}")
    if mobility.locked_joints:
        root.add(f"[dim]locked by loops[/] {escape_markup(', '.join(mobility.locked_joints))}")
    if mobility.is_singular_at_start:
        at_start = mobility.degrees_of_freedom_at_start
        root.add(f"[dim]singular initial configuration[/] {counted(at_start, 'degree of freedom')} to first order")


def _add_elements(root: RichTree, model: Model) -> None:
    """Add loop joints, motors, force elements and loads, which are not part of the tree."""
    from ossature.kinematics import spanning_tree

    for loop in spanning_tree(model).loops:
        kind = "motor" if loop.motor is not None else kind_text(type(loop.joint.type))
        root.add(f"[dim]loop closed by {kind}[/] {escape_markup(loop.name)}")
    for kind, elements in motors_and_force_elements(model).items():
        for element in elements:
            ends = f"{element.body1 or 'world'} to {element.body2 or 'world'}" if hasattr(element, "body1") else element.body
            root.add(f"[dim]{kind}[/] {escape_markup(element.name)}  {escape_markup(ends)}")
    for line in robot_lines(model):
        root.add(line)


def _count_text(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def world_data(world: World) -> dict[str, Any]:
    """Return the content of a World as it is printed as JSON."""
    return {
        "name": world.name,
        "gravity": list(world.gravity),
        "time_step": world.time_step,
        "models": [_model_data(model) for model in world.models],
        "grasps": [
            {
                "link": [grasp.link.model, grasp.link.body],
                "body": [grasp.body.model, grasp.body.body],
                "ignored_bodies": list(grasp.ignored_bodies),
            }
            for grasp in world.grasps
        ],
    }


def _mobility_data(model: Model) -> dict[str, Any]:
    mobility, _ = _compute_mobility(model)
    if mobility is None:
        return {"degrees_of_freedom": None}
    return {"degrees_of_freedom": mobility.degrees_of_freedom, "mobility": dataclasses.asdict(mobility)}


def _model_data(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "static": model.static,
        "mass": model.mass,
        **_mobility_data(model),
        "bodies": [{"name": body.name, "mass": body.inertial.mass} for body in model.bodies],
        "joints": [
            {
                "name": joint.name,
                "type": kind_text(type(joint.type)),
                "parent": joint.parent,
                "child": joint.child,
                "degrees_of_freedom": joint.degrees_of_freedom,
                "actuation": joint.actuation.value,
            }
            for joint in model.joints
        ],
        **robot_data(model),
        **{
            f"{kind.replace(' ', '_').replace('-', '_')}s": list(elements.names())
            for kind, elements in motors_and_force_elements(model).items()
        },
    }
