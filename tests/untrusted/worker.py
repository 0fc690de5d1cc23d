"""Uses files as a user would, each in a process of its own under ceilings of CPU time and memory.

Paths come line by line from standard input, and for each a line of JSON goes to standard output: how it ended, and what it
took. A process is forked for each file, so that what one file does to the interpreter no other one sees.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path

CPU_SECONDS = 10
EXTRA_BYTES = 1 << 30
"""Memory above that of the interpreter with everything loaded."""
_MOST_TOLD = 4000
_STEPS = 2
_MOST_SAMPLES = 50


def use(path: Path) -> list[str]:
    """Read a file, its triangles and checks, compile it and take two steps; return the names of the rules found."""
    from ossature.assets import MeshStore, Resolver
    from ossature.checks import check
    from ossature.diagnostics import OssatureError, Report
    from ossature.formats.calibration import read_calibration
    from ossature.formats.files import read_file
    from ossature.model import Mesh, TriangleMesh
    from ossature.recordings import RecordingError, open_recording
    from ossature.simulation import Simulation

    report = Report()
    if path.name.startswith("mesh-mesh-"):
        with suppress(OssatureError):
            MeshStore(Resolver(folder=path.parent)).triangles(Mesh(uri=path.name))
        return []
    if path.name.startswith("recording"):
        try:
            recording = open_recording(path, report)
            for _, _ in zip(recording.rows(), range(_MOST_SAMPLES), strict=False):
                pass
            for _, _ in zip(recording.states(), range(_MOST_SAMPLES), strict=False):
                pass
        except RecordingError:
            pass
        return _told(report)
    if path.name.startswith("calibration"):
        read_calibration(path, report)
        return _told(report)
    world = read_file(path, report)
    if world is not None:
        for model in world.models:
            for body in model.bodies:
                for shape in (*body.visuals, *body.collisions):
                    if isinstance(shape.geometry, TriangleMesh):
                        try:
                            assert shape.geometry.surface.triangles is not None
                        except OssatureError:
                            continue
        check(world, report=report)
        with suppress(OssatureError):
            Simulation(world, report=report).step(_STEPS)
    return _told(report)


def _told(report: object) -> list[str]:
    str(report)
    return sorted({finding.rule.name for finding in report})  # type: ignore[attr-defined]


def _load_everything() -> None:
    import mujoco  # noqa: F401
    import scipy.spatial  # noqa: F401
    import trimesh.convex  # noqa: F401

    from ossature import checks, conversion  # noqa: F401
    from ossature.formats import FORMATS
    from ossature.recordings import read_tables, read_text  # noqa: F401
    from ossature.simulation import Simulation  # noqa: F401

    for known in FORMATS.values():
        assert known.reader
        assert known.declarations


def _child(path: Path, answer: int) -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + EXTRA_BYTES, size + EXTRA_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    status, said = 0, ""
    try:
        rules = use(path)
        if "out-of-memory" in rules:
            status, said = 3, "out of memory"
    except BaseException:  # noqa: BLE001  # whatever it is, it is told
        status, said = 2, traceback.format_exc()
    os.write(answer, said.encode("utf-8", "replace")[-_MOST_TOLD:])
    os._exit(status)


def run(path: Path) -> dict[str, object]:
    """Return how the use of a file ended: its exit status, signal, traceback, CPU time [s] and memory [bytes]."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        _child(path, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process, 0)
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {
        "file": str(path),
        "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": signal.Signals(number).name if number else None,
        "said": said,
        "seconds": usage.ru_utime + usage.ru_stime,
        "bytes": usage.ru_maxrss * 1024,
    }


def main() -> None:
    """Answer for each path on standard input."""
    _load_everything()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(run(Path(line.rstrip("\n")))), flush=True)


if __name__ == "__main__":
    main()
