"""Whether MuJoCo's computation of length ranges ends.

MuJoCo's compiler finds the length ranges of muscles by simulation. When that diverges it starts again, for ever, and nothing in
the process can stop it. The compilation is therefore tried in another process first, with limited CPU time.
"""

from __future__ import annotations

import pickle
import sys
from typing import IO, Any

from ossature.diagnostics import Report
from ossature.diagnostics.resource_limits import READING_TOO_LONG, LimitError, raising_hint
from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.rules import MUJOCO_ERROR
from ossature.formats.mjcf.self_contained_document import SelfContainedDocument
from ossature.isolated_python_processes import PreparedProgram, converse_with_program, last_line

_SHARE = 1 / 60
"""Share of the CPU time of reading that the computation may take."""
_MODE = mujoco.mjtLRMode
_ENDED = b"ended"
_PREPARATION = """
import pickle, sys
import mujoco

log = mujoco.MjLogConfig.get()
log.logto_file = log.logto_console = False
log.set()
mujoco.set_mju_user_warning(lambda message: None)
"""
_PROGRAM = PreparedProgram(
    _PREPARATION,
    f"""
text, assets = pickle.load(sys.stdin.buffer)
try:
    mujoco.MjSpec.from_string(text, include=assets, assets=assets).compile()
except Exception:
    pass  # the same error is found, and reported, where the model is used
sys.stdout.buffer.write({_ENDED!r})
sys.stdout.buffer.flush()
""",
)


def require_length_ranges(spec: Any, document: SelfContainedDocument, report: Report) -> None:
    """Require that the computation of length ranges ends, if a document needs one.

    Args:
        spec: MuJoCo's specification of the document, before it is compiled.
        report: Has the limits of reading.

    Raises:
        LimitError: It takes too long, or its process ends.
    """
    if not sys.executable or not _needs_length_range(spec):
        return
    seconds = _SHARE * report.limits.seconds
    given = pickle.dumps((document.text, document.assets))
    answer, errors = converse_with_program(_PROGRAM, lambda sink, origin: _wait(sink, origin, given), seconds=seconds)
    if answer is None and (cause := last_line(errors)):
        message = f"MuJoCo's computation of the length ranges of muscles ended: {cause}"
        raise LimitError(MUJOCO_ERROR, message, document.root.location, "")
    if answer is None:
        raise LimitError(
            READING_TOO_LONG,
            f"MuJoCo's computation of the length ranges of muscles takes more than {seconds:g} s of CPU time",
            document.root.location,
            f"check the numbers of the model, or state lengthrange; {raising_hint('seconds', 2 * report.limits.seconds)}",
        )


def _wait(sink: IO[bytes], origin: IO[bytes], given: bytes) -> bytes:
    sink.write(given)
    sink.flush()
    answer = origin.read()
    if not answer.endswith(_ENDED):
        raise EOFError
    return answer


def _needs_length_range(spec: Any) -> bool:
    """Whether MuJoCo computes the length range of an actuator."""
    options = spec.compiler.LRopt
    return options.mode != _MODE.mjLRMODE_NONE and any(
        _is_in_mode(actuator, options.mode) and not (options.useexisting and actuator.lengthrange[0] < actuator.lengthrange[1])
        for actuator in spec.actuators
    )


def _is_in_mode(actuator: Any, mode: int) -> bool:
    gain, bias = mujoco.mjtGain(actuator.gaintype), mujoco.mjtBias(actuator.biastype)
    is_muscle = gain == mujoco.mjtGain.mjGAIN_MUSCLE or bias == mujoco.mjtBias.mjBIAS_MUSCLE
    is_user = gain == mujoco.mjtGain.mjGAIN_USER or bias == mujoco.mjtBias.mjBIAS_USER
    return bool(mode == _MODE.mjLRMODE_ALL or is_muscle or (is_user and mode == _MODE.mjLRMODE_MUSCLEUSER))
