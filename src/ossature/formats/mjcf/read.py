"""Reader of MJCF files.

Positions, unknown content and references to files are found by our own syntax layer; MuJoCo's parser and compiler interpret
defaults, frames, replication, attachment, compiler settings and inertias.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ossature.diagnostics import Report, Source, within_limits
from ossature.diagnostics.counted_nouns import counted
from ossature.formats.format import Loaded, ReadContext
from ossature.formats.mjcf import rules
from ossature.formats.mjcf.check_compiled_file import check_compiled_file
from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile, compile_document
from ossature.formats.mjcf.plain_numbers import user_numbers
from ossature.formats.mjcf.read_cameras_lights_textures import read_appearances, read_cameras, read_lights, read_textures
from ossature.formats.mjcf.read_geoms import GeomReader
from ossature.formats.mjcf.read_joints import BodyJoint, joint_addresses, joint_names, joint_of_body, make_joint
from ossature.formats.mjcf.read_keyframes import read_keyframes
from ossature.formats.mjcf.read_mujoco_only_elements import read_mujoco_only_elements
from ossature.formats.mjcf.read_option_and_sections import read_gravity, read_option, read_sections
from ossature.formats.mjcf.read_sensors import bodies_with_measured_axes, quantity_of, read_sensors
from ossature.formats.mjcf.read_tendons_actuators_equalities_pairs import (
    References,
    actuator_name,
    read_actuators,
    read_contact_pairs,
    read_equalities,
    read_ignored_pairs,
    read_tendons,
)
from ossature.formats.mjcf.self_contained_document import resolve
from ossature.model import Body, Fixed, Inertial, Joint, Model, MujocoBody, NamedList, World
from ossature.spatial import IDENTITY, Matrix3, Pose, pose_from, quaternion_from, rotated_tensor, vector_from

WORLD = "world"
_NO_MOMENT = ((0.0, 0.0, 0.0),) * 3
_ROUNDING = 1e-14
_SAME_FRAME = 1e-6
"""Distance below which MuJoCo takes a centre of mass for the origin of the body [m]."""
_SLEEP = {
    mujoco.mjtSleepPolicy.mjSLEEP_NEVER: "never",
    mujoco.mjtSleepPolicy.mjSLEEP_ALLOWED: "allowed",
    mujoco.mjtSleepPolicy.mjSLEEP_INIT: "init",
}


def read(context: ReadContext) -> Loaded:
    """Return the World of an MJCF file, which has one model."""
    return Loaded(world=_read(context.source, context.report, context))


@within_limits
def _read(source: Source, report: Report, context: ReadContext) -> World | None:
    document = resolve(source, replace(context.resolver, folder=context.folder), report)
    compiled = None if document is None else compile_document(document, report)
    return None if compiled is None else _WorldReader(compiled, report).read()


class _WorldReader:
    def __init__(self, file: CompiledFile, report: Report) -> None:
        self._file = file
        self._model = file.model
        self._report = report
        self._name_elements()
        self._joint_names = joint_names(file)
        self._references = References(file, joint_addresses(file, self._joint_names))
        self._geoms = GeomReader(file)
        self._parents = frozenset(file.model.body_parentid[1:].tolist())
        self._measured = bodies_with_measured_axes(file)

    def _name_elements(self) -> None:
        file, model = self._file, self._model
        counts = {
            "bodies": ("body", model.nbody),
            "sites": ("site", model.nsite),
            "tendons": ("tendon", model.ntendon),
            "equalities": ("equality", model.neq),
            "pairs": ("pair", model.npair),
            "keys": ("key", model.nkey),
            "cameras": ("camera", model.ncam),
            "lights": ("light", model.nlight),
            "materials": ("material", model.nmat),
            "textures": ("texture", model.ntex),
        }
        for kind, (word, count) in counts.items():
            file.name_elements(kind, [f"{word}_{index}" for index in range(count)])
        file.name_elements("actuators", [actuator_name(file, index) for index in range(model.nactuator)])
        file.name_elements("sensors", [f"{quantity_of(file, index)}_{index}" for index in range(model.nsensor)])

    def read(self) -> World:
        file, model = self._file, self._model
        joints = {body: joint_of_body(file, body) for body in range(1, model.nbody)}
        poses = self._poses(joints)
        bodies = [self._body(index, poses[index]) for index in range(model.nbody)]
        self._report_unrepresented()
        check_compiled_file(file, self._report)
        ignored = read_ignored_pairs(self._references)
        if not self._has_world_body(bodies[0], ignored):
            del bodies[0]
        name = file.spec.modelname or "model"
        whole = Model(
            name=name,
            bodies=NamedList(bodies),
            joints=NamedList([*self._world_joint(bodies), *self._joints(joints)]),
            ignored_pairs=ignored,
            tendons=NamedList(read_tendons(self._references)),
            equalities=NamedList(read_equalities(self._references)),
            contact_pairs=NamedList(read_contact_pairs(self._references)),
            actuators=NamedList(read_actuators(self._references)),
            sensors=NamedList(read_sensors(self._references)),
            keyframes=NamedList(read_keyframes(self._references, joints, poses)),
            cameras=NamedList(read_cameras(self._references)),
            lights=NamedList(read_lights(self._references)),
            appearances=NamedList(read_appearances(file)),
            textures=NamedList(read_textures(file)),
            origin=file.document.root.location,
        )
        return World(
            name=name,
            gravity=read_gravity(model),
            time_step=float(model.opt.timestep),
            models=NamedList([whole]),
            hints=(read_option(model),),
            extensions=(*read_sections(file.document.root), *read_mujoco_only_elements(file)),
            origin=file.document.root.location,
        )

    def _poses(self, joints: dict[int, BodyJoint]) -> list[Pose]:
        """Return the poses of all bodies in the world with all coordinates at zero."""
        poses = [IDENTITY]
        for body in range(1, self._model.nbody):
            local = pose_from(self._model.body_pos[body], self._model.body_quat[body])
            rest = joints[body].rest
            parent = poses[int(self._model.body_parentid[body])]
            poses.append(parent @ (local if rest == IDENTITY else local @ rest))
        return poses

    def _body(self, index: int, pose: Pose) -> Body:
        model = self._model
        visuals, collisions = self._geoms.shapes(index)
        return Body(
            name=self._file.name("bodies", index),
            pose=pose,
            inertial=self._inertial(index),
            visuals=visuals,
            collisions=collisions,
            frames=self._geoms.frames(index),
            self_collide=True,
            gravity_compensation=float(model.body_gravcomp[index]),
            mocap=int(model.body_mocapid[index]) >= 0,
            hints=(self._hint(index),),
            origin=self._file.location("bodies", index),
        )

    def _inertial(self, index: int) -> Inertial:
        model = self._model
        mass, has_moment = float(model.body_mass[index]), bool(model.body_inertia[index].any())
        # Contacts of a body without mass depend on its centre, too.
        center = vector_from(model.body_ipos[index])
        return Inertial(mass=mass, center_of_mass=center, moment=self._moment(index) if has_moment else _NO_MOMENT)

    def _moment(self, index: int) -> Matrix3:
        a, b, c = self._model.body_inertia[index].tolist()
        return rotated_tensor(((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)), quaternion_from(self._model.body_iquat[index]))

    def _hint(self, index: int) -> MujocoBody:
        element = self._file.element("bodies", index)
        sleep = None if element is None else _SLEEP.get(element.sleep)
        axes = quaternion_from(self._model.body_iquat[index]) if index in self._measured else None
        return MujocoBody(
            sleep=sleep,
            simple=None if self._is_simple(index) else "false",
            user=user_numbers(element, self._model.body_user[index]),
            principal_axes=axes,
        )

    def _is_simple(self, index: int) -> bool:
        """Whether a body is stored as a simple one, or cannot be because of more than the principal axes of its inertia."""
        model, element = self._model, self._file.element("bodies", index)
        if element is not None and not element.simple:
            return False
        is_leaf_of_world = index not in self._parents and not model.body_weldid[model.body_parentid[index]]
        is_centered = np.abs(model.body_ipos[index]).max() < _SAME_FRAME
        has_own_axes = bool(model.body_iquat[index, 1:].any()) and is_centered
        is_otherwise_simple = is_leaf_of_world and has_own_axes and self._has_diagonal_tensor(index)
        return bool(model.body_simple[index]) or not model.body_mass[index] or not is_otherwise_simple

    def _has_diagonal_tensor(self, index: int) -> bool:
        """Whether the tensor of inertia of a body is diagonal in its frame, but for rounding errors."""
        moment = np.array(self._moment(index))
        return bool(np.abs(moment - np.diag(np.diag(moment))).max() <= _ROUNDING * np.abs(moment).max())

    def _has_world_body(self, world: Body, ignored: tuple[tuple[str, str], ...]) -> bool:
        """Whether the world has content, and is therefore a body that is fixed to the world."""
        has_content = bool(world.visuals or world.collisions or world.frames)
        return has_content or any(WORLD in pair for pair in ignored)

    def _world_joint(self, bodies: list[Body]) -> list[Joint]:
        if not bodies or bodies[0].name != WORLD:
            return []
        names = set(self._joint_names.values())
        name = "world_joint" if "world_joint" not in names else "world_joint_1"
        return [Joint(name=name, type=Fixed(), parent=None, child=WORLD, origin=bodies[0].origin)]

    def _joints(self, joints: dict[int, BodyJoint]) -> list[Joint]:
        return [
            make_joint(
                self._file, body, joint, self._joint_names[body], self._references.body(int(self._model.body_parentid[body]))
            )
            for body, joint in joints.items()
        ]

    def _report_unrepresented(self) -> None:
        model = self._model
        count = len({*model.body_plugin.tolist(), *model.geom_plugin.tolist()} - {-1})
        if count:
            root = self._file.document.root
            message = f"the model does not represent {counted(count, 'plugin of bodies and shapes')}"
            self._report.add(rules.UNREPRESENTED, message, root.location)
        can_collide = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        fields = np.flatnonzero((model.geom_type == mujoco.mjtGeom.mjGEOM_SDF) & can_collide).tolist()
        if fields:
            shapes = counted(len(fields), "shape of the type 'sdf'")
            message = f"{shapes} will collide as the convex hull of a mesh, not as a signed distance field"
            hint = "divide a shape that is not convex into convex parts"
            self._report.add(rules.UNREPRESENTED, message, self._file.location("geoms", fields[0]), hint=hint)
