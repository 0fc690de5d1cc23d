"""MuJoCo: evaluates URDF files without their shapes, and MJCF files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ossature.reference_programs import serve, urdf_without_shapes

_SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def evaluate(path: str, configurations: list[Any]) -> list[Any]:
    """Return the response for the robot of a file."""
    is_urdf = Path(path).suffix == ".urdf"
    model = mujoco.MjSpec.from_string(urdf_without_shapes(Path(path))).compile() if is_urdf else _compiled(path)
    return [[_evaluate_model(model, coordinates) for coordinates in models] for models in configurations]


def _compiled(path: str) -> Any:
    """Return the model of an MJCF file without the inertia of rotors, which is no inertia of bodies."""
    engine: Any = mujoco.MjModel
    model = engine.from_xml_path(path)
    for armature in (model.dof_armature, model.actuator_armature, model.tendon_armature):
        armature[:] = 0.0
    mujoco.mj_setConst(model, mujoco.MjData(model))  # the inertia of single bodies is computed in advance
    return model


def _evaluate_model(model: Any, coordinates: dict[str, list[float]]) -> dict[str, Any]:
    data, columns = mujoco.MjData(model), []
    for number in range(model.njnt):
        values = coordinates.get(model.joint(number).name)
        if model.jnt_type[number] in _SCALAR and not (values is not None and len(values) == 1):
            data.qpos[model.jnt_qposadr[number]] = 0.0
        if model.jnt_type[number] in _SCALAR and values is not None and len(values) == 1:
            data.qpos[model.jnt_qposadr[number]] = values[0]
            columns.append(int(model.jnt_dofadr[number]))
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    poses, jacobians = {}, {}
    for number in range(1, model.nbody):
        pose, linear, angular = np.eye(4), np.zeros((3, model.nv)), np.zeros((3, model.nv))
        pose[:3, :3], pose[:3, 3] = data.xmat[number].reshape(3, 3), data.xpos[number]
        mujoco.mj_jacBody(model, data, linear, angular, number)
        name = model.body(number).name
        poses[name], jacobians[name] = pose.tolist(), np.vstack([angular, linear])[:, columns].tolist()
    return {
        "joints": [
            *[model.joint(number).name for number in range(model.njnt)],
            # MuJoCo divides a planar joint of URDF into three, with these suffixes.
            *[model.joint(number).name.removesuffix("_TX") for number in range(model.njnt)],
            # The joints of one body are read as one, which has this name.
            *[f"{model.body(number).name}_joint" for number in range(model.nbody)],
        ],
        "poses": poses,
        "jacobians": jacobians,
        "mass_matrix": full[np.ix_(columns, columns)].tolist(),
    }


if __name__ == "__main__":
    serve(evaluate)
