"""The check of many files: in parallel processes, with the results of earlier runs."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ossature.assets.file_access_log import FileAccessLog, logged_file_access
from ossature.assets.read_regular_files import read_regular_file
from ossature.assets.user_cache import cache_key, reading_environment
from ossature.diagnostics import Diagnostic, Location, Source
from ossature.diagnostics.interrupted_check_rule import INTERRUPTED_CHECK
from ossature.diagnostics.resource_limits import RULES as LIMIT_RULES
from ossature.isolated_python_processes import safe_module_path
from ossature.linting.finding_records import findings_from_record, findings_to_record
from ossature.linting.result_cache import ResultCache

if TYPE_CHECKING:
    from ossature.linting.file_reading_options import CheckOptions

_FEWEST_FILES_OF_A_PROCESS = 4
"""Fewer are checked sooner than a process starts."""
_UNREPEATABLE = frozenset(rule.name for rule in LIMIT_RULES)
"""Rules whose findings depend on the machine."""

_PRELOADED = ["ossature.linting.check_file", "ossature.formats.urdf", "ossature.formats.collada.read"]

_Result = tuple[dict[str, Any], FileAccessLog]


def check_files(
    files: Sequence[Path], options: CheckOptions, *, jobs: int = 1, cache: ResultCache | None = None
) -> Iterator[tuple[Path, list[Diagnostic]]]:
    """Yield each file with its findings, in the order of the files.

    Args:
        options: How they are read and checked.
        cache: Results of earlier runs, or None.
    """
    keys = {file: _key_of(file, options) if cache is not None else None for file in files}
    known = {file: findings for file, key in keys.items() if (findings := _cached_findings(cache, key)) is not None}
    results = _checked([file for file in files if file not in known], options, jobs)
    for file in files:
        if file in known:
            yield file, known[file]
            continue
        record, log = next(results)
        key = keys[file]
        if cache is not None and key is not None and not _UNREPEATABLE & record["rules"].keys():
            log.digests.pop(str(file), None)  # its content is in the key
            cache.put(key, record, log)
        yield file, findings_from_record(record)
    if cache is not None:
        cache.remove_oldest()


def _key_of(file: Path, options: CheckOptions) -> str | None:
    """Return the key of a file in the cache, or None if it cannot be read."""
    try:
        content = read_regular_file(file, options.limits.file_bytes)
    except (OSError, ValueError):
        return None
    specified = {name: str(value) for name, value in asdict(options).items()}
    calibration = b"" if options.calibration is None else _content_of(options.calibration)
    return cache_key({"options": specified, **reading_environment(file)}, content + calibration)


def _content_of(file: Path) -> bytes:
    try:
        return read_regular_file(file, 1 << 30)
    except (OSError, ValueError):
        return b""


def _cached_findings(cache: ResultCache | None, key: str | None) -> list[Diagnostic] | None:
    record = cache.get(key) if cache is not None and key is not None else None
    if record is None:
        return None
    try:
        return findings_from_record(record)
    except ValueError:  # it is not one of ours
        return None


def _checked(files: Sequence[Path], options: CheckOptions, jobs: int) -> Iterator[_Result]:
    processes = min(jobs, len(files) // _FEWEST_FILES_OF_A_PROCESS)
    if processes <= 1:
        return (_check(file, options) for file in files)
    return _check_in_processes(files, options, processes)


def _check(file: Path, options: CheckOptions) -> _Result:
    from ossature.linting.check_file import record_of  # loads all readers and checks

    with logged_file_access() as log:
        record = record_of(file, options)
    return record, log


def _check_in_processes(files: Sequence[Path], options: CheckOptions, processes: int) -> Iterator[_Result]:
    executor = _new_executor(processes)
    try:
        try:
            pending: list[tuple[Path, Future[_Result]]] = [(file, _submit(executor, file, options)) for file in files]
        except (OSError, EOFError):  # no process can start: the results are the same in this one
            yield from (_check(file, options) for file in files)
            return
        for file, future in pending:
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _check_alone(file, options)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _check_alone(file: Path, options: CheckOptions) -> _Result:
    """Return the result of a file after a process ended: another file may be the reason."""
    with _new_executor(1) as executor:
        try:
            return _submit(executor, file, options).result()
        except BrokenProcessPool:
            finding = Diagnostic(
                rule=INTERRUPTED_CHECK,
                message="the process that checked this file ended unexpectedly",
                location=Location(Source(str(file))),
                hint="its memory may be exhausted: lower the limits with --limit",
            )
            return findings_to_record([finding]), FileAccessLog(digests={str(file): None})


def _new_executor(processes: int) -> ProcessPoolExecutor:
    # Processes are forked from a server that has loaded all checks; a fork of this process would inherit its threads.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(
            ["ossature.linting.check_file", "ossature.formats.urdf", "ossature.formats.collada.read"]
        )
    with safe_module_path():
        return ProcessPoolExecutor(processes, mp_context=context)


def _submit(executor: ProcessPoolExecutor, file: Path, options: CheckOptions) -> Future[_Result]:
    with safe_module_path():
        return executor.submit(_check, file, options)
