"""Uses files as a user would, under ceilings of CPU time and memory for each.

Each line of standard input is a JSON list of paths. For each path a line of JSON goes to standard output: how it ended, and
what it took. A forked process uses the files of a list one after the other, with new ceilings for each; if one ends it, or
raises what no user may see, another process is forked for the rest.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import shlex
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ossature.diagnostics import Report
    from ossature.model import World

CPU_SECONDS = 10
EXTRA_BYTES = 1 << 30
"""Memory above that of the interpreter with everything loaded."""
_EXTRA_ADDRESSES = 4 * EXTRA_BYTES
"""Address space above that of the interpreter: the engine reserves up to a gigabyte for a model, and uses little of it."""
EXAMPLES = ("double_pendulum.skel", "picker.dae")
"""The models of which recordings are used; the name of a recording contains that of its model."""
_PROJECT = Path(__file__).resolve().parent.parent.parent
_MOST_PRINTED = 4000
_STEPS = 2
_MOST_SAMPLES = 50
_MESH_MODEL = """\
<skel version="1.0"><world name="w"><skeleton name="ground"><body name="b"><transformation>0 0 -1 0 0 0</transformation>
<collision_shape><geometry><box><size>9 9 0.1</size></box></geometry></collision_shape></body>
<joint type="weld" name="j"><parent>world</parent><child>b</child></joint></skeleton><skeleton name="s"><body name="b">
<inertia><mass>1</mass></inertia>
<visualization_shape><geometry><mesh><file_name>{name}</file_name><scale>1 1 1</scale></mesh></geometry></visualization_shape>
<collision_shape><geometry><mesh><file_name>{name}</file_name><scale>1 1 1</scale></mesh></geometry></collision_shape>
</body><joint type="free" name="j"><parent>world</parent><child>b</child></joint></skeleton></world></skel>"""


@dataclass(frozen=True, slots=True)
class Use:
    """How the use of a file ended that did no harm.

    Attributes:
        rules: The names of the rules found.
        is_stepped: Whether its model was simulated, rather than refused.
    """

    rules: frozenset[str]
    is_stepped: bool


def use(path: Path) -> Use:
    """Use a file as the kind of file that its name states."""
    from ossature.diagnostics import Report

    report = Report()
    uses = {"mesh-": _use_mesh, "recording": _use_recording, "calibration": _use_calibration, "commands-": _use_commands}
    used = next((each for beginning, each in uses.items() if path.name.startswith(beginning)), _use_model)
    with warnings.catch_warnings(action="error", category=RuntimeWarning):  # users would see them
        is_stepped = used(path, report)
        str(report)
    return Use(frozenset(finding.rule.name for finding in report), is_stepped)


def _use_model(path: Path, report: Report) -> bool:
    from ossature.formats.load_file import read_file

    world = read_file(path, report)
    return world is not None and _simulate(world, path.parent, report)


def _use_mesh(path: Path, report: Report) -> bool:
    """Read the triangles of a mesh, and simulate a model of which it is the shape; return whether both were possible."""
    from ossature.assets import MeshStore, Resolver
    from ossature.diagnostics import OssatureError, Source
    from ossature.formats.skel import read_skel
    from ossature.model import Mesh

    is_readable = False
    with suppress(OssatureError):
        MeshStore(Resolver(folder=path.parent)).triangles(Mesh(uri=path.name))
        is_readable = True
    source = Source(str(path.with_suffix(".skel")), _MESH_MODEL.format(name=path.name).encode())
    world = read_skel(source, report, folder=path.parent)
    assert world is not None
    return _simulate(world, path.parent, report) and is_readable


def _simulate(world: World, folder: Path, report: Report) -> bool:
    """Read the triangles of a model, check it, compile it and take two steps; return whether these were possible."""
    from ossature.assets import MeshStore, Resolver
    from ossature.checks import check
    from ossature.diagnostics import OssatureError
    from ossature.model import TriangleMesh
    from ossature.simulation import Simulation

    for model in world.models:
        for body in model.bodies:
            for shape in (*body.visuals, *body.collisions):
                if isinstance(shape.geometry, TriangleMesh):
                    try:
                        assert shape.geometry.surface.triangles is not None
                    except OssatureError:
                        continue
    meshes = MeshStore(Resolver(folder=folder), limits=report.limits)
    check(world, report=report, meshes=meshes)
    with suppress(OssatureError):
        Simulation(world, meshes=meshes, report=report).step(_STEPS)
        return True
    return False


def _use_recording(path: Path, report: Report) -> bool:
    """Read the samples of a recording in both ways, and go on from the last state."""
    from ossature.diagnostics import OssatureError
    from ossature.recordings import open_recording
    from ossature.simulation import Simulation

    with suppress(OssatureError):
        recording = open_recording(path, report)
        for _, _ in zip(recording.rows(), range(_MOST_SAMPLES), strict=False):
            pass
        states = [state for state, _ in zip(recording.states(), range(_MOST_SAMPLES), strict=False)]
        for state in states[-1:]:
            simulation = Simulation(_example(path), report=report)
            simulation.restore(state, partial=True)
            simulation.step(_STEPS)
            return True
    return False


def _use_calibration(path: Path, report: Report) -> bool:
    """Read a calibration, and simulate the model with it."""
    from ossature.formats.calibration import read_calibration, with_calibration

    calibration = read_calibration(path, report)
    if calibration is None:
        return False
    return _simulate(with_calibration(_calibrated(), calibration, report), path.parent, report)


def _use_commands(path: Path, report: Report) -> bool:
    """Run the commands of a .txtar file with its files; return whether all have succeeded."""
    from typer.testing import CliRunner

    from ossature.cli.app import app
    from ossature.diagnostics.rule_examples import parse_example

    example = parse_example(path.read_text("utf-8"))
    folder = path.with_suffix("")
    for name, content in example.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    codes = set()
    for command in example.commands:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code not in (0, 1, 2) or (result.exit_code and not result.output.strip()):
            raise AssertionError(f"{command}: exit code {result.exit_code}, and the output {result.output[:200]!r}")
        control = _CONTROL.search(result.output)
        if control is not None and "--format github" not in command:
            raise AssertionError(f"{command}: prints {control[0]!r}")
        codes.add(result.exit_code)
    return codes == {0}


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|^::|^##\\[", re.MULTILINE)
"""Characters that a terminal may interpret, and workflow commands."""


@cache
def _calibrated() -> World:
    from calibration.test_calibration import seeing

    return seeing()


def _example(path: Path) -> World:
    return _loaded(next((each for each in EXAMPLES if each in path.name), EXAMPLES[0]))


@cache
def _loaded(example: str) -> World:
    import ossature

    return ossature.load(_PROJECT / "examples" / example)


def _load_everything() -> None:
    """Import what the use of files imports, so that no forked process does."""
    with suppress(ImportError):
        import pyarrow.parquet  # noqa: F401
    import mujoco  # noqa: F401

    from ossature import checks, conversion  # noqa: F401
    from ossature.cli import app  # noqa: F401
    from ossature.formats import REGISTRY
    from ossature.formats.chrono import read_chrono, write_chrono  # noqa: F401
    from ossature.formats.collada import read_collada, write_collada  # noqa: F401
    from ossature.formats.skel import read_skel, write_skel  # noqa: F401
    from ossature.formats.urdf import read_urdf, write_urdf  # noqa: F401
    from ossature.recordings import read_csv_and_json, read_npz_parquet_journal, read_usdf  # noqa: F401

    for known in REGISTRY.all():
        known.schema()
    for example in EXAMPLES:
        _loaded(example)
    assert _calibrated()
    for example in sorted((_PROJECT / "examples").iterdir()):
        if example.suffix in (".skel", ".yaml", ".dae", ".urdf") and example.stat().st_size < 50_000:
            use(example)


def _child(paths: Sequence[Path], answer: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most_bytes = resource.getrlimit(resource.RLIMIT_AS)
    _, most_seconds = resource.getrlimit(resource.RLIMIT_CPU)
    with os.fdopen(answer, "w", encoding="utf-8", errors="replace") as stream:
        for path in paths:
            size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.setrlimit(resource.RLIMIT_AS, (size + _EXTRA_ADDRESSES, most_bytes))
            begun = time.process_time()
            resource.setrlimit(resource.RLIMIT_CPU, (int(begun) + CPU_SECONDS + 1, most_seconds))
            Path("/proc/self/clear_refs").write_text("5")  # the peak of memory counts from here
            problem, is_stepped = "", False
            try:
                done = use(path)
                is_stepped = done.is_stepped
                if "out-of-memory" in done.rules:
                    problem = "out of memory"
            except BaseException:  # noqa: BLE001  # whatever it is, it is reported
                problem = traceback.format_exc()[-_MOST_PRINTED:]
            seconds = time.process_time() - begun
            answer_of = {"problem": problem, "is_stepped": is_stepped, "seconds": seconds, "bytes": _peak_bytes()}
            print(json.dumps(answer_of), file=stream, flush=True)
            if problem:
                break


def _peak_bytes() -> int:
    """Return the largest memory that this process has taken [bytes]."""
    line = next(each for each in Path("/proc/self/status").read_text().splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def run(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield how the use of each file ended: its signal or traceback, CPU time [s] and memory [bytes]."""
    while paths:
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reader)
            with suppress(BaseException):
                _child(paths, writer)
            os._exit(0)
        os.close(writer)
        count = 0
        with os.fdopen(reader, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                count += 1
                yield json.loads(line)
        _, status, usage = os.wait4(process, 0)
        if os.WIFSIGNALED(status) or count == 0:
            problem = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit status {status}"
            seconds = usage.ru_utime + usage.ru_stime
            yield {"problem": problem, "is_stepped": False, "seconds": seconds, "bytes": usage.ru_maxrss * 1024}
            count += 1
        paths = paths[count:]


def main() -> None:
    """Answer for each path of each list on standard input."""
    _load_everything()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        for answer in run([Path(each) for each in json.loads(line)]):
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
