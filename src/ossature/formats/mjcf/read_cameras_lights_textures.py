"""Cameras, lights, appearances and textures of MJCF."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.formats.mjcf.plain_numbers import numbers, specified_number, user_numbers
from ossature.formats.mjcf.read_tendons_actuators_equalities_pairs import References
from ossature.model import Appearance, Camera, Light, Texture, TextureLayer
from ossature.spatial import Vector3, pose_from

_CUBE_FACES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
_ROLES = ("rgb", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive", "rgba", "orm")
_OUTPUTS = ("rgb", "depth", "distance", "normal", "segmentation")
_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
_IPD = 0.068


def read_cameras(references: References) -> list[Camera]:
    """Return the cameras."""
    return [_camera(references, index) for index in range(references.file.model.ncam)]


def _camera(references: References, index: int) -> Camera:
    file, model = references.file, references.file.model
    target = int(model.cam_targetbodyid[index])
    width, height = (int(number) for number in model.cam_resolution[index])
    sensor, intrinsic = numbers(model.cam_sensorsize[index]), numbers(model.cam_intrinsic[index])
    has_sensor = any(sensor)
    is_orthographic = bool(int(model.cam_projection[index]))
    view = float(model.cam_fovy[index])
    bits = int(model.cam_output[index])
    return Camera(
        name=file.name("cameras", index),
        body=references.body(int(model.cam_bodyid[index])),
        pose=pose_from(model.cam_pos[index], model.cam_quat[index]),
        mode=_MODES[int(model.cam_mode[index])],  # type: ignore[arg-type]  # one of the words
        target=None if target < 0 else references.body(target),
        projection="orthographic" if is_orthographic else "perspective",
        field_of_view=view if is_orthographic else math.radians(view),
        resolution=None if (width, height) == (1, 1) else (width, height),
        sensor_size=(sensor[0], sensor[1]) if has_sensor else None,
        focal_length=(intrinsic[0], intrinsic[1]) if has_sensor else None,
        principal_point=(intrinsic[2], intrinsic[3]) if has_sensor and any(intrinsic[2:]) else None,
        output=tuple([name for bit, name in enumerate(_OUTPUTS) if bits >> bit & 1]) if bits != 1 else (),
        interpupillary_distance=specified_number(model.cam_ipd[index], _IPD),
        user=user_numbers(file.element("cameras", index), model.cam_user[index]) or (),
        origin=file.location("cameras", index),
    )


def read_lights(references: References) -> list[Light]:
    """Return the lights."""
    return [_light(references, index) for index in range(references.file.model.nlight)]


def _light(references: References, index: int) -> Light:
    file, model = references.file, references.file.model
    target, texture = int(model.light_targetbodyid[index]), int(model.light_texid[index])
    return Light(
        name=file.name("lights", index),
        body=references.body(int(model.light_bodyid[index])),
        position=_vector(model.light_pos[index]),
        direction=_vector(model.light_dir[index]),
        type=mujoco.mjtLightType(int(model.light_type[index])).name.rpartition("_")[2].lower(),
        mode=_MODES[int(model.light_mode[index])],  # type: ignore[arg-type]  # one of the words
        target=None if target < 0 else references.body(target),
        active=bool(model.light_active[index]),
        casts_shadows=bool(model.light_castshadow[index]),
        ambient=_vector(model.light_ambient[index]),
        diffuse=_vector(model.light_diffuse[index]),
        specular=_vector(model.light_specular[index]),
        attenuation=_vector(model.light_attenuation[index]),
        range=_number(model.light_range[index]),
        cutoff=math.radians(_number(model.light_cutoff[index])),
        exponent=_number(model.light_exponent[index]),
        softness=_number(model.light_softness[index]),
        bulb_radius=_number(model.light_bulbradius[index]),
        intensity=_number(model.light_intensity[index]),
        texture=None if texture < 0 else file.name("textures", texture),
        origin=file.location("lights", index),
    )


def _vector(array: Any) -> Any:
    return numbers(array)


def _number(value: Any) -> float:
    return numbers(np.atleast_1d(value))[0]


def read_appearances(file: CompiledFile) -> list[Appearance]:
    """Return the appearances."""
    return [_appearance(file, index) for index in range(file.model.nmat)]


def _appearance(file: CompiledFile, index: int) -> Appearance:
    model = file.model
    r, g, b, a = numbers(model.mat_rgba[index])
    across, along = numbers(model.mat_texrepeat[index])
    layers = [
        TextureLayer(texture=file.name("textures", texture), role=_ROLES[role - 1])  # type: ignore[arg-type]  # one of the words
        for role, texture in enumerate(model.mat_texid[index].tolist())
        if texture >= 0 and role > 0
    ]
    return Appearance(
        name=file.name("materials", index),
        color=(r, g, b, a),
        textures=tuple(layers),
        texture_repeat=(across, along),
        texture_uniform=bool(model.mat_texuniform[index]),
        emission=_number(model.mat_emission[index]),
        specular=_number(model.mat_specular[index]),
        shininess=_number(model.mat_shininess[index]),
        reflectance=_number(model.mat_reflectance[index]),
        metallic=specified_number(_number(model.mat_metallic[index]), -1.0),
        roughness=specified_number(_number(model.mat_roughness[index]), -1.0),
        origin=file.location("materials", index),
    )


def read_textures(file: CompiledFile) -> list[Texture]:
    """Return the textures, as the file states them."""
    return [_texture(file, index) for index in range(file.model.ntex)]


def _texture(file: CompiledFile, index: int) -> Texture:
    node = file.node("textures", index)
    specified_node = None if node is None else file.document.textures.get(node)
    given = {} if specified_node is None else specified_node.attributes
    faces = tuple([given.get(name, "") for name in _CUBE_FACES])
    rows, columns = _integers(given.get("gridsize"), (1, 1))
    return Texture(
        name=file.name("textures", index),
        type=_word(given.get("type"), ("cube", "2d", "skybox")),
        color_space=_word(given.get("colorspace"), ("auto", "linear", "sRGB")),
        file=given.get("file"),
        cube_files=faces if any(faces) else (),
        grid_size=(rows, columns),
        grid_layout=given.get("gridlayout"),
        builtin=_word(given.get("builtin"), ("none", "gradient", "checker", "flat")),
        color1=_triple(given.get("rgb1"), (0.8, 0.8, 0.8)),
        color2=_triple(given.get("rgb2"), (0.5, 0.5, 0.5)),
        mark=_word(given.get("mark"), ("none", "edge", "cross", "random")),
        mark_color=_triple(given.get("markrgb"), (0.0, 0.0, 0.0)),
        random=(_finite(given.get("random")) or (0.01,))[0],
        width=_integers(given.get("width"), (0,))[0],
        height=_integers(given.get("height"), (0,))[0],
        flip_horizontally=given.get("hflip") == "true",
        flip_vertically=given.get("vflip") == "true",
        channels=_integers(given.get("nchannel"), (3,))[0],
        origin=file.location("textures", index),
    )


def _word(text: str | None, choices: tuple[str, ...]) -> Any:
    """Return a word of an attribute, or the first choice if it is none of them, which a finding reports."""
    return text if text in choices else choices[0]


def _integers(text: str | None, default: tuple[int, ...]) -> tuple[int, ...]:
    """Return whole numbers of an attribute; the default if there are none, or some that a texture cannot have."""
    found = _finite(text)
    return tuple([int(number) for number in found]) if len(found) == len(default) else default


def _triple(text: str | None, default: Vector3) -> Any:
    found = _finite(text)
    return found if len(found) == 3 else default


def _finite(text: str | None) -> tuple[float, ...]:
    try:
        found = [float(part) for part in (text or "").split()]
    except ValueError:  # a finding reports it
        return ()
    return tuple(found) if all(map(math.isfinite, found)) else ()
