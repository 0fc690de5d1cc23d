"""Compiles the optional C modules of the package where a C compiler is; without one, the package is pure Python."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    Path("src/ossature/simulation/stepping/_loop.c"),
    Path("src/ossature/simulation/_singular_values.c"),
    Path("src/ossature/simulation/sensors/_triangle_bvh.c"),
    Path("src/ossature/recordings/_number_template.c"),
    Path("src/ossature/_instance_maker.c"),
    Path("src/ossature/syntax/_xml.c"),
    Path("src/ossature/syntax/_number_arrays.c"),
)
EXACT = ["/O2", "/fp:precise"] if os.name == "nt" else ["-O2", "-ffp-contract=off", "-fno-fast-math"]
"""Options that keep each operation of floating point numbers as it is written."""


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is a class of hatchling's own
    """Adds the compiled modules to wheels and editable installations."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the modules, and mark a wheel that has them."""
        if self.target_name != "wheel":
            return
        libraries = [library for source in SOURCES if (library := compile_module(Path(self.root) / source)) is not None]
        if not libraries:
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        build_data["artifacts"] += [str(library.relative_to(self.root)) for library in libraries]


def compile_module(source: Path) -> Path | None:
    """Compile a module beside its source, and return the library; None, with a note, if that is not possible."""
    if os.environ.get("OSSATURE_PURE_PYTHON"):
        return None
    try:
        with tempfile.TemporaryDirectory() as folder:
            built = _compile(source, Path(folder))
            return Path(shutil.move(built, source.parent / built.name))
    except Exception as error:  # noqa: BLE001  # compilers fail in many ways
        sys.stderr.write(f"{source.name} is not compiled, and its functions run in Python: {error}\n")
        return None


def _compile(source: Path, folder: Path) -> Path:
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    checksum = ("SOURCE_CHECKSUM", f"{zlib.crc32(source.read_bytes())}L")
    extension = Extension(source.stem, [str(source)], define_macros=[checksum], extra_compile_args=EXACT, py_limited_api=True)
    command = build_ext(Distribution({"ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder), str(folder)
    command.ensure_finalized()
    command.run()
    return folder / command.get_ext_filename(source.stem)


if __name__ == "__main__":
    for relative in SOURCES:
        compile_module(Path(__file__).parent / relative)
