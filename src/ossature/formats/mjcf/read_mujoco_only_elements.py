"""Content of MJCF that only MuJoCo has, as elements of extensions: flexes, skins, their equalities, and meshes of sensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.formats.mjcf.mujoco_defaults import DEFAULT_RGBA, SOLIMP, SOLREF
from ossature.formats.mjcf.passthrough import FORMAT, UNUSED_ASSETS
from ossature.formats.mjcf.plain_numbers import numbers
from ossature.model import Extension
from ossature.spatial import pose_from
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_EQ = mujoco.mjtEq
_FLEX_EQUALITIES = {int(_EQ.mjEQ_FLEX): "flex", int(_EQ.mjEQ_FLEXVERT): "flexvert", int(_EQ.mjEQ_FLEXSTRAIN): "flexstrain"}
_INTERPOLATIONS = {1: "trilinear", 2: "quadratic"}
_ELASTICITIES = ("none", "bend", "stretch", "both")
_FLEX = int(mujoco.mjtObj.mjOBJ_FLEX)
_TACTILE = int(mujoco.mjtSensor.mjSENS_TACTILE)


def read_mujoco_only_elements(file: CompiledFile) -> tuple[Extension, ...]:
    """Return the flexes and skins of a file, the equalities of flexes, and the meshes of tactile sensors.

    They are as MuJoCo compiles them: ``<flexcomp>`` and ``<composite>`` are bodies and a flex or a skin, which refers to them.
    """
    flexes = [_flex(flex) for flex in file.spec.flexes]
    skins = [_skin(file, index) for index in range(file.model.nskin)]
    sections = {
        "asset": list(_sensor_meshes(file)),
        "deformable": [*flexes, *skins],
        "equality": list(_flex_equalities(file)),
    }
    found = [_extension(tag, nodes) for tag, nodes in sections.items() if nodes]
    unused = list(_unused_assets(file))
    return tuple([*found, _extension("asset", unused, UNUSED_ASSETS)] if unused else found)


def _extension(tag: str, nodes: list[XmlNode], key: str | None = None) -> Extension:
    section = element(tag)
    section.children = nodes
    return Extension(format=FORMAT, key=key or tag, value=xml.compact(section))


def _unused_assets(file: CompiledFile) -> Iterator[XmlNode]:
    """Yield the meshes and height fields that no geom and no tactile sensor uses, with their names."""
    model = file.model
    geoms = [file.element("geoms", index) for index in range(model.ngeom)]
    measured = {model.mesh(int(model.sensor_objid[i])).name for i in np.flatnonzero(model.sensor_type == _TACTILE)}
    for kind, tag, used in (
        ("meshes", "mesh", {geom.meshname for geom in geoms if geom is not None} | measured),
        ("hfields", "hfield", {geom.hfieldname for geom in geoms if geom is not None}),
    ):
        for asset in getattr(file.spec, kind):
            if asset.name not in used:
                yield element(tag, {"name": asset.name})


def _attributes(**values: tuple[Any, Any]) -> dict[str, str]:
    """Return the attributes with a value that is not its default, from pairs of both."""
    found = {name: (_without_numpy_types(value), default) for name, (value, default) in values.items()}
    return {name: _text(value) for name, (value, default) in found.items() if value != default}


def _without_numpy_types(value: Any) -> Any:
    if isinstance(value, str | bool | int | float):
        return value
    array = np.asarray(value)
    return tuple(array.tolist()) if array.dtype.kind in "iU" else numbers(array)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return " ".join([each if isinstance(each, str) else format_number(each) for each in value])
    return format_number(value)


def _name(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _flex(flex: Any) -> XmlNode:
    node = element(
        "flex",
        {"name": flex.name}
        | _attributes(
            group=(flex.group, 0),
            dim=(flex.dim, 2),
            radius=(flex.radius, 0.005),
            material=(_name(flex.material), ""),
            rgba=(flex.rgba, DEFAULT_RGBA),
            flatskin=(bool(flex.flatskin), False),
            body=(tuple(flex.vertbody), ()),
            vertex=(flex.vert, ()),
            element=(flex.elem, ()),
            texcoord=(flex.texcoord, ()),
            elemtexcoord=(flex.elemtexcoord, ()),
            node=(tuple(flex.nodebody), ()),
            nodecoord=(flex.node, ()),
            cellcount=(flex.cellcount, (1, 1, 1)),
            dof=(_INTERPOLATIONS.get(flex.order, ""), ""),
        ),
    )
    contact = _attributes(
        contype=(flex.contype, 1),
        conaffinity=(flex.conaffinity, 1),
        condim=(flex.condim, 3),
        priority=(flex.priority, 0),
        friction=(flex.friction, (1.0, 0.005, 0.0001)),
        solmix=(flex.solmix, 1.0),
        solref=(flex.solref, SOLREF),
        solimp=(flex.solimp, SOLIMP),
        margin=(flex.margin, 0.0),
        gap=(flex.gap, 0.0),
        selfcollide=(mujoco.mjtFlexSelf(flex.selfcollide).name.rpartition("_")[2].lower(), "auto"),
        activelayers=(flex.activelayers, 1),
        passive=(bool(flex.passive), False),
    )
    edge = _attributes(stiffness=(flex.edgestiffness, 0.0), damping=(flex.edgedamping, 0.0))
    elasticity = _attributes(
        young=(flex.young, 0.0),
        poisson=(flex.poisson, 0.0),
        damping=(flex.damping, 0.0),
        thickness=(flex.thickness, -1.0),
        elastic2d=(_ELASTICITIES[flex.elastic2d], "none"),
    )
    parts = (("contact", contact), ("edge", edge), ("elasticity", elasticity))
    node.children = [element(tag, attributes) for tag, attributes in parts if attributes]
    return node


def _skin(file: CompiledFile, index: int) -> XmlNode:
    model = file.model
    vertices = _part(model.skin_vert, model.skin_vertadr, model.skin_vertnum, index)
    faces = _part(model.skin_face, model.skin_faceadr, model.skin_facenum, index)
    first = int(model.skin_texcoordadr[index])
    coordinates = model.skin_texcoord[first : first + len(vertices)] if first >= 0 else np.zeros((0, 2), dtype=np.float32)
    material = int(model.skin_matid[index])
    node = element(
        "skin",
        _attributes(
            name=(model.skin(index).name, ""),
            material=("" if material < 0 else file.name("materials", material), ""),
            rgba=(model.skin_rgba[index], DEFAULT_RGBA),
            inflate=(numbers(model.skin_inflate[index : index + 1])[0], 0.0),
            vertex=(vertices, ()),
            texcoord=(coordinates, ()),
            face=(faces.ravel(), ()),
            group=(int(model.skin_group[index]), 0),
        ),
    )
    start = int(model.skin_boneadr[index])
    node.children = [_bone(file, bone) for bone in range(start, start + int(model.skin_bonenum[index]))]
    return node


def _part(array: Any, addresses: Any, counts: Any, index: int) -> Any:
    start = int(addresses[index])
    return array[start : start + int(counts[index])]


def _bone(file: CompiledFile, bone: int) -> XmlNode:
    model = file.model
    start, count = int(model.skin_bonevertadr[bone]), int(model.skin_bonevertnum[bone])
    return element(
        "bone",
        {"body": file.name("bodies", int(model.skin_bonebodyid[bone]))}
        | _attributes(
            bindpos=(model.skin_bonebindpos[bone], None),
            bindquat=(model.skin_bonebindquat[bone], None),
            vertid=(model.skin_bonevertid[start : start + count], ()),
            vertweight=(model.skin_bonevertweight[start : start + count], ()),
        ),
    )


def _flex_equalities(file: CompiledFile) -> Iterator[XmlNode]:
    model = file.model
    for index in range(model.neq):
        tag = _FLEX_EQUALITIES.get(int(model.eq_type[index]))
        if tag is None:
            continue
        specified = {
            "name": file.specified_name("equalities", index) or "",
            "flex": mujoco.mj_id2name(model, _FLEX, int(model.eq_obj1id[index])) or "",
        }
        values = _attributes(
            active=(bool(model.eq_active0[index]), True),
            solref=(model.eq_solref[index], SOLREF),
            solimp=(model.eq_solimp[index], SOLIMP),
        )
        if tag == "flexstrain":
            values |= {"cell": _text(tuple(model.eq_data[index, :3].astype(int).tolist()))}
        yield element(tag, {name: value for name, value in specified.items() if value} | values)


def _sensor_meshes(file: CompiledFile) -> Iterator[XmlNode]:
    model = file.model
    for mesh in sorted({int(model.sensor_objid[index]) for index in np.flatnonzero(model.sensor_type == _TACTILE)}):
        matrix = pose_from(model.mesh_pos[mesh], model.mesh_quat[mesh]).matrix()
        vertices = _part(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum, mesh).astype(float)
        points = np.round(vertices @ matrix[:3, :3].T + matrix[:3, 3], 9) + 0.0
        faces = _part(model.mesh_face, model.mesh_faceadr, model.mesh_facenum, mesh)
        specified = file.element("meshes", mesh)
        has_faces = bool(specified.file) or len(specified.userface) > 0  # else they are those of the convex hull
        attributes = _attributes(vertex=(points.ravel(), ()), face=(faces.ravel() if has_faces else (), ()))
        yield element("mesh", {"name": model.mesh(mesh).name, **attributes})
