"""Comparison of two models of MuJoCo, field by field: elements in their order, assets by their names."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

TOLERANCE = 1e-12
_OBJECTS = {"mesh": mujoco.mjtObj.mjOBJ_MESH, "mat": mujoco.mjtObj.mjOBJ_MATERIAL, "tex": mujoco.mjtObj.mjOBJ_TEXTURE}
_REFERENCES = {"geom_matid": "mat", "site_matid": "mat", "tendon_matid": "mat", "skin_matid": "mat", "light_texid": "tex"}
NOT_COMPARED = {
    "body_inertia": "the tensor is compared, because its principal axes are not unique",
    "body_iquat": "likewise",
    "body_sameframe": "whether the principal axes are those of the body",
    "geom_sameframe": "likewise",
    "site_sameframe": "likewise",
    "body_simple": "likewise",
    "body_margin": "the largest margin of the geoms of a body, of which those that do not collide have no margin",
    "dof_simplenum": "likewise",
    "geom_dataid": "meshes are compared by their names",
    "exclude_signature": "pairs are compared as a set",
    "geom_aabb": "computed from the vertices of meshes, which are in single precision",
    "geom_rbound": "likewise",
    "signature": "a hash of the model",
    **dict.fromkeys(
        ("nmesh", "nmeshvert", "nmeshface", "nmeshnormal", "nmeshtexcoord", "nmeshgraph", "nmeshpoly", "nmeshpolyvert"),
        "meshes that no geom has are not kept",
    ),
    **dict.fromkeys(("nmeshpolymap", "nbvh", "nbvhstatic"), "likewise"),
    "dof_length": "computed from the vertices of meshes, which are in single precision",
    "mesh_scale": "MuJoCo only keeps it for files",
    "mesh_pathadr": "paths of files",
    "hfield_pathadr": "paths of files",
    "tex_pathadr": "paths of files",
    "tex_contenttypeadr": "the type of written images follows from their suffix",
    "skin_pathadr": "paths of files",
}
"""Fields without a counterpart, with the reason; fields that begin with ``bvh``, ``name`` or ``mesh_`` follow from others."""
_DERIVED = (
    "bvh",
    "flex_bvh",
    "oct",
    "name",
    "text",
    "paths",
    "nbuffer",
    "nnames",
    "npaths",
    "mesh_",
    "B_",
    "D_",
    "M_",
    "mapM",
    "mapD",
    "mat_",
)


def differences(first: Any, second: Any) -> list[str]:
    """Return how two models differ, except in :data:`NOT_COMPARED`."""
    found = []
    for name in sorted(set(dir(first)) & set(dir(second))):
        if name.startswith(("_", *_DERIVED)) or name in NOT_COMPARED or callable(getattr(first, name)):
            continue
        found += _field_differences(name, getattr(first, name), getattr(second, name), first, second)
    found += [f"opt.{name}" for name in dir(first.opt) if not _is_equal_option(name, first.opt, second.opt)]
    shown = visual_options(second)
    found += [f"vis.{name}" for name, value in visual_options(first).items() if value != shown[name]]
    if not np.allclose(_tensors(first), _tensors(second), rtol=0.0, atol=TOLERANCE * max(1.0, float(_tensors(first).max()))):
        found.append("body inertia")
    excludes = [sorted(model.exclude_signature.tolist()) for model in (first, second)]
    if excludes[0] != excludes[1]:
        found.append("exclude_signature")
    return [*found, *_mesh_differences(first, second), *_material_differences(first, second)]


STATISTICS = ("meaninertia", "meanmass", "meansize", "extent", "center")
"""Fields of ``stat``; those of sizes follow from the bounding boxes of meshes, whose frames MuJoCo chooses."""


def visual_options(model: Any) -> dict[str, Any]:
    """Return the options of the visualization, by the name of their group and their own."""
    groups = {name: getattr(model.vis, name) for name in dir(model.vis) if name[0].islower()}
    return {
        f"{group}.{name}": np.asarray(getattr(options, name)).tolist()
        for group, options in groups.items()
        for name in dir(options)
        if not name.startswith("_") and not callable(getattr(options, name))
    }


def _field_differences(name: str, one: Any, other: Any, first: Any, second: Any) -> list[str]:
    if isinstance(one, int | float) and not isinstance(one, bool):
        return [] if one == other else [f"{name}: {one} and {other}"]
    if not isinstance(one, np.ndarray):
        return []
    if name == "tendon_matid":
        one, other = (np.where(_is_spatial(model), model.tendon_matid, -1) for model in (first, second))
    if name in _REFERENCES:
        kind = _REFERENCES[name]
        one, other = _names(first, kind, one), _names(second, kind, other)
        return [] if one == other else [f"{name}: {one} and {other}"]
    if one.shape != other.shape:
        return [f"{name}: shapes {one.shape} and {other.shape}"]
    if name in _OF_CONTACTS:
        one, other = _of_colliding_geoms(first, name), _of_colliding_geoms(second, name)
    if name in ("tendon_rgba", "tendon_width"):
        one, other = _of_spatial_tendons(first, name), _of_spatial_tendons(second, name)
    if name in ("geom_rgba", "site_rgba"):
        one, other = _displayed_colors(first, name), _displayed_colors(second, name)
    if name in ("site_size", "geom_size"):
        one, other = (_used_sizes(model, name) for model in (first, second))
    if name in _WITH_LIMITS:
        one, other = _with_limits(first, name), _with_limits(second, name)
    if name == "sensor_objid":
        one, other = _measured_elements(first), _measured_elements(second)
        return [] if one == other else [f"{name}: {one} and {other}"]
    if name == "key_qpos":
        one, other = _with_positive_quaternions(first), _with_positive_quaternions(second)
    if name == "eq_data":
        one, other = _without_origin_of_poses(first), _without_origin_of_poses(second)
    if name == "actuator_ctrlrange":
        one, other = (model.actuator_ctrlrange * (model.actuator_ctrllimited[:, None] != 0) for model in (first, second))
    if name in ("geom_pos", "geom_quat", "geom_size") and first.ngeom == second.ngeom:
        is_mesh = first.geom_type == mujoco.mjtGeom.mjGEOM_MESH  # their vertices are compared in the frame of the body
        one, other = one[~is_mesh], other[~is_mesh]
    if one.dtype.kind != "f":
        return [] if np.array_equal(one, other) else [f"{name}: {int((one != other).sum())} values"]
    size = max(1.0, float(np.abs(one[np.isfinite(one)]).max(initial=0.0)))
    tolerance = 1e-6 if one.dtype != np.float64 else _INVERSE if name.endswith("invweight0") else TOLERANCE
    error = float(np.abs(one - other).max(initial=0.0)) / size
    return [] if error <= tolerance else [f"{name}: error {error:.2g}"]


_INVERSE = 1e-9
"""The tolerance of numbers that follow from the inverse of the mass matrix."""
_OF_CONTACTS = ("geom_friction", "geom_margin", "geom_gap", "geom_solref", "geom_solimp", "geom_solmix")
"""Numbers that have a meaning only for geoms that collide."""


def _of_colliding_geoms(model: Any, name: str) -> Any:
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    numbers = getattr(model, name)
    return numbers * collides.reshape(-1, *[1] * (numbers.ndim - 1))


def _measured_elements(model: Any) -> list[int | str]:
    """Return the elements that sensors measure, meshes by their names."""
    is_mesh = model.sensor_objtype == mujoco.mjtObj.mjOBJ_MESH
    pairs = zip(model.sensor_objid.tolist(), is_mesh.tolist(), strict=True)
    return [_name(model, "mesh", number) if mesh else number for number, mesh in pairs]


def _of_spatial_tendons(model: Any, name: str) -> Any:
    numbers = getattr(model, name).copy()
    numbers[~_is_spatial(model)] = 0.0
    return numbers


def _is_spatial(model: Any) -> Any:
    """Return which tendons are spatial: the others are not displayed."""
    return model.wrap_type[model.tendon_adr] != mujoco.mjtWrap.mjWRAP_JOINT


def _displayed_colors(model: Any, name: str) -> Any:
    """Return the colours of geoms or sites: that of the material applies to those with the default colour."""
    colors, materials = getattr(model, name).copy(), getattr(model, name.replace("rgba", "matid"))
    from_material = (materials >= 0) & np.all(colors == np.float32((0.5, 0.5, 0.5, 1.0)), axis=1)
    colors[from_material] = model.mat_rgba[materials[from_material]]
    return colors


_WITH_LIMITS = {
    "jnt_range": "jnt_limited",
    "jnt_actfrcrange": "jnt_actfrclimited",
    "tendon_range": "tendon_limited",
    "tendon_actfrcrange": "tendon_actfrclimited",
    "actuator_forcerange": "actuator_forcelimited",
    "actuator_actrange": "actuator_actlimited",
}
"""Ranges that have a meaning only if they are enabled."""


def _with_limits(model: Any, name: str) -> Any:
    return getattr(model, name) * (getattr(model, _WITH_LIMITS[name])[:, None] != 0)


def _with_positive_quaternions(model: Any) -> Any:
    """Return the positions of keyframes with quaternions whose largest part is positive: both signs are one rotation."""
    positions = model.key_qpos.copy()
    offsets = {int(mujoco.mjtJoint.mjJNT_FREE): 3, int(mujoco.mjtJoint.mjJNT_BALL): 0}
    for kind, address in zip(model.jnt_type.tolist(), model.jnt_qposadr.tolist(), strict=True):
        if kind in offsets:
            first = address + offsets[kind]
            for quaternion in positions[:, first : first + 4]:
                quaternion *= np.sign(quaternion[np.abs(quaternion).argmax()])
    return positions


def _without_origin_of_poses(model: Any) -> Any:
    """Return the numbers of equalities without whether the relative pose of a weld is that at the start."""
    numbers = model.eq_data.copy()
    numbers[model.eq_type == mujoco.mjtEq.mjEQ_WELD, 11:] = 0.0
    return numbers


def _used_sizes(model: Any, name: str) -> Any:
    """Return the sizes of sites or geoms without the numbers that a sphere, capsule or cylinder does not have."""
    sizes, kinds = getattr(model, name).copy(), getattr(model, name.replace("size", "type"))
    sizes[kinds == mujoco.mjtGeom.mjGEOM_SPHERE, 1:] = 0.0
    sizes[(kinds == mujoco.mjtGeom.mjGEOM_CAPSULE) | (kinds == mujoco.mjtGeom.mjGEOM_CYLINDER), 2:] = 0.0
    return sizes


def _names(model: Any, kind: str, numbers: Any) -> list[str]:
    return [_name(model, kind, int(number)) for number in numbers.ravel()]


def _name(model: Any, kind: str, number: int) -> str:
    return "" if number < 0 else mujoco.mj_id2name(model, _OBJECTS[kind], number) or ""


def _is_equal_option(name: str, first: Any, second: Any) -> bool:
    if name.startswith("_") or callable(getattr(first, name)):
        return True
    one, other = (_effective_option(name, option) for option in (first, second))
    return np.allclose(one, other, atol=1e-12)


def _effective_option(name: str, option: Any) -> Any:
    """Return an option; gravity that is disabled is zero."""
    value, without_gravity = np.asarray(getattr(option, name)), int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    if name == "disableflags":
        return value & ~without_gravity
    return 0.0 * value if name == "gravity" and option.disableflags & without_gravity else value


def _tensors(model: Any) -> Any:
    rotations = np.zeros((model.nbody, 9))
    for rotation, quaternion in zip(rotations, model.body_iquat, strict=True):
        mujoco.mju_quat2Mat(rotation, quaternion)
    axes = rotations.reshape(-1, 3, 3)
    return np.einsum("nij,nj,nkj->nik", axes, model.body_inertia, axes)


def _mesh_differences(first: Any, second: Any) -> list[str]:
    """Return the geoms whose meshes have other vertices in the frame of their body."""
    found = []
    for geom in range(min(first.ngeom, second.ngeom)):
        vertices = []
        for model in (first, second):
            mesh = int(model.geom_dataid[geom])
            if mesh < 0 or model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_MESH:
                vertices.append(np.zeros((0, 3)))
                continue
            start, rotation = int(model.mesh_vertadr[mesh]), np.zeros(9)
            mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
            own = model.mesh_vert[start : start + int(model.mesh_vertnum[mesh])]
            vertices.append(own @ rotation.reshape(3, 3).T + model.geom_pos[geom])
        if vertices[0].shape != vertices[1].shape or not np.allclose(*vertices, rtol=0.0, atol=1e-6):
            found.append(f"mesh of geom {geom}")
    return found


def _material_differences(first: Any, second: Any) -> list[str]:
    found = []
    names = [{_name(model, "mat", number): number for number in range(model.nmat)} for model in (first, second)]
    if names[0].keys() != names[1].keys():
        return ["names of materials"]
    for field in (
        "rgba",
        "emission",
        "specular",
        "shininess",
        "reflectance",
        "metallic",
        "roughness",
        "texrepeat",
        "texuniform",
    ):
        for name, number in names[0].items():
            one, other = getattr(first, f"mat_{field}")[number], getattr(second, f"mat_{field}")[names[1][name]]
            if not np.array_equal(one, other):
                found.append(f"mat_{field} of {name}")
    return found
