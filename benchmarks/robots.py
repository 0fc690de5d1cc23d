"""What becomes of every URDF robot of a folder: ``python -m benchmarks.robots FOLDER…``.

Each robot is read, checked, posed, simulated for one second, written to every format, and opened again by the program that
owns the format, as far as it is installed: Pinocchio, DART and MuJoCo for URDF, DART for SKEL, MuJoCo for MJCF; COLLADA and
Chrono files are opened by our own readers. Poses of links and the mass matrix of joints are compared at random positions. The
file is read as Pinocchio reads it, and written files are compared with what was read. Each robot has a process and a time limit
of its own. Before simulating and writing, the base is chosen by the rule of the commands, and links without inertia get one
from their shapes, as with ``--infer-inertia``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import ossature
from benchmarks.timing import PROJECT
from ossature.kinematics import choose_bases, infer_inertia, with_initial_coupled_positions
from ossature.model import UNBOUNDED, Model, NamedList, Prismatic, Revolute, World

STAGES = ("read", "check", "pose", "simulate")
FORMATS = ("urdf", "skel", "mjcf", "collada", "chrono")
SUFFIXES = {"urdf": ".urdf", "skel": ".skel", "mjcf": ".xml", "collada": ".dae", "chrono": ".yaml"}
POSE_TOLERANCE = 1e-6
"""Largest difference of poses [m, and entries of rotation matrices]: writers may round to nine digits."""
MASS_TOLERANCE = 1e-5
"""Largest difference of mass matrices relative to their largest entry: finite differences of ours have seven digits."""
STATES = 3

Positions = Mapping[str, float]
Poses = Mapping[str, Any]


class MismatchError(Exception):
    """A robot that is not the same after a stage."""


@dataclass(frozen=True)
class Robot:
    """A robot as a program understands it.

    Attributes:
        joints: Its joints with one coordinate.
        poses: Poses of its links at joint positions, relative to its root link, as 4×4 matrices.
        mass: Mass matrix at joint positions by pairs of joints, or None if the program gives none.
    """

    joints: Sequence[str]
    poses: Callable[[Positions], Poses]
    mass: Callable[[Positions], Mapping[tuple[str, str], float]] | None = None


def main() -> None:
    """Run the table over the folders of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robots", description=__doc__)
    parser.add_argument("folder", nargs="+", type=Path, help="folders or URDF files")
    parser.add_argument("--timeout", type=float, default=180.0, help="seconds for each robot; 180 by default")
    parser.add_argument("--jobs", type=int, default=2, help="robots at the same time; 2 by default")
    parser.add_argument("--json", type=Path, help="write all results to this file")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(examine(arguments.folder[0])), flush=True)
        sys.stdout.flush()
        os._exit(0)  # DART's destructors may end the process with a signal
    files = sorted(file for folder in arguments.folder for file in ([folder] if folder.is_file() else folder.rglob("*.urdf")))
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = dict(zip(files, pool.map(lambda file: _in_process(file, arguments.timeout), files), strict=True))
    console = Console(width=180)
    for table in tables(results):
        console.print(table)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({str(file): result for file, result in results.items()}, indent=1))


def _in_process(file: Path, timeout: float) -> dict[str, str]:
    command = [sys.executable, "-m", "benchmarks.robots", "--one", str(file)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, cwd=PROJECT, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return {"read": f"time limit of {timeout:g} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return {"read": f"process ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"}
    result: dict[str, str] = json.loads(lines[-1])
    return result


def tables(results: Mapping[Path, Mapping[str, str]]) -> Iterator[Table]:
    """Yield the table of robots, the counts of each stage, and the reasons for what failed."""
    stages = list(dict.fromkeys(stage for result in results.values() for stage in result))
    robots = Table("robot", *stages, box=None)
    for file, result in results.items():
        robots.add_row(file.stem, *(_cell(result.get(stage)) for stage in stages))
    yield robots
    counts = Table("stage", "passed", "of", "%", box=None)
    for stage in stages:
        outcomes = [result[stage] for result in results.values() if not result.get(stage, "-").startswith("-")]
        passed = sum(outcome.startswith("ok") for outcome in outcomes)
        counts.add_row(stage, str(passed), str(len(outcomes)), f"{100.0 * passed / max(1, len(outcomes)):.1f}")
    yield counts
    reasons = Table("stage", "robots", "reason", "for example", box=None)
    for stage in stages:
        failed = {
            file: result[stage] for file, result in results.items() if not result.get(stage, "ok").startswith(("ok", "-"))
        }
        for reason, count in Counter(map(_general, failed.values())).most_common():
            example = next(file.stem for file, one in failed.items() if _general(one) == reason)
            reasons.add_row(stage, str(count), failed[next(f for f in failed if f.stem == example)][:100], example)
    yield reasons


def _cell(outcome: str | None) -> str:
    if outcome is None:
        return ""
    return outcome if outcome.startswith("ok") else "-" if outcome.startswith("-") else "FAILED"


def _general(reason: str) -> str:
    return re.sub(r"'[^']*'|/\S+|[-+]?\d[\d.e+-]*", "…", reason)[:60]


def examine(file: Path) -> dict[str, str]:
    """Return the outcome of every stage: ``ok``, ``-`` if it does not apply, or the reason why it failed."""
    outcomes: dict[str, str] = {}
    world, report = ossature.read(file)
    theirs = _attempt(lambda: _pinocchio(file))
    refused = theirs if isinstance(theirs, str) else None
    if world is None or report.has_errors:
        first = next((str(finding.message) for finding in report if finding.severity == "error"), "not read")
        return {"read": f"- Pinocchio too: {first}" if refused else first}
    meshes = ossature.MeshStore.of(world)
    ours = _of_world(world.models[0])
    if isinstance(theirs, Robot):
        outcomes["read"] = _outcome(lambda: _compare(ours, theirs, ours.joints))
    else:
        outcomes["read"] = f"ok ({theirs})"[:60]
    outcomes["check"] = _outcome(lambda: _check(file, world, meshes))
    outcomes["pose"] = _outcome(lambda: _pose(world))
    solid, _ = infer_inertia(choose_bases(world)[0], meshes=meshes)
    outcomes["simulate"] = _outcome(lambda: _simulate(solid, meshes))
    expected = _of_world(solid.models[0])
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "original.urdf"
        copy.write_bytes(file.read_bytes())
        for name in FORMATS:
            _convert(name, copy, solid, expected, Path(folder), meshes, outcomes)
    return outcomes


def _attempt(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except Exception as error:  # noqa: BLE001  # any reason is an outcome
        return f"{type(error).__name__}: {error}".splitlines()[0]


def _outcome(action: Callable[[], Any]) -> str:
    result = _attempt(lambda: action() or "ok")
    return str(result)


def _check(file: Path, world: World, meshes: ossature.MeshStore) -> str:
    report = ossature.check(world, meshes=meshes)
    errors = [finding for finding in report if finding.severity == "error"]
    warnings = sum(finding.severity == "warning" for finding in report)
    if errors:
        raise MismatchError(f"{len(errors)} errors: {errors[0].rule.name}: {errors[0].message}")
    return f"ok {warnings}w" if warnings else "ok"


def _pose(world: World) -> None:
    for poses in ossature.poses(world).values():
        for name, pose in poses.items():
            if not np.isfinite(pose.matrix()).all():
                raise MismatchError(f"pose of {name} is not finite")


def _simulate(world: World, meshes: ossature.MeshStore) -> str:
    started = time.perf_counter()
    simulation = ossature.Simulation(world, meshes=meshes)
    simulation.run(1.0, None)
    return f"ok {time.perf_counter() - started:.0f}s"


def _convert(
    name: str, original: Path, world: World, expected: Robot, folder: Path, meshes: Any, outcomes: dict[str, str]
) -> None:
    output = folder / name / f"robot{SUFFIXES[name]}"
    output.parent.mkdir()
    ledger = _attempt(lambda: ossature.save(world, output, meshes=meshes))
    if isinstance(ledger, str):
        outcomes[name] = ledger
        return
    moments = [entry for entry in ledger if entry.action == "approximated" and entry.path.endswith(".inertial.moment")]
    outcomes[name] = f"ok (approximates {len(moments)} moments of inertia)" if moments else "ok"
    expected = replace(expected, mass=None) if moments else expected
    if name == "chrono":  # its coordinates are zero at the start
        start = {joint.name: joint.initial_positions for joint in with_initial_coupled_positions(world.models[0]).joints}
        expected = _shifted(expected, {joint: start[joint][0] for joint in expected.joints})
    for program, reader in READERS[name].items():
        outcome = _in_fork(lambda reader=reader: _compare(reader(output), expected, expected.joints))
        if name == "urdf" and not outcome.startswith("ok"):
            refused = _in_fork(lambda reader=reader: reader(original) and None)
            outcome = outcome if refused == "ok" else f"- rejects the original file: {refused}"
        outcomes[f"{name}>{program}"] = outcome


def _shifted(robot: Robot, start: Positions) -> Robot:
    """Return a robot whose joint positions are relative to those of the start."""

    def absolute(positions: Positions) -> Positions:
        return {joint: start[joint] + positions.get(joint, 0.0) for joint in start}

    mass = robot.mass
    shifted_mass = None if mass is None else lambda positions: mass(absolute(positions))
    return replace(robot, poses=lambda positions: robot.poses(absolute(positions)), mass=shifted_mass)


def _in_fork(action: Callable[[], Any]) -> str:
    """Return the outcome of an action in a process of its own: some programs end the process at files that they reject."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, _outcome(action).encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        outcome = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    if not outcome:
        return f"the program ended with {status}"
    return f"- {outcome}" if outcome.startswith("ModuleNotFoundError") else outcome


# Comparison


def _compare(found: Robot, expected: Robot, joints: Sequence[str]) -> None:
    random = np.random.default_rng(1)
    missing = [joint for joint in joints if joint not in found.joints]
    if missing:
        raise MismatchError(f"joint missing: {missing[0]} and {len(missing) - 1} more of {len(joints)}")
    for _ in range(STATES):
        positions = dict(zip(joints, random.uniform(-1.0, 1.0, len(joints)), strict=True))
        _compare_poses(found.poses(positions), expected.poses(positions))
        if found.mass is not None and expected.mass is not None:
            _compare_mass(found.mass(positions), expected.mass(positions))


def _compare_poses(found: Poses, expected: Poses) -> None:
    common = [name for name in expected if name in found]
    absent = [name for name in expected if name not in found and name != "world"]
    if absent:
        raise MismatchError(f"link missing: {absent[0]} and {len(absent) - 1} more of {len(expected)}")
    root = common[0]
    first, second = np.linalg.inv(found[root]), np.linalg.inv(expected[root])
    for name in common:
        error = np.abs(first @ found[name] - second @ expected[name]).max()
        if not error < POSE_TOLERANCE * max(1.0, np.abs(expected[name]).max()):
            raise MismatchError(f"pose of {name} differs by {error:.2g}")


def _compare_mass(found: Mapping[tuple[str, str], float], expected: Mapping[tuple[str, str], float]) -> None:
    pairs = [pair for pair in expected if pair in found]
    size = max((abs(expected[pair]) for pair in pairs), default=0.0)
    for pair in pairs:
        error = abs(found[pair] - expected[pair])
        if not error <= MASS_TOLERANCE * max(size, 1e-9):
            raise MismatchError(f"mass matrix of {pair[0]}, {pair[1]} differs by {error:.2g} of {size:.2g}")


# Robots as programs understand them


def _of_world(model: Model) -> Robot:
    """Return a model as ours: poses by forward kinematics, the mass matrix by finite differences of them."""
    model = _without_couplings(model)
    joints = [joint.name for joint in model.joints if isinstance(joint.type, Revolute | Prismatic)]
    world = World(models=NamedList([model]))

    def poses(positions: Positions) -> dict[str, Any]:
        specified = {joint: (value,) for joint, value in positions.items() if joint in model.joints}
        return {name: pose.matrix() for name, pose in ossature.poses(world, {model.name: specified})[model.name].items()}

    def mass(positions: Positions) -> dict[tuple[str, str], float]:
        step = 1e-5
        here = poses(positions)
        rates = {}
        for joint in joints:
            above = poses({**positions, joint: positions.get(joint, 0.0) + step})
            below = poses({**positions, joint: positions.get(joint, 0.0) - step})
            rates[joint] = {body: (above[body] - below[body]) / (2.0 * step) for body in here}
        matrix = np.zeros((len(joints), len(joints)))
        for body in model.bodies:
            center = np.append(body.inertial.center_of_mass, 1.0)
            moment = np.zeros((3, 3)) if body.inertial.moment is None else np.array(body.inertial.moment)
            change = np.array([rates[joint][body.name][:3] for joint in joints]).reshape(-1, 3, 4)
            velocity, spin = change @ center, here[body.name][:3, :3].T @ change[:, :, :3]
            angular = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
            matrix += body.inertial.mass * velocity @ velocity.T + angular @ moment @ angular.T
        return {(a, b): float(matrix[i, j]) for i, a in enumerate(joints) for j, b in enumerate(joints)}

    return Robot(joints, poses, mass)


def _without_couplings(model: Model) -> Model:
    def free(joint: Any) -> Any:
        return replace(
            joint, coordinates=tuple(replace(one, coupling=None, position_limits=UNBOUNDED) for one in joint.coordinates)
        )

    return replace(model, joints=NamedList([free(joint) for joint in model.joints]))


def _read_back(file: Path) -> Robot:
    world, report = ossature.read(file)
    if world is None or report.has_errors:
        raise MismatchError(next((finding.message for finding in report if finding.severity == "error"), "not read"))
    return _of_world(max(world.models, key=lambda model: len(model.bodies)))


def _pinocchio(file: Path) -> Robot:
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(file))
    data = model.createData()
    joints = {model.names[number]: model.joints[number] for number in range(1, model.njoints)}
    single = [name for name, joint in joints.items() if joint.nv == 1]

    def configuration(positions: Positions) -> Any:
        q = pinocchio.neutral(model)
        for name in single:
            joint, value = joints[name], positions.get(name, 0.0)
            q[joint.idx_q : joint.idx_q + joint.nq] = (value,) if joint.nq == 1 else (math.cos(value), math.sin(value))
        return q

    def poses(positions: Positions) -> dict[str, Any]:
        pinocchio.forwardKinematics(model, data, configuration(positions))
        pinocchio.updateFramePlacements(model, data)
        return {
            frame.name: np.array(data.oMf[number].homogeneous)
            for number, frame in enumerate(model.frames)
            if frame.type == pinocchio.FrameType.BODY
        }

    def mass(positions: Positions) -> dict[tuple[str, str], float]:
        upper = np.triu(pinocchio.crba(model, data, configuration(positions)))
        full = upper + np.triu(upper, 1).T
        return {(a, b): full[joints[a].idx_v, joints[b].idx_v] for a in single for b in single}

    return Robot(single, poses, mass)


def _dart_of_skeleton(skeleton: Any) -> Robot:
    joints = [skeleton.getJoint(number) for number in range(skeleton.getNumJoints())]
    single = {joint.getName(): joint for joint in joints if joint.getNumDofs() == 1}

    def place(positions: Positions) -> None:
        for name, joint in single.items():
            joint.setPosition(0, positions.get(name, 0.0))

    def poses(positions: Positions) -> dict[str, Any]:
        place(positions)
        bodies = [skeleton.getBodyNode(number) for number in range(skeleton.getNumBodyNodes())]
        return {body.getName(): np.array(body.getWorldTransform().matrix()) for body in bodies}

    def mass(positions: Positions) -> dict[tuple[str, str], float]:
        place(positions)
        full = skeleton.getMassMatrix()
        index = {name: joint.getIndexInSkeleton(0) for name, joint in single.items()}
        return {(a, b): full[index[a], index[b]] for a in index for b in index}

    return Robot(list(single), poses, mass)


def _dart_skel(file: Path) -> Robot:
    import dartpy

    world = dartpy.utils.SkelParser.readWorld(str(file))
    if world is None:
        raise MismatchError("DART rejects the file")
    skeletons = [world.getSkeleton(number) for number in range(world.getNumSkeletons())]
    return _dart_of_skeleton(max(skeletons, key=lambda skeleton: skeleton.getNumBodyNodes()))


def _dart_urdf(file: Path) -> Robot:
    import dartpy

    bare = file.with_name(f"bare-{file.name}")
    bare.write_text(_without_shapes(file.read_text("utf-8")), "utf-8")
    skeleton = dartpy.utils.DartLoader().parseSkeleton(str(bare))
    if skeleton is None:
        raise MismatchError("DART rejects the file")
    return _dart_of_skeleton(skeleton)


def _mujoco(file: Path) -> Robot:
    import mujoco

    if file.suffix == ".urdf":
        spec = mujoco.MjSpec.from_string(_without_shapes(file.read_text("utf-8")))
        spec.compiler.fusestatic = False
        spec.compiler.discardvisual = True
        model = spec.compile()
    else:
        model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    kinds = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    joints = {model.joint(number).name: number for number in range(model.njnt) if model.jnt_type[number] in kinds}
    start = {name: float(model.qpos0[model.jnt_qposadr[number]]) for name, number in joints.items()}

    def place(positions: Positions) -> None:
        data.qpos[:] = model.qpos0
        for name, number in joints.items():
            data.qpos[model.jnt_qposadr[number]] = (
                positions.get(name, 0.0) if file.suffix == ".urdf" else positions.get(name, start[name])
            )
        mujoco.mj_fwdPosition(model, data)

    def poses(positions: Positions) -> dict[str, Any]:
        place(positions)
        found = {}
        for number in range(model.nbody):
            matrix = np.eye(4)
            matrix[:3, :3], matrix[:3, 3] = data.xmat[number].reshape(3, 3), data.xpos[number]
            found[model.body(number).name] = matrix
        return found

    def mass(positions: Positions) -> dict[tuple[str, str], float]:
        place(positions)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        index = {name: model.jnt_dofadr[number] for name, number in joints.items()}
        return {(a, b): full[index[a], index[b]] for a in index for b in index}

    return Robot(list(joints), poses, mass)


def _without_shapes(text: str) -> str:
    """Return the text of a URDF file without shapes: MuJoCo opens no COLLADA, and DART rejects files with missing meshes."""
    return re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)


READERS: dict[str, dict[str, Callable[[Path], Robot]]] = {
    "urdf": {"pinocchio": _pinocchio, "dart": _dart_urdf, "mujoco": _mujoco},
    "skel": {"dart": _dart_skel},
    "mjcf": {"mujoco": _mujoco},
    "collada": {"ossature": _read_back},
    "chrono": {"ossature": _read_back},
}

if __name__ == "__main__":
    main()
