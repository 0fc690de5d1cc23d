"""Drake, which uses libsdformat: evaluates SDFormat files through ``pydrake``."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, ModelInstanceIndex, RotationalInertia

from ossature.reference_programs import serve

_SEPARATOR = "::"
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def evaluate(path: str, configurations: list[Any]) -> list[Any]:
    """Return the response for the models of a file."""
    _require_readable_inertias(path)
    plant = MultibodyPlant(time_step=0.0)
    instances = Parser(plant).AddModels(Path(path))
    plant.Finalize()
    names = [plant.GetModelInstanceName(instance) for instance in instances]
    outermost = [name for name in names if not any(name.startswith(f"{other}{_SEPARATOR}") for other in names)]
    return [
        [_evaluate_model(plant, name, coordinates) for name, coordinates in zip(outermost, models, strict=True)]
        for models in configurations
    ]


def _require_readable_inertias(path: str) -> None:
    """Refuse a file with links whose moments of inertia Drake replaces by others: without mass, or of no possible body."""
    for link in ElementTree.parse(path).iter("link"):  # noqa: S314  # our own output
        inertial = link.find("inertial")
        moments = [] if inertial is None else [float(inertial.findtext(f"inertia/{name}", "0")) for name in _MOMENTS]
        if inertial is None or not any(moments):
            continue
        if not float(inertial.findtext("mass", "1")):
            raise ValueError(f"it reads no moments of inertia of links without mass, such as '{link.get('name')}'")
        if not RotationalInertia(*moments).CouldBePhysicallyValid():
            raise ValueError(f"it replaces the moments of inertia of links such as '{link.get('name')}', which no body has")


def _evaluate_model(plant: Any, model: str, coordinates: dict[str, list[float]]) -> dict[str, Any]:
    context, columns = plant.CreateDefaultContext(), []
    positions = plant.GetPositions(context)
    bodies = _elements(plant, model, plant.GetBodyIndices, plant.get_body)
    joints = {
        _name_in_file(name, coordinates): joint
        for name, joint in _elements(plant, model, plant.GetJointIndices, plant.get_joint).items()
    }
    for name, joint in joints.items():
        if name in coordinates and joint.num_velocities() == len(coordinates[name]):
            positions[joint.position_start() : joint.position_start() + joint.num_positions()] = coordinates[name]
            columns += list(range(joint.velocity_start(), joint.velocity_start() + joint.num_velocities()))
    plant.SetPositions(context, positions)
    return {
        "joints": list(joints),
        "poses": {name: plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4().tolist() for name, body in bodies.items()},
        "jacobians": {name: _jacobian(plant, context, body)[:, columns].tolist() for name, body in bodies.items()},
        "mass_matrix": plant.CalcMassMatrix(context)[np.ix_(columns, columns)].tolist(),
    }


def _elements(plant: Any, model: str, indices: Any, element: Any) -> dict[str, Any]:
    """Return bodies or joints of a model and those nested in it, by their names in the model."""
    found = {}
    for number in range(plant.num_model_instances()):
        instance = ModelInstanceIndex(number)
        name = plant.GetModelInstanceName(instance)
        if name == model or name.startswith(f"{model}{_SEPARATOR}"):
            prefix = name[len(model) + len(_SEPARATOR) :]
            for index in indices(instance):
                own = element(index).name()
                found[f"{prefix}{_SEPARATOR}{own}" if prefix else own] = element(index)
    return found


def _name_in_file(name: str, coordinates: dict[str, list[float]]) -> str:
    """Return the name of a joint in the file: Drake moves a joint into the nested model that contains its child."""
    *models, own = name.split(_SEPARATOR)
    names = [_SEPARATOR.join((*models[:end], own)) for end in range(len(models), -1, -1)]
    return next((one for one in names if one in coordinates), name)


def _jacobian(plant: Any, context: Any, body: Any) -> Any:
    world = plant.world_frame()
    return plant.CalcJacobianSpatialVelocity(context, JacobianWrtVariable.kV, body.body_frame(), np.zeros((3, 1)), world, world)


if __name__ == "__main__":
    serve(evaluate)
