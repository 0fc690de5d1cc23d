"""Builds the wheel and the source archive, and installs the wheel into fresh environments: ``make release-check``.

The core alone runs a command of each kind, each extra its import, and ``all`` the whole demonstration. With names of extras as
arguments (``core`` is none) only those are installed. Needs the packages build and twine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
NOT_BY_DEFAULT = {"search", "cluster", "gpu"}
"""Extras for hardware and clusters, which are installed if they are named."""
CORE_COMMANDS = (
    ("check", "arm.skel", "palletizer.urdf", "slider_crank.yaml", "picker.dae"),
    ("convert", "arm.skel", "{out}/arm.xml"),
    ("ik", "picker.dae", "--target", "transform6d:0.4,0.2,0.6,3.14159,0,0"),
    ("simulate", "slider_crank.yaml", "--duration", "0.2"),
    ("doctor", "slider_crank.yaml", "--duration", "0.2"),
)
MODULES = {
    "plot": ["matplotlib"],
    "tables": ["pyarrow"],
    "view": ["viser", "ossature.viewer"],
    "render": ["PIL"],
    "video": ["imageio_ffmpeg", "PIL"],
    "mcap": ["mcap"],
    "rerun": ["rerun"],
    "fmu": ["pythonfmu"],
    "sweep": ["scipy", "pyarrow", "SALib"],
    "search": ["nevergrad"],
    "cluster": ["ray"],
    "gpu": ["mujoco_warp"],
    "usd": ["pxr"],
    "xacro": ["xacrodoc"],
    "robots": ["robot_descriptions", "ossature.cli.named_robots"],
}
"""The modules that an extra has to provide."""


def run(*words: str, **options: object) -> None:
    """Run a command, and end if it fails."""
    print("$", *words, flush=True)
    subprocess.run(words, check=True, **options)  # type: ignore[call-overload]  # noqa: S603


def build() -> Path:
    """Build both archives, check their metadata and the rendering of the README, and return the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(DIST.iterdir())))
    (wheel,) = DIST.glob("*.whl")
    return wheel


def install(wheel: Path, extra: str, folder: Path) -> Path:
    """Install the wheel with an extra into a fresh environment, and return its folder of programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(str(programs / "python"), "-m", "pip", "install", "--quiet", str(wheel) if extra == "core" else f"{wheel}[{extra}]")
    run(str(programs / "python"), "-m", "pip", "check")
    return programs


def use(programs: Path, extra: str, out: Path) -> None:
    """Run what an extra enables, outside of the source tree."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["PATH"] = os.pathsep.join([str(programs), environment["PATH"]])
    examples = out / "examples"
    shutil.copytree(ROOT / "examples", examples)
    if extra == "all":
        run("sh", str(examples / "demo.sh"), cwd=out, env=environment, stdout=subprocess.DEVNULL)
        return
    for words in CORE_COMMANDS if extra == "core" else ():
        filled = [word.format(out=out) for word in words]
        run(str(programs / "ossature"), *filled, cwd=examples, env=environment, stdout=subprocess.DEVNULL)
    names = ["ossature", *MODULES.get(extra, [])]
    run(str(programs / "python"), "-c", f"import {', '.join(names)}", cwd=out, env=environment)


def main(wanted: list[str]) -> None:
    """Build, and install each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = ["core", *project["optional-dependencies"]]
    unknown = set(extras) - set(MODULES) - {"core", "all"}
    if unknown:
        raise SystemExit(f"the extras {sorted(unknown)} have no modules in MODULES")
    if set(wanted) - set(extras):
        raise SystemExit(f"no such extras: {sorted(set(wanted) - set(extras))}")
    wheel = build()
    for extra in wanted or [one for one in extras if one not in NOT_BY_DEFAULT]:
        print(f"\n{extra}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            use(install(wheel, extra, Path(folder) / "environment"), extra, Path(folder))
    print("\nthe release is ready")


if __name__ == "__main__":
    main(sys.argv[1:])
