"""What MuJoCo makes of the files of the corpus, and how its state corresponds to that of our models."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Report, Source
from ossature.formats.format import ReadContext
from ossature.formats.mjcf.read import read
from ossature.model import Model, World

FOLDERS = (("mjcf", "models"), ("mjcf-elements", "elements"))


def corpus_files(corpus: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the files of the corpus with their reference."""
    for folder, reference in FOLDERS:
        known = json.loads((corpus / "reference" / "mjcf" / f"{reference}.json").read_text())
        for name, expected in known.items():
            yield corpus / "corpus" / folder / name, expected


def read_mjcf(path: Path, report: Report, *allowed: Path) -> World | None:
    """Return the World of a file."""
    resolver = Resolver(folder=path.parent, allowed=allowed)
    return read(ReadContext.of_file(Source(str(path), path.read_bytes()), report, resolver)).world


def compiled_by_mujoco(path: Path) -> Any:
    """Return MuJoCo's own compilation of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mujoco.MjModel.from_xml_path(str(path))


def joint_positions(model: Any, qpos: Any, ours: Model) -> dict[str, list[float]]:
    """Return the positions of our joints for a state of MuJoCo; a body of MuJoCo and the child of our joint correspond."""
    by_child = {joint.child: joint for joint in ours.joints}
    names = list(ours.bodies.names())
    if names and names[0] != "world":
        names.insert(0, "world")
    found: dict[str, list[float]] = {}
    for body in range(1, model.nbody):
        values: list[float] = []
        for index in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
            start, kind = model.jnt_qposadr[index], model.jnt_type[index]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                zero = _matrix(model.body_pos[body], model.body_quat[body])
                moved = _matrix(qpos[start : start + 3], qpos[start + 3 : start + 7])
                relative = np.linalg.inv(zero) @ moved
                values += [*_rotation_vector(relative[:3, :3]), *relative[:3, 3]]
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                values += list(_rotation_vector(_matrix(np.zeros(3), qpos[start : start + 4])[:3, :3]))
            else:
                values.append(float(qpos[start]))
        if values:
            found[by_child[names[body]].name] = [float(value) for value in values]
    return found


def _matrix(position: Any, quaternion: Any) -> Any:
    matrix, rotation = np.eye(4), np.zeros(9)
    mujoco.mju_quat2Mat(rotation, quaternion / np.linalg.norm(quaternion))
    matrix[:3, :3], matrix[:3, 3] = rotation.reshape(3, 3), position
    return matrix


def _rotation_vector(matrix: Any) -> Any:
    quaternion, vector = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(quaternion, matrix.ravel().copy())
    mujoco.mju_quat2Vel(vector, quaternion, 1.0)
    return vector


def random_qpos(model: Any, generator: Any) -> Any:
    """Return random positions."""
    qpos = generator.normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, qpos)
    return qpos
