"""Whether the engine that runs is the one that is installed.

The distributions ``mujoco-core`` (from version 4) and ``mujoco`` (before version 4) contain the same package ``mujoco``. pip
installs one over the other without a conflict: what runs is then the last one, and other packages may get a version that they
exclude.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ossature.diagnostics import OssatureError

_OLDEST = (3, 16)
"""The oldest engine that is supported: earlier ones do not have the integrator of DART, or voltage inputs."""
_INFO = re.compile(r"(mujoco|mujoco_core)-(\d+(?:\.\d+)*)[^/]*\.dist-info")


class EngineInstallationError(OssatureError):
    """The engine that runs is not the one that is installed, or it is too old."""


def require_one_engine(version: str, folder: Path) -> None:
    """Check the engine that is imported.

    Args:
        folder: The folder that it is installed in, with the metadata of all packages.

    Raises:
        EngineInstallationError: Two engines are installed over each other, or it is too old.
    """
    found = _distributions(entry.name for entry in folder.glob("mujoco*.dist-info"))
    # From version 4 on, the distribution ``mujoco`` only depends on ``mujoco-core``.
    old = found.get("mujoco", ())
    if "mujoco_core" in found and old and old < (4,):
        wanted, core = _text(old), _text(found["mujoco_core"])
        fix = f"pip uninstall -y mujoco-core mujoco && pip install mujoco=={wanted}"
        raise EngineInstallationError(
            f"mujoco {wanted} and mujoco-core {core} are installed over each other, and {version} runs: run `{fix}`"
        )
    if _numbers(version) < _OLDEST:
        raise EngineInstallationError(f"MuJoCo {version} is too old: run `pip install 'mujoco>={_text(_OLDEST)}'`")


def _distributions(names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    matches = [match for name in names if (match := _INFO.fullmatch(name)) is not None]
    return {match[1]: _numbers(match[2]) for match in matches}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple([int(number) for number in re.findall(r"\d+", version)[:3]])


def _text(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
