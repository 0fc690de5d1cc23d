"""Python processes that import no module of the working folder.

The working folder often contains the files of others. Python searches it first in ``python -c`` and ``python -m``, and so in
the processes of ``multiprocessing``: a file ``pickle.py`` beside a model would be executed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, TypeVar

from ossature.fork_server import ForkedProcess, ForkServer

T = TypeVar("T")

_SAFE_PATH = "PYTHONSAFEPATH"
_WAIT = 20.0
"""Factor between the time that is waited for and the CPU time, for machines that are busy."""
_LONGEST_LINE = 1 << 14
_SET_LIMITS = """
import math, sys
try:
    import resource
except ImportError:  # on Windows the time that is waited for is the only limit
    pass
else:
    for _kind, _limit in ((resource.RLIMIT_CPU, math.ceil(float(sys.argv[1]))), (resource.RLIMIT_AS, int(sys.argv[2]))):
        if _limit:
            _hard = resource.getrlimit(_kind)[1]  # a process cannot exceed it
            resource.setrlimit(_kind, (_limit if _hard == resource.RLIM_INFINITY else min(_limit, _hard), _hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
"""


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def child_environment() -> dict[str, str]:
    """Return the environment of a Python process that imports the same modules as this one, and none of the working folder.

    The standard library comes first: this process may have imported it before the folder of a script preceded it.
    """
    folders = sorted(filter(None, sys.path), key=lambda folder: folder not in _standard_library())
    return {**os.environ, _SAFE_PATH: "1", "PYTHONPATH": os.pathsep.join(folders)}


def _standard_library() -> tuple[str, ...]:
    """Return the folders of Python's own modules; those in C are in a folder of their own."""
    folder = sysconfig.get_path("stdlib")
    return folder, os.path.join(folder, "lib-dynload"), os.path.join(sys.base_prefix, "DLLs")  # noqa: PTH118  # as in sys.path


def last_line(errors: str) -> str:
    """Return the last line of what a process wrote to its error output, which is the message of an exception; "" if none."""
    return errors.strip().rpartition("\n")[2].strip()


def run_program(program: str, given: bytes, *, seconds: float, memory: int = 0) -> subprocess.CompletedProcess[bytes] | None:
    """Run Python code in a process of its own with limits, and return the ended process, or None if it took too long.

    Args:
        seconds: CPU time that it may take [s].
        memory: Its largest address space [bytes]; 0 for no limit.
    """
    command = [sys.executable, "-c", _SET_LIMITS + program, str(seconds), str(memory)]
    try:
        done = subprocess.run(  # noqa: S603  # our own program
            command, input=given, capture_output=True, check=False, timeout=_WAIT * seconds, env=child_environment()
        )
    except subprocess.TimeoutExpired:
        return None
    return done if done.returncode >= 0 else None  # the system ends a process above its CPU time by a signal


class PreparedProgram:
    """Python code whose first part, which imports slow modules, runs once for many processes if the system permits it."""

    def __init__(self, preparation: str, program: str) -> None:
        self._code = f"{_SET_LIMITS}\n{preparation}\n{program}"
        self._server = ForkServer(preparation, f"{_SET_LIMITS}\n{program}")

    def start(self, seconds: float, memory: int) -> subprocess.Popen[bytes] | ForkedProcess:
        """Return a new process with limits.

        Args:
            seconds: CPU time that it may take [s].
            memory: Its largest address space [bytes]; 0 for no limit.
        """
        limits = (str(seconds), str(memory))
        return self._server.fork(limits, child_environment()) or subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-c", self._code, *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
        )


def converse_with_program(
    program: PreparedProgram, converse: Callable[[IO[bytes], IO[bytes]], T], *, seconds: float, memory: int = 0
) -> tuple[T | None, str]:
    """Run Python code in a process of its own with limits, and exchange messages with it.

    Args:
        program: What the process runs.
        converse: Exchanges messages through the input and the output of the program; EOFError or OSError if the program ends
            too early.
        seconds: CPU time that the program may take [s].
        memory: Its largest address space [bytes]; 0 for no limit.

    Returns:
        The result of the exchange, or None if the program ended too early, and the end of what it wrote to its error output.
    """
    process = program.start(seconds, memory)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None  # noqa: S101  # pipes
    texts: list[bytes] = [b""]

    def collect(stream: IO[bytes]) -> None:
        for line in iter(lambda: stream.readline(_LONGEST_LINE), b""):
            texts[0] = (texts[0] + line)[-_LONGEST_LINE:]

    reader = threading.Thread(target=collect, args=(process.stderr,), daemon=True)
    timer = threading.Timer(_WAIT * seconds, process.kill)
    reader.start()
    timer.start()
    result: T | None = None
    try:
        result = converse(process.stdin, process.stdout)
    except (EOFError, OSError):
        result = None
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        reader.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):  # of a pipe to a process that has ended
                stream.close()
    return result, texts[0].decode(errors="replace")


@contextmanager
def safe_module_path() -> Iterator[None]:
    """Let Python processes that ``multiprocessing`` starts in a ``with`` block import no module of the working folder."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before
