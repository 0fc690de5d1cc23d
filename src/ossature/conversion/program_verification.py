"""Verification of written files by other programs: poses of all bodies and mass matrices, as they and our reader find them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError, MeshStore
from ossature.formats import ReferenceProgram
from ossature.isolated_python_processes import child_environment, last_line
from ossature.kinematics import Tree, default_moment_of_inertia, model_poses, spanning_tree
from ossature.model import Joint, Model, NamedList, World
from ossature.reference_programs import RESPONSE_MARK
from ossature.spatial import ZERO3, Pose, conjugate, multiply, rotation_vector_from_quaternion, subtract

Coordinates = Mapping[str, Sequence[float]]

TOLERANCE = 1e-9
"""Largest difference of poses [m, and entries of rotation matrices], and of mass matrices relative to the largest entry."""

_TIMEOUT = 120.0
_STEP = 1e-3
"""Step of the central differences of fourth order [rad or m]: errors of truncation and rounding are about 1e-13."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramVerification:
    """What a program finds in a file.

    Attributes:
        program: Its name.
        bodies: Number of bodies whose poses are compared.
        mass_matrices: Number of models whose mass matrices are compared: not those of static models and soft bodies, of
            bodies whose moments of inertia are unknown, and of models with other poses.
        differences: How it differs from our reader, in words; empty if it agrees.
        ignored: What it is known to ignore in such files, and without which it agrees, in words.
        refusal: Why it does not open or evaluate the file; None if it does.
        is_authority: Whether it owns the format, so that a refusal is a defect of the file.
    """

    program: str
    bodies: int = 0
    mass_matrices: int = 0
    differences: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    refusal: str | None = None
    is_authority: bool = False

    @property
    def is_verified(self) -> bool:
        """Whether the program opens the file and agrees."""
        return self.refusal is None and not self.differences

    @property
    def is_failed(self) -> bool:
        """Whether the program disagrees, or owns the format and does not open the file."""
        return bool(self.differences) or (self.is_authority and self.refusal is not None)

    @property
    def failure(self) -> str | None:
        """Why it does not open the file, or the first difference; None if it opens the file and agrees."""
        if self.refusal is not None:
            return f"{self.program} cannot open it: {self.refusal}"
        if not self.differences:
            return None
        more = f", and {len(self.differences) - 1} more" if len(self.differences) > 1 else ""
        return f"{self.program} interprets it differently: {self.differences[0]}{more}"


def verify_with_programs(
    path: Path, programs: Iterable[ReferenceProgram], world: World, meshes: MeshStore
) -> tuple[ProgramVerification, ...]:
    """Return what each installed program finds in a file.

    Args:
        programs: The programs that read its format.
        world: The World that our reader returns for it.
        meshes: Its meshes, for moments of inertia that are not stated.
    """
    return tuple([_verify(program, path, world, meshes) for program in programs if program.is_installed])


def _verify(program: ReferenceProgram, path: Path, world: World, meshes: MeshStore) -> ProgramVerification:
    unread = [joint.name for model in world.models for joint in model.joints if isinstance(joint.type, program.unread)]
    if unread:
        return ProgramVerification(program=program.name, refusal=f"it reads no joints of the type of '{unread[0]}'")
    models = [_with_independent_coordinates(model) for model in world.models]
    configurations = [[_coordinates(model, program, seed) for model in models] for seed in (None, 1)]
    response = _evaluate(program, path, configurations)
    if isinstance(response, str):
        return ProgramVerification(program=program.name, refusal=response, is_authority=program.is_authority)
    differences: list[str] = []
    ignored: list[str] = []
    compared: set[str] = set()
    for coordinates, found in zip(configurations, response, strict=True):
        for model, at, theirs in zip(models, coordinates, found, strict=True):
            differences += _pose_differences(model, at, theirs)
            error = None if differences else _mass_matrix_error(model, at, theirs, meshes, moment_error=program.moment_error)
            if error is not None:
                compared.add(model.name)
            massless = _massless_fixed_bodies(model) if program.ignores_massless_inertia else []
            if massless and _is_too_large(error):
                ignored.append(f"the moments of inertia of bodies without mass: {', '.join(map(repr, massless))}")
                error = _mass_matrix_error(
                    _without_moments(model, massless), at, theirs, meshes, moment_error=program.moment_error
                )
            if _is_too_large(error):
                differences.append(f"{model.name}: the mass matrix differs by {error:.2g} of its largest entry")
    count = sum(len(model["poses"]) for model in response[0])
    return ProgramVerification(
        program=program.name,
        bodies=count,
        mass_matrices=len(compared),
        differences=tuple(dict.fromkeys(differences)),
        ignored=tuple(dict.fromkeys(ignored)),
    )


def _is_too_large(error: float | None) -> bool:
    return error is not None and error > TOLERANCE


def _massless_fixed_bodies(model: Model) -> list[str]:
    """Return the bodies without mass, but with moments of inertia, that are fixed to others."""
    fixed = {joint.child for joint in model.joints if not joint.degrees_of_freedom}
    return [body.name for body in model.bodies if body.name in fixed and not body.inertial.mass and body.inertial.moment]


def _without_moments(model: Model, names: Sequence[str]) -> Model:
    bodies = [
        replace(body, inertial=replace(body.inertial, moment=(ZERO3, ZERO3, ZERO3))) if body.name in names else body
        for body in model.bodies
    ]
    return replace(model, bodies=NamedList(bodies))


def _with_independent_coordinates(model: Model) -> Model:
    """Return a model without couplings, which programs treat differently."""
    joints = [
        replace(joint, coordinates=tuple([replace(each, coupling=None) for each in joint.coordinates]))
        for joint in model.joints
    ]
    return replace(model, joints=NamedList(joints))


def _coordinates(model: Model, program: ReferenceProgram, seed: int | None) -> dict[str, list[float]]:
    """Return the coordinates of all joints: zero, or random ones for those that the program moves."""
    draw = random.Random(seed)  # noqa: S311  # no secret
    return {
        joint.name: [
            0.0 if seed is None or not _is_moved(joint, program) else draw.uniform(-0.9, 0.9) for _ in joint.coordinates
        ]
        for joint in model.joints
    }


def _is_moved(joint: Joint, program: ReferenceProgram) -> bool:
    return program.moved is None or isinstance(joint.type, program.moved)


def _evaluate(program: ReferenceProgram, path: Path, configurations: list[list[dict[str, list[float]]]]) -> Any:
    """Return the response of a program, or why there is none."""
    command = [sys.executable, "-m", program.module]
    request = json.dumps({"path": str(path.resolve()), "configurations": configurations})
    try:
        done = subprocess.run(  # noqa: S603  # our own module
            command,
            input=request,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
            env=child_environment(),
        )
    except subprocess.TimeoutExpired:
        return f"it takes more than {_TIMEOUT:g} s"
    _, mark, text = done.stdout.rpartition(RESPONSE_MARK)
    if not mark:
        return last_line(done.stderr) or f"it terminates with status {done.returncode}"
    response = json.loads(text)
    return response["error"] if "error" in response else response["models"]


def _pose_differences(model: Model, coordinates: Coordinates, theirs: Any) -> list[str]:
    poses = model_poses(model, coordinates)
    missing = [joint.name for joint in model.joints if joint.name not in theirs["joints"] and joint.degrees_of_freedom]
    if missing:
        return [f"{model.name}/{missing[0]}: the joint is missing"]
    return [
        f"{model.name}/{name}: the pose differs by {error:.2g}"
        for name in poses
        if name in theirs["poses"]
        and (error := float(np.abs(np.array(theirs["poses"][name]) - poses[name].matrix()).max())) > TOLERANCE
    ]


def _mass_matrix_error(
    model: Model, coordinates: Coordinates, theirs: Any, meshes: MeshStore, *, moment_error: float
) -> float | None:
    """Return the error of a mass matrix relative to its largest entry; None if it cannot be compared.

    Args:
        moment_error: A known error of the program [kg·m²], which does not count.
    """
    found = np.array(theirs["mass_matrix"])
    if not found.size or model.static or any(body.soft_skin is not None for body in model.bodies):
        return None
    expected = _mass_matrix(model, spanning_tree(model), coordinates, theirs, meshes)
    if expected is None:
        return None
    difference = max(np.abs(expected - found).max() - moment_error, 0.0)
    return float(difference / max(np.abs(found).max(), np.finfo(float).tiny))


def _mass_matrix(model: Model, tree: Tree, coordinates: Coordinates, theirs: Any, meshes: MeshStore) -> Array | None:
    """Return the mass matrix in the velocities of a program; None if a moment of inertia is unknown."""
    poses = model_poses(model, coordinates, tree=tree)
    jacobians = _jacobians(model, tree, coordinates, poses)
    width = sum(map(len, coordinates.values()))
    mass_matrix = np.zeros((width, width))
    for body in model.bodies:
        try:
            moment = np.array(default_moment_of_inertia(body, meshes))
        except AssetError:
            return None
        rotation = poses[body.name].matrix()[:3, :3]
        x, y, z = rotation @ np.array(body.inertial.center_of_mass)
        lever = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # angular velocity to that of the centre of mass
        angular = jacobians[body.name][:3]
        linear = jacobians[body.name][3:] + lever @ angular
        mass_matrix += angular.T @ rotation @ moment @ rotation.T @ angular + body.inertial.mass * linear.T @ linear
    common = [name for name in poses if name in theirs["jacobians"]]
    ours = np.vstack([jacobians[name] for name in common])
    to_ours = np.linalg.lstsq(ours, np.vstack([np.array(theirs["jacobians"][name]) for name in common]), rcond=None)[0]
    return np.asarray(to_ours.T @ mass_matrix @ to_ours)


def _jacobians(model: Model, tree: Tree, coordinates: Coordinates, poses: Mapping[str, Pose]) -> dict[str, Array]:
    """Return angular and linear velocity of each body in world axes by the rates of coordinates.

    The motion of a body in its parent is differentiated by central differences.
    """
    names = [(name, index) for name, values in coordinates.items() for index in range(len(values))]
    columns: dict[str, list[int]] = {name: [] for name in coordinates}
    for column, (name, _) in enumerate(names):
        columns[name].append(column)
    result: dict[str, Array] = {}
    for branch in tree.branches:
        body, joint = branch.body.name, branch.inboard
        jacobian = result[body] = np.zeros((6, len(names)))
        if joint is None:
            continue
        if joint.parent is not None:
            arm = subtract(poses[body].position, poses[joint.parent].position)
            jacobian[:3] = result[joint.parent][:3]
            jacobian[3:] = result[joint.parent][3:] + np.cross(jacobian[:3].T, arm).T
        known = {name: pose for name, pose in poses.items() if name != body}
        for column in columns.get(joint.name, ()) if branch.is_joint else ():
            one, two = (_central_difference(model, tree, coordinates, known, names[column], n * _STEP, body) for n in (1, 2))
            jacobian[:, column] += (8.0 * one - two) / (12.0 * _STEP)
    return result


def _central_difference(
    model: Model,
    tree: Tree,
    coordinates: Coordinates,
    known: Mapping[str, Pose],
    coordinate: tuple[str, int],
    step: float,
    body: str,
) -> Array:
    """Return the displacement of a body between a coordinate less a step, and plus it; the other bodies do not move."""
    name, index = coordinate
    start, end = (
        model_poses(model, {**coordinates, name: _shifted(coordinates[name], index, sign * step)}, tree=tree, known=known)[body]
        for sign in (-1, 1)
    )
    return _displacement(start, end)


def _shifted(values: Sequence[float], index: int, step: float) -> list[float]:
    return [value + step * (number == index) for number, value in enumerate(values)]


def _displacement(start: Pose, end: Pose) -> Array:
    """Return the rotation vector in world axes, and the translation of the origin, from one pose to another."""
    vector = rotation_vector_from_quaternion(multiply(end.wxyz, conjugate(start.wxyz)))
    return np.array([*vector, *subtract(end.position, start.position)])
