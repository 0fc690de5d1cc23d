"""Where results come from: digests of a sweep and its model, and the session in which runs were simulated."""

from __future__ import annotations

import hashlib
import os
import platform
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ossature.model import World
from ossature.model.fingerprint import fingerprint
from ossature.sweeps.sweep_spec import Formula, Sweep, Variants


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """How runs of a sweep were simulated.

    Attributes:
        started: Date and time in UTC.
        seed: Seed of the design.
        machine: Name of the machine that distributed the runs.
        system: Its operating system.
        processor: Its processor: libraries of mathematics may round differently on another one.
    """

    started: str
    executor: str
    workers: int
    seed: int
    machine: str = field(default_factory=socket.gethostname)
    system: str = field(default_factory=platform.platform)
    processor: str = field(default_factory=lambda: _processor())
    python: str = field(default_factory=platform.python_version)
    versions: Mapping[str, str] = field(default_factory=lambda: _versions())


def begin_session(executor: str, workers: int, seed: int) -> Session:
    """Return a session that begins now."""
    return Session(started=datetime.now(UTC).isoformat(timespec="seconds"), executor=executor, workers=workers, seed=seed)


def identity_of(sweep: Sweep, worlds: Mapping[str, World], count: int, precision: str) -> dict[str, object]:
    """Return what the results of a sweep depend on, as JSON data."""
    digests = {name: fingerprint(world).world for name, world in worlds.items()}
    return {
        "sweep": sweep.text,
        "method": sweep.design.method.value,
        "parameters": [one.name for one in sweep.parameters if not isinstance(one.source, Formula | Variants)],
        # The text does not contain the values of a table.
        "sweep_digest": hashlib.sha256(f"{sweep.text}\n{sweep.parameters}".encode()).hexdigest(),
        "model_digest": hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest(),
        "count": count,
        "precision": precision,
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in ("ossature", "mujoco-core", "numpy", "scipy", "pyarrow", "ray", "mujoco-warp", "warp-lang"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if os.name == "posix" and info.exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        return names[0] if names else platform.machine()
    return platform.processor() or platform.machine()
