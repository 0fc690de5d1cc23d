"""Makes the pictures of the README by ``ossature render``, one model of each format. Run it with ``make pictures``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).resolve().parent
EXAMPLES = DOCS.parent / "examples"
SIZE = "640x400"
COLORS = 200

PICTURES: dict[str, list[str]] = {
    "arm.skel": ["--joint", "elbow=1.1"],
    "slider_crank.yaml": [],
    "picker.dae": ["--layer", "joint-axes", "--joint", "waist=0.5"],
    "palletizer.urdf": [],
}
"""Models, each with options of the command."""


def main() -> None:
    """Write a picture beside this file for every model."""
    for name, options in PICTURES.items():
        picture = DOCS / f"{Path(name).stem}.png"
        command = [sys.executable, "-m", "ossature", "render", str(EXAMPLES / name), str(picture), "--size", SIZE, *options]
        subprocess.run(command, check=True)  # noqa: S603
        _make_smaller(picture)


def _make_smaller(picture: Path) -> None:
    # They are kept in the repository: few colours look the same and are a third of the size.
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


if __name__ == "__main__":
    main()
