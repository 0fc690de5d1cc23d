"""DART: evaluates SKEL files, and URDF files without their shapes, through ``dartpy``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dartpy
import numpy as np

from ossature.reference_programs import serve, urdf_without_shapes


def evaluate(path: str, configurations: list[Any]) -> list[Any]:
    """Return the response for the skeletons of a file."""
    skeletons = _skeletons(path)
    return [
        [_evaluate_skeleton(skeleton, coordinates) for skeleton, coordinates in zip(skeletons, models, strict=True)]
        for models in configurations
    ]


def _skeletons(path: str) -> list[Any]:
    if Path(path).suffix == ".urdf":
        skeleton = dartpy.utils.DartLoader().parseSkeletonString(urdf_without_shapes(Path(path)), "")
        if skeleton is None:
            raise ValueError("its URDF parser refuses the file")
        return [skeleton]
    world = dartpy.utils.SkelParser.readWorld(path)
    if world is None:
        raise ValueError("its SKEL parser refuses the file")
    return [world.getSkeleton(number) for number in range(world.getNumSkeletons())]


def _evaluate_skeleton(skeleton: Any, coordinates: dict[str, list[float]]) -> dict[str, Any]:
    columns: list[int] = []
    bodies = [skeleton.getBodyNode(number) for number in range(skeleton.getNumBodyNodes())]
    joints = [body.getParentJoint() for body in bodies]
    for joint in joints:
        if joint.getName() in coordinates and joint.getNumDofs() == len(coordinates[joint.getName()]):
            joint.setPositions(np.array(coordinates[joint.getName()]))
            columns += [joint.getIndexInSkeleton(number) for number in range(joint.getNumDofs())]
    return {
        "joints": [joint.getName() for joint in joints],
        "poses": {body.getName(): body.getWorldTransform().matrix().tolist() for body in bodies},
        "jacobians": {body.getName(): skeleton.getWorldJacobian(body)[:, columns].tolist() for body in bodies},
        "mass_matrix": skeleton.getMassMatrix()[np.ix_(columns, columns)].tolist(),
    }


if __name__ == "__main__":
    serve(evaluate)
