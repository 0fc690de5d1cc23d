"""The engine's functions and the addresses in its data that the compiled loop uses, found and verified at run time.

No header of the engine is used. Addresses in its data are found by the values that its Python package returns for different
models, so that they are right for each version of the engine or not found at all. Then a small model is stepped with the
compiled loop and with the engine's Python functions: positions and velocities must have the same bits. If anything differs,
the loop runs in Python, and :func:`describe_loop` returns the reason.
"""

from __future__ import annotations

import ctypes
import importlib
import math
import os
import zlib
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import mujoco
import numpy as np

from ossature.formats.mjcf.engine_library import EngineLibraryError, address_of_structure, engine_library
from ossature.simulation.stepping.compiled_stepping_structs import DONE, SIZES, Engine, Program, address_of, set_addresses

_SOURCE = Path(__file__).parent / "_loop.c"
_OF_SPARSE_JACOBIANS = ("efc_J_rownnz", "efc_J_rowadr", "efc_J_colind")
_POINTERS = ("efc_pos", "efc_vel", "efc_aref", "efc_margin", "efc_force", "efc_J", "efc_D", *_OF_SPARSE_JACOBIANS)
_COUNTS = ("ncon", "ne", "nf", "nl", "nefc")
_FUNCTIONS = {
    "step": "mj_step",
    "step1": "mj_step1",
    "step2": "mj_step2",
    "check_pos": "mj_checkPos",
    "check_vel": "mj_checkVel",
    "position": "mj_fwdPosition",
    "velocity": "mj_fwdVelocity",
    "reference_constraint": "mj_referenceConstraint",
    "kinematics": "mj_kinematics",
    "com_pos": "mj_comPos",
    "com_vel": "mj_comVel",
    "collision": "mj_collision",
    "actuation": "mj_fwdActuation",
    "acceleration": "mj_fwdAcceleration",
    "check_acc": "mj_checkAcc",
    "euler": "mj_Euler",
    "mul_jac_vec": "mj_mulJacVec",
    "jac_body": "mj_jacBody",
    "forward_skip": "mj_forwardSkip",
    "set_log_handler": "_mjPRIVATE_setTlsLogHandler",
}
_OF_CONTACTS = ("frame", "friction", "geom", "efc_address")
_PAGE = 4096
_FARTHEST = 1 << 20
"""Bytes of the engine's data in which fields are searched for."""
_LARGEST_OPTIONS = 2048
"""Bytes of the engine's model in which the options are."""

_MODEL = """<mujoco><compiler angle="radian"/><option timestep="0.002" jacobian="sparse"/>
<worldbody><geom type="plane" size="5 5 .1"/>{bodies}
<body pos="9 0 2"><joint name="hinge1" axis="0 1 0" limited="true" range="-1 0"/><geom size=".1" pos=".3 0 .1"/></body>
<body pos="9 5 2"><joint name="hinge2" axis="0 1 0" limited="true" range="-1 0"/><geom size=".1" pos=".3 0 .1"/></body>
</worldbody><tendon><fixed><joint joint="hinge1" coef="1"/></fixed></tendon><equality>{equalities}</equality></mujoco>"""
_BOX = '<body pos="{x} 0 .05"><freejoint/><geom type="box" size=".06 .06 .06" friction="0.{x}7"/></body>'
_SLIDE = (
    '<body pos="{x} 9 2"><joint name="slide{x}" type="slide" axis="0 0 1" frictionloss=".1"/>'
    '<geom size=".1" pos=".3 0 .1"/></body>'
)
_EQUALITY = '<joint joint1="slide{x}" polycoef="0.01 0 0 0 0"/>'


class _LoopUnavailableError(Exception):
    """The compiled loop cannot be used; the message states why."""


class EngineAccess(NamedTuple):
    """The compiled loop, with the engine's functions and the offsets of fields in its data.

    Attributes:
        functions: Addresses of functions, and of a callback, by the names of the structure's fields.
        offsets: Offsets of fields in the engine's data [bytes].
        contact_fields: The size of the engine's contacts, and offsets of fields in them [bytes].
        disable_flags: The offset of the disabled features in the engine's model [bytes].
    """

    loop: ModuleType
    functions: dict[str, int]
    offsets: dict[str, int]
    contact_fields: dict[str, int]
    disable_flags: int

    def bind(self, model: mujoco.MjModel, data: mujoco.MjData) -> Engine:
        """Return the structure of a model and its data, which the caller keeps alive."""
        base, of_model = address_of_structure(data), address_of_structure(model)
        fields = {name: base + offset for name, offset in self.offsets.items()}
        fields["disable_flags"] = of_model + self.disable_flags
        return Engine(model=of_model, data=base, **self.functions, **self.contact_fields, **fields)


@lru_cache(maxsize=1)
def engine_access() -> EngineAccess | str:
    """Return the compiled loop with access to the engine, or why the loop runs in Python."""
    if os.environ.get("OSSATURE_LOOP") == "python":
        return "OSSATURE_LOOP=python"
    try:
        library = engine_library()
        access = EngineAccess(_compiled_module(), _functions(library), _offsets(), _contact_fields(), _disable_flags())
        _verify(access)
        # Without a clock the engine does not profile its steps, which would take a quarter of their time.
        access.loop.install_clock(_address_of_callback(library, "mjcb_time"))
    except (_LoopUnavailableError, EngineLibraryError) as error:
        return str(error)
    return access


def describe_loop() -> str:
    """Return which loop steps simulations, for people."""
    access = engine_access()
    return f"in Python ({access})" if isinstance(access, str) else f"compiled, verified with MuJoCo {mujoco.__version__}"


def _compiled_module() -> ModuleType:
    try:
        loop = importlib.import_module("ossature.simulation.stepping._loop")
    except ImportError as error:
        raise _LoopUnavailableError("the compiled loop is not installed") from error
    is_same = all(getattr(loop, name, None) == ctypes.sizeof(kind) for name, kind in SIZES.items())
    # An unsigned number may be a negative one where long integers have 32 bits.
    if not is_same or zlib.crc32(_SOURCE.read_bytes()) != loop.SOURCE_CHECKSUM % 2**32:
        raise _LoopUnavailableError("the compiled loop is of another version: install the package again")
    return loop


def _functions(library: ctypes.CDLL) -> dict[str, int]:
    try:
        found = {field: ctypes.cast(getattr(library, name), ctypes.c_void_p).value for field, name in _FUNCTIONS.items()}
    except AttributeError as error:
        raise _LoopUnavailableError(f"the engine's library has not the functions that the loop calls: {error}") from error
    addresses = {field: address for field, address in found.items() if address is not None}
    return addresses | {"control_callback": _address_of_callback(library, "mjcb_control")}


def _address_of_callback(library: ctypes.CDLL, name: str) -> int:
    """Return the address of the engine's variable that contains a callback."""
    try:
        return ctypes.addressof(ctypes.c_void_p.in_dll(library, name))
    except ValueError as error:
        raise _LoopUnavailableError(f"the engine's library has no {name}: {error}") from error


def _examples() -> list[tuple[mujoco.MjModel, mujoco.MjData]]:
    """Return models in which the counts of contacts, limits and constraints differ from each other and between them."""
    examples = []
    for boxes, hinges, slides, equalities, time in (
        (2, (-0.5, 0.01), 3, 2, 0.375),
        (4, (-0.5, -0.6), 4, 3, 1.625),
        (7, (0.01, 0.02), 6, 1, 2.875),
    ):
        bodies = "".join([_BOX.format(x=x) for x in range(boxes)] + [_SLIDE.format(x=x) for x in range(slides)])
        text = _MODEL.format(bodies=bodies, equalities="".join(_EQUALITY.format(x=x) for x in range(equalities)))
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        # The largest counts so far are other fields.
        data.qpos[2] = 1.0
        data.qpos[-2:] = hinges
        data.time = time
        mujoco.mj_forward(model, data)
        examples.append((model, data))
    return examples


def _offsets() -> dict[str, int]:
    """Return the offsets of fields in the engine's data."""
    candidates: dict[str, set[int]] = {}
    for _, data in _examples():
        for name, offsets in _possible_offsets(data).items():
            candidates[name] = candidates.get(name, offsets) & offsets
    unclear = [name for name, offsets in candidates.items() if len(offsets) != 1]
    if unclear:
        raise _LoopUnavailableError(f"the place of {', '.join(unclear)} in the engine's data is not known")
    return {name: offsets.pop() for name, offsets in candidates.items()}


def _possible_offsets(data: Any) -> dict[str, set[int]]:
    """Return the offsets at which the engine's data have the value of each field."""
    base = address_of_structure(data)
    if _words(base, base + 16).tolist() != [data.narena, data.nbuffer]:
        raise _LoopUnavailableError("the engine's data begin with other fields")
    addresses = {name: address_of(getattr(data, name)) for name in ("qpos", *_POINTERS)}
    addresses["contact"] = data.contact.dist.ctypes.data
    end = max(_first_offset(base, address) for address in addresses.values()) + 8
    words = _words(base, base + end)
    found = {name: set((8 * np.flatnonzero(words == address)).tolist()) for name, address in addresses.items()}
    first_array = max(found.pop("qpos"))
    # Contacts begin where the engine's memory does, whose address is before those of all arrays.
    found["contact"] = {offset for offset in found["contact"] if offset > first_array}
    counts = words[: first_array // 8].view(np.int32)
    found |= {name: set((4 * np.flatnonzero(counts == getattr(data, name))).tolist()) for name in _COUNTS}
    found["time"] = set((8 * np.flatnonzero(words[: first_array // 8].view(np.float64) == data.time)).tolist())
    return found


def _contact_fields() -> dict[str, int]:
    """Return the size of the engine's contacts, and the offsets of fields in them."""
    contact: Any = _examples()[0][1].contact
    first = contact.dist.ctypes.data
    offsets = {f"{name}_offset": getattr(contact, name).ctypes.data - first for name in _OF_CONTACTS}
    return {"contact_stride": contact.dist.strides[0], **offsets}


def _disable_flags() -> int:
    """Return the offset of the disabled features in the engine's model."""
    model = _examples()[0][0]
    start = address_of_structure(model)
    before = _words(start, start + _LARGEST_OPTIONS).view(np.int32).copy()
    model.opt.disableflags ^= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    changed = np.flatnonzero(_words(start, start + _LARGEST_OPTIONS).view(np.int32) != before)
    if changed.size != 1:
        raise _LoopUnavailableError("the place of the disabled features in the engine's model is not known")
    return 4 * int(changed[0])


def _words(start: int, end: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.ctypeslib.as_array((ctypes.c_int64 * ((end - start) // 8)).from_address(start))


def _first_offset(base: int, address: int) -> int:
    """Return the first offset at which the engine's data have an address.

    ComponentState is read page by page, and not beyond the one with the address: what follows the data may not be readable.
    """
    start = base
    while start < base + _FARTHEST:
        end = (start // _PAGE + 1) * _PAGE
        found = np.flatnonzero(_words(start, end) == address)
        if found.size:
            return start - base + 8 * int(found[0])
        start = end
    raise _LoopUnavailableError("the place of constraints in the engine's data is not known")


def _verify(access: EngineAccess) -> None:
    """Compare the fields of the examples, and a run of one with that by the engine's Python functions, bit by bit."""
    for model, data in _examples():
        engine = access.bind(model, data)
        if not _has_fields(engine, data):
            raise _LoopUnavailableError("fields of the engine's data differ from those that its Python package returns")
    model, data = _examples()[1]
    expected = mujoco.MjData(model)
    expected.qpos[:] = data.qpos
    velocities, mine, estimate = np.zeros((2, model.nv)), np.zeros((2, model.nv)), np.zeros(model.nv)
    engine = access.bind(model, data)
    program = Program(engine=ctypes.addressof(engine), nv=model.nv, is_leapfrog=1, is_split=1, count=9)
    program.defers_references = 1
    program.has_constraints, program.jump_speed, program.largest_change = 1, math.inf, math.inf
    set_addresses(program, qvel=data.qvel, velocities=mine, estimate=estimate)
    if access.loop.run(ctypes.addressof(program), mujoco.FatalError) != DONE:
        raise _LoopUnavailableError("the compiled loop does not run")
    _step_in_python(model, expected, velocities, 9)
    pairs = ((data.qpos, expected.qpos), (data.qacc, expected.qacc), (mine, velocities))
    if any(a.tobytes() != b.tobytes() for a, b in pairs):
        raise _LoopUnavailableError("the compiled loop does not take the same steps as the engine's Python functions")


def _has_fields(engine: Engine, data: Any) -> bool:
    """Whether all fields that the structure addresses are those that the engine's Python package returns."""
    counts = [ctypes.c_int32.from_address(getattr(engine, name)).value for name in _COUNTS]
    pointers = [ctypes.c_int64.from_address(getattr(engine, name)).value for name in _POINTERS]
    if counts != [getattr(data, name) for name in _COUNTS] or pointers != [address_of(getattr(data, n)) for n in _POINTERS]:
        return False
    if ctypes.c_double.from_address(engine.time).value != data.time:
        return False
    first = ctypes.c_int64.from_address(engine.contact).value
    for number, contact in enumerate(data.contact):
        start = first + number * engine.contact_stride
        frame = (ctypes.c_double * 9).from_address(start + engine.frame_offset)
        friction = ctypes.c_double.from_address(start + engine.friction_offset).value
        geoms = (ctypes.c_int32 * 2).from_address(start + engine.geom_offset)
        row = ctypes.c_int32.from_address(start + engine.efc_address_offset).value
        found = (list(frame), friction, list(geoms), row)
        if found != (contact.frame.tolist(), contact.friction[0], contact.geom.tolist(), contact.efc_address):
            return False
    return True


def _step_in_python(model: mujoco.MjModel, data: mujoco.MjData, velocities: Any, count: int) -> None:
    for number in range(count):
        last, earlier = velocities[number % 2], velocities[1 - number % 2]
        data.qvel[:] = 1.5 * last - 0.5 * earlier
        mujoco.mj_step1(model, data)
        data.qvel[:] = last
        mujoco.mj_referenceConstraint(model, data)
        mujoco.mj_step2(model, data)
        earlier[:] = data.qvel
