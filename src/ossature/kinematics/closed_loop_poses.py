"""Closing kinematic loops: the coordinates that are not prescribed are solved until every constraint is satisfied."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ossature.argument_types import require_not_negative, typed_arguments
from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.kinematics.absolute_constraint_equations import ConstraintEquations
from ossature.kinematics.absolute_coordinates import require_finite
from ossature.kinematics.assemble_constraint_equations import Given, constraint_equations
from ossature.kinematics.forward_kinematics import model_poses, require_known_coordinates, unknown_name_message
from ossature.kinematics.grasps import propagate_grasped_bodies
from ossature.kinematics.joint_constraints import coordinate_twists
from ossature.kinematics.joint_graph_edges import motor_connection
from ossature.kinematics.loop_analysis_limit import OperationCount
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Floating, Joint, Model, UnknownNameError, World
from ossature.spatial import Pose

CLOSED = 1e-9
"""Largest residual [rad, or m per characteristic length] of a loop that counts as closed."""
_CONVERGED = 1e-14
_MAX_ITERATIONS = 40
_STEP = 0.1
"""Largest step of a prescribed coordinate [rad, or characteristic lengths], so that the assembly mode does not change."""
_MAX_STEPS = 400
_NEAR = 0.01
"""Largest displacement to a configuration with closed loops that an error states [rad, or characteristic lengths]."""
_DEPENDENT = 1e-8
"""Relative size of singular values of the Jacobian below which a direction is not changed."""


class LoopClosureError(OssatureError, ValueError):
    """Loops cannot be closed at the prescribed coordinates.

    Attributes:
        model: Name of the model.
        joint: Name of the joint with the largest residual.
        residual: Its residual, scaled by the characteristic length of the mechanism [rad or 1].
        length: The characteristic length [m].
        displacement: The displacement of the prescribed coordinates with which they can be closed [rad, or m per characteristic
            length]; infinite if none is known.
    """

    def __init__(self, model: str, joint: str, residual: float, length: float, displacement: float = math.inf) -> None:
        self.model, self.joint, self.residual, self.length, self.displacement = model, joint, residual, length, displacement
        nearest = f"; they can if joints move by {_amount(displacement, length)}" if displacement < _NEAR else ""
        super().__init__(
            f"the loops of model '{model}' cannot be closed at these coordinates: the residual of joint '{joint}' is "
            f"{_amount(residual, length)}{nearest}"
        )


def _amount(scaled: float, length: float) -> str:
    return f"{scaled:.3g} rad or {scaled * length:.3g} m"


def solve_loops(equations: ConstraintEquations, count: OperationCount | None = None) -> tuple[float, str]:
    """Move the bodies until all equations are satisfied; return the largest residual, and the name of its joint.

    Gauss-Newton steps with the least change of the poses, from the poses that the bodies have.

    Raises:
        LoopSizeError: More operations are needed than ``count`` allows.
    """
    equations.fit_coordinates()
    values, names = equations.residuals()
    residual, name = _largest(values, names)
    for _ in range(_MAX_ITERATIONS):
        if residual < _CONVERGED:
            break
        if count is not None:
            count.add_decomposition(equations)
        before = equations.coordinates.copy()
        J, _ = equations.jacobian()
        change = np.asarray(np.linalg.lstsq(require_finite(J), -require_finite(values), rcond=_DEPENDENT)[0], dtype=np.float64)
        size = float(np.abs(change).max(initial=0.0))
        if not math.isfinite(size):
            break
        equations.coordinates.move(change * min(1.0, 0.5 / size) if size else change)
        equations.fit_coordinates()
        values, names = equations.residuals()
        improved, worst = _largest(values, names)
        if residual < CLOSED and improved >= residual:
            equations.coordinates = before  # only rounding is left
            equations.fit_coordinates()
            break
        residual, name = improved, worst
    return residual, name


def _largest(values: Array, names: Sequence[str]) -> tuple[float, str]:
    if not len(values):
        return 0.0, ""
    worst = int(np.abs(values).argmax())
    return float(abs(values[worst])), names[worst]


@typed_arguments
def poses(
    world: World,
    positions: Mapping[str, Mapping[str, float | Sequence[float] | Array]] | None = None,
    *,
    tolerance: float = 0.0,
) -> dict[str, dict[str, Pose]]:
    """Return the pose of every body in the world frame.

    If coordinates of a model are given, its loops are closed: the given coordinates are prescribed, and the other joints, also
    driven ones, are moved until every constraint is satisfied. Otherwise the poses follow from the initial positions of the
    spanning tree. Grasped bodies move with their grippers, whatever is given for their free joints. Active equalities of
    points, frames and coordinates close loops too; those of tendons are not considered.

    Args:
        world: The World.
        positions: Coordinates [rad or m] by model and joint, or motor with a guide: a number, or as many as the joint has
            coordinates. Other joints have their initial positions,
            or those of their formulas or of the loops, without regard to limits. The coordinates of a coupled joint take
            precedence over its formula, and those of all joints of an equality over it.
        tolerance: By how much given coordinates that contradict each other may move so that loops are closed, for example
            because they are rounded [rad, or m per characteristic length of the mechanism].

    Returns:
        Poses by model and body.

    Raises:
        LoopClosureError: Loops cannot be closed at the given coordinates; the message names the joint and its residual.
        KeyError: There is no model or joint of that name; the message names the nearest.
        TypeError: The World is not a World, or the positions are not mappings.
        ValueError: A joint has too many or too few coordinates, couplings are cyclic, a formula has no value, a grasp of the
            World is invalid, or the tolerance is negative or not finite.
    """
    require_not_negative("tolerance", tolerance)
    positions = {} if positions is None else positions
    _require_mappings(positions)
    for name in positions:
        if name not in world.models:
            raise UnknownNameError(unknown_name_message("model", name, world.models.names()))
    given = {
        model: {joint: _numbers(joint, values) for joint, values in specified.items()} for model, specified in positions.items()
    }
    result = {
        model.name: closed_poses(model, given[model.name], tolerance) if given.get(model.name) else model_poses(model)
        for model in world.models
    }
    if not (positions and world.grasps):
        return result
    initial = {model.name: model_poses(model) if model.name in positions else result[model.name] for model in world.models}
    return propagate_grasped_bodies(world, initial, result)


def _require_mappings(positions: object) -> None:
    if not (isinstance(positions, Mapping) and all(isinstance(joints, Mapping) for joints in positions.values())):
        shape = "{'arm': {'elbow': 1.2}}"
        raise TypeError(f"positions are coordinates by model and joint, such as {shape}, not {positions!r:.80}")


def _numbers(joint: str, values: float | Sequence[float] | Array) -> list[float]:
    try:
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or np.isnan(numbers).any():
        raise ValueError(f"the coordinates of joint '{joint}' are a number or a sequence of numbers, not {values!r:.80}")
    return [float(number) for number in numbers]


def closed_poses(model: Model, positions: Mapping[str, Sequence[float]], tolerance: float = 0.0) -> dict[str, Pose]:
    """Return the pose of every body of a model in the world, at given coordinates, with closed loops; see :func:`poses`.

    The given coordinates change from their initial values in small steps, so that a loop with several assembly modes stays in
    the same one.
    """
    specified, given = _prescribed_coordinates(model, positions)
    tree = spanning_tree(model)
    floating = {name: values for name, values in specified.items() if name in model.joints and _is_floating(model.joints[name])}
    equations = constraint_equations(model, tree, floating, given, keeps_roots=True)
    if equations is None:
        return model_poses(model, specified, tree)
    require_known_coordinates(model, specified)
    residual, joint = _solve_in_steps(equations)
    if not residual < CLOSED:
        displacement = _move_prescribed(equations)
        if not displacement <= tolerance:
            raise LoopClosureError(model.name, joint, residual, equations.length, displacement)
    known = {
        name: Pose.from_matrix(transform)
        for name, transform in zip(equations.bodies, equations.coordinates.transforms, strict=True)
        if name is not None
    }
    return model_poses(model, specified, tree, known)


def _prescribed_coordinates(model: Model, positions: Mapping[str, Sequence[float]]) -> tuple[dict[str, Sequence[float]], Given]:
    """Return coordinates by the label of their connection, all of them, and with None for those that are free."""
    specified: dict[str, Sequence[float]] = {}
    given: dict[str, Sequence[float | None]] = {}
    for name, values in positions.items():
        motor = None if name in model.joints else model.motors.get(name)
        connection = None if motor is None else motor_connection(motor)
        if connection is None:
            specified[name] = given[name] = values
            continue
        if len(values) != 1:
            raise ValueError(f"motor '{name}' has 1 coordinate, not {len(values)}")
        others = connection.joint.degrees_of_freedom - 1
        specified[connection.label] = (*values, *(0.0,) * others)
        given[connection.label] = (*values, *(None,) * others)
    return specified, given


def _is_floating(joint: Joint) -> bool:
    return isinstance(joint.type, Floating)


def _solve_in_steps(equations: ConstraintEquations) -> tuple[float, str]:
    """Solve the loops at steps of the prescribed coordinates from their initial values to the given ones."""
    targets = [joint.q.copy() for joint in equations.joints]
    masks = [joint.is_prescribed.copy() for joint in equations.joints]
    for joint in equations.joints:
        joint.is_prescribed[:] = False
        if joint.is_joint and joint.connection is not None:
            joint.q[:] = joint.connection.joint.initial_positions
        else:
            joint.q[:] = 0.0
    residual, name = solve_loops(equations)
    starts = [joint.q.copy() for joint in equations.joints]
    span = 0.0
    for joint, target, start, mask in zip(equations.joints, targets, starts, masks, strict=True):
        joint.is_prescribed[:] = mask
        span = max(span, float(np.abs(target - start)[mask].max(initial=0.0)))
    steps = min(max(math.ceil(span / _STEP), 1), _MAX_STEPS)
    for fraction in np.linspace(0.0, 1.0, steps + 1)[1:]:
        for joint, target, start, mask in zip(equations.joints, targets, starts, masks, strict=True):
            joint.q[mask] = (start + fraction * (target - start))[mask] if fraction < 1.0 else target[mask]
        residual, name = solve_loops(equations)
    return residual, name


def _move_prescribed(equations: ConstraintEquations) -> float:
    """Close the loops with all coordinates; return the displacement of prescribed ones, infinite if loops are not closed."""
    targets = [joint.q.copy() for joint in equations.joints]
    masks = [joint.is_prescribed.copy() for joint in equations.joints]
    for joint in equations.joints:
        joint.is_prescribed[:] = False
    residual, _ = solve_loops(equations)
    if not residual < CLOSED:
        return math.inf
    displacements = [
        coordinate_twists(joint.type, joint.q, equations.length)[:, mask] @ (joint.q - target)[mask]
        for joint, target, mask in zip(equations.joints, targets, masks, strict=True)
    ]
    return max([float(np.abs(one).max(initial=0.0)) for one in displacements], default=0.0)
