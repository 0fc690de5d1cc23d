"""Worlds as objects of other libraries: MuJoCo, Pinocchio and trimesh."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.argument_types import typed_arguments
from ossature.assets import AssetError, MeshStore
from ossature.conversion import files_of
from ossature.diagnostics import OssatureError
from ossature.kinematics import poses
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Connection, Mesh, MeshData, Model, Plane, TriangleMesh, Visual, Weld, World
from ossature.model.unique_names import take_unique_name

if TYPE_CHECKING:
    import mujoco


@typed_arguments
def to_mjspec(world: World, *, meshes: MeshStore | None = None) -> mujoco.MjSpec:
    """Return a World as a specification of MuJoCo, with the dynamics of :class:`ossature.Simulation`.

    Motors and loads are actuators; bodies are named ``MODEL/BODY``, and joints by model and joint too. A World of MuJoCo, such
    as that of an MJCF file, has the names that it has as MJCF. The keyframe ``initial`` has the initial state. To change a
    model by hand, write MJCF with :func:`ossature.save` instead: it keeps the structure.

    Args:
        world: The World.
        meshes: Source of the meshes; by default the folder of the World's file.

    Raises:
        SimulationError: The World cannot be simulated.
    """
    from ossature.simulation import CompiledModel, Simulation
    from ossature.simulation.compile.compile_mjcf_world import mjcf_specification

    compiled = CompiledModel.from_world(world, meshes=meshes)
    engine, data = compiled.compiled, Simulation(compiled).data
    spec: Any = (
        mjcf_specification(compiled.world, compiled.meshes, compiled.options, engine.grasp_plan)
        if engine.is_mjcf_world
        else engine.spec.to_engine()
    )
    name = take_unique_name("initial", {key.name for key in spec.keys})
    spec.add_key(name=name, qpos=data.qpos.copy(), qvel=data.qvel.copy(), time=float(data.time))
    result: mujoco.MjSpec = spec
    return result


@typed_arguments
def to_mjmodel(world: World, *, meshes: MeshStore | None = None) -> mujoco.MjModel:
    """Return a World as a model of MuJoCo, as :class:`ossature.Simulation` compiles it; see :func:`to_mjspec`.

    Raises:
        SimulationError: The World cannot be simulated.
    """
    return to_mjspec(world, meshes=meshes).compile()


@typed_arguments
def to_urdf_string(world: World, *, meshes: MeshStore | None = None) -> str:
    """Return a World as the text of a URDF file, such as a ``robot_description``.

    Manipulators, keyframes and ignored pairs, which URDF does not have, are left out; :func:`ossature.save` writes them to an
    SRDF file.

    Raises:
        OssatureError: URDF cannot represent this World, or needs files of meshes beside the text: use :func:`ossature.save`.
    """
    (_, content), *others = files_of(world, "urdf", meshes=meshes).items()
    names = [path.name for path, _ in others if path.suffix != ".srdf"]
    if names:
        raise OssatureError(f"urdf needs files beside the text: {', '.join(names)}; use save")
    return content.decode()


@typed_arguments
def to_pinocchio(world: World) -> Any:
    """Return a World as a model of Pinocchio (``pinocchio.Model``); a robot with a floating base has a free-flyer joint.

    Pinocchio reads the model as URDF: coupled coordinates are independent, and visual and collision shapes are not included.

    Raises:
        OssatureError: Pinocchio is not installed, or URDF cannot represent this World, for example because of closed loops.
    """
    try:
        import pinocchio
    except ImportError as error:
        raise OssatureError("this needs Pinocchio: pip install pin") from error
    loops = [f"{model.name}/{name}" for model in world.models for name in _loop_names(model)]
    if loops:
        raise OssatureError(f"Pinocchio's URDF reader has no closed loops: {', '.join(loops)}")
    text = next(iter(files_of(world, "urdf").values())).decode()  # without the files of shapes, which are not read
    if _root_of_urdf(text) == "world":
        return pinocchio.buildModelFromXML(text)
    return pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())


def _loop_names(model: Model) -> Iterator[str]:
    """Yield the names of what closes loops in a model: joints, massless links and rods, and equalities of bodies."""
    yield from [loop.joint.name for loop in spanning_tree(model).loops]
    yield from model.constraints.names()
    yield from [one.name for one in model.equalities if one.active and isinstance(one.type, Connection | Weld)]


def _root_of_urdf(text: str) -> str:
    robot = ET.fromstring(text)  # noqa: S314  # our own output
    children = {child.get("link") for child in robot.findall("joint/child")}
    return next(str(link.get("name")) for link in robot.findall("link") if link.get("name") not in children)


@typed_arguments
def to_trimesh(
    world: World,
    positions: Mapping[str, Mapping[str, float | Sequence[float]]] | None = None,
    *,
    meshes: MeshStore | None = None,
) -> Any:
    """Return the visual shapes of a World as a ``trimesh.Scene``; nodes are named ``MODEL/BODY``, planes are left out.

    Args:
        world: The World.
        positions: Joint coordinates by model and joint; by default the initial ones.
        meshes: Source of the meshes; by default the folder of the World's file.

    Raises:
        OssatureError: trimesh is not installed, or a mesh cannot be loaded.
    """
    try:
        import trimesh
    except ImportError as error:
        raise OssatureError("this needs trimesh: pip install trimesh") from error
    store = meshes or MeshStore.of(world)
    placed = poses(world, positions)
    scene = trimesh.Scene(base_frame="world")
    for model in world.models:
        for body in model.bodies:
            path, pose = f"{model.name}/{body.name}", placed[model.name][body.name]
            scene.graph.update(path, "world", matrix=pose.matrix())
            for number, (visual, triangles) in enumerate(_visuals(body.visuals, store)):
                mesh = trimesh.Trimesh(triangles.vertices, triangles.faces, process=False)
                if visual.color is not None:
                    mesh.visual.face_colors = [round(255 * value) for value in visual.color]
                name = f"{path}.visuals[{number}]"
                scene.add_geometry(mesh, node_name=name, geom_name=name, parent_node_name=path, transform=visual.pose.matrix())
    return scene


def _visuals(visuals: Sequence[Visual], store: MeshStore) -> Iterator[tuple[Visual, MeshData]]:
    from ossature.model.tessellation import tessellate

    for visual in visuals:
        if isinstance(visual.geometry, Mesh | TriangleMesh):
            try:
                yield visual, store.triangles(visual.geometry)
            except AssetError as error:
                raise OssatureError(str(error)) from error
        elif not isinstance(visual.geometry, Plane):
            yield visual, tessellate(visual.geometry)
