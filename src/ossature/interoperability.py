"""Worlds as objects of other libraries: MuJoCo, Pinocchio and trimesh."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ossature.assets import AssetError, MeshStore
from ossature.conversion import dumps
from ossature.diagnostics import OssatureError
from ossature.kinematics import poses
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Mesh, MeshData, Plane, TriangleMesh, Visual, World, require_world

if TYPE_CHECKING:
    import mujoco


def to_mjspec(world: World, *, meshes: MeshStore | None = None) -> mujoco.MjSpec:
    """Return a World as a specification of MuJoCo, with the dynamics of :class:`ossature.Simulation`.

    Motors and loads are actuators; bodies are named ``MODEL/BODY``, and joints by model and joint too. The keyframe ``initial``
    has the initial state. To change a model by hand, write MJCF with :func:`ossature.save` instead: it keeps the structure.

    Args:
        world: The World.
        meshes: Source of the meshes; by default the folder of the World's file.

    Raises:
        SimulationError: The World cannot be simulated.
    """
    from ossature.simulation import Simulation

    simulation = Simulation(world, meshes=meshes)
    spec = simulation.compiled.spec.to_engine()
    data = simulation.data
    spec.add_key(name="initial", qpos=data.qpos.copy(), qvel=data.qvel.copy(), time=float(data.time))
    return spec


def to_mjmodel(world: World, *, meshes: MeshStore | None = None) -> mujoco.MjModel:
    """Return a World as a model of MuJoCo, as :class:`ossature.Simulation` compiles it; see :func:`to_mjspec`.

    Raises:
        SimulationError: The World cannot be simulated.
    """
    return to_mjspec(world, meshes=meshes).compile()


def to_urdf_string(world: World, *, meshes: MeshStore | None = None) -> str:
    """Return a World as the text of a URDF file, such as a ``robot_description``.

    Raises:
        OssatureError: URDF cannot represent this World, or needs files of meshes beside the text: use :func:`ossature.save`.
    """
    return dumps(world, "urdf", meshes=meshes)


def to_pinocchio(world: World) -> Any:
    """Return a World as a model of Pinocchio (``pinocchio.Model``); a robot with a floating base has a free-flyer joint.

    Pinocchio reads the model as URDF: coupled coordinates are independent, and visual and collision shapes are not included.

    Raises:
        OssatureError: Pinocchio is not installed, or URDF cannot represent this World, for example because of closed loops.
    """
    require_world(world)
    try:
        import pinocchio
    except ImportError as error:
        raise OssatureError("this needs Pinocchio: pip install pin") from error
    loops = [f"{model.name}/{loop.joint.name}" for model in world.models for loop in spanning_tree(model).loops]
    if loops:
        raise OssatureError(f"Pinocchio's URDF reader has no closed loops: {', '.join(loops)}")
    text = to_urdf_string(world)
    if _root_of_urdf(text) == "world":
        return pinocchio.buildModelFromXML(text)
    return pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())


def _root_of_urdf(text: str) -> str:
    robot = ET.fromstring(text)  # noqa: S314  # our own output
    children = {child.get("link") for child in robot.findall("joint/child")}
    return next(str(link.get("name")) for link in robot.findall("link") if link.get("name") not in children)


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
    require_world(world)
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
