"""Pinocchio, which uses the URDF parser of ROS: evaluates URDF files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ossature.reference_programs import serve


def evaluate(path: str, configurations: list[Any]) -> list[Any]:
    """Return the response for the robot of a file."""
    model = pin.buildModelFromXML(Path(path).read_text("utf-8"))
    return [[_evaluate_model(model, coordinates) for coordinates in models] for models in configurations]


def _evaluate_model(model: Any, coordinates: dict[str, list[float]]) -> dict[str, Any]:
    data, q, columns = model.createData(), pin.neutral(model), []
    for number in range(1, model.njoints):
        joint, values = model.joints[number], coordinates.get(model.names[number])
        if values is not None and joint.nv == len(values):
            columns += list(range(joint.idx_v, joint.idx_v + joint.nv))
            if joint.nv == 1:
                (value,) = values
                q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (math.cos(value), math.sin(value))
    pin.framesForwardKinematics(model, data, q)
    if model.nv:  # it terminates otherwise
        pin.computeJointJacobians(model, data, q)
    upper = np.triu(pin.crba(model, data, q))
    poses, jacobians = {}, {}
    for number, frame in enumerate(model.frames):
        if frame.type == pin.FrameType.BODY:
            whole = np.zeros((6, 0))
            if model.nv:
                jacobian = pin.getFrameJacobian(model, data, number, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
                whole = np.reshape(jacobian, (6, model.nv))  # a vector if there is one coordinate
            poses[frame.name] = data.oMf[number].homogeneous.tolist()
            jacobians[frame.name] = np.vstack([whole[3:], whole[:3]])[:, columns].tolist()
    return {
        "joints": [frame.name for frame in model.frames if frame.type in (pin.FrameType.JOINT, pin.FrameType.FIXED_JOINT)],
        "poses": poses,
        "jacobians": jacobians,
        "mass_matrix": (upper + np.triu(upper, 1).T)[np.ix_(columns, columns)].tolist(),
    }


if __name__ == "__main__":
    serve(evaluate)
