"""Pages of the notebooks of ``examples``: each is executed, and shown with its text outputs and figures."""

from __future__ import annotations

import io
import json
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def notebooks() -> list[Path]:
    """Return the notebooks."""
    return sorted(EXAMPLES.glob("*.ipynb"))


def execute(path: Path, folder: Path = EXAMPLES) -> tuple[str, dict[str, bytes]]:
    """Execute the cells of a notebook in a folder; return it as Markdown, and its figures by the names that the text refers to.

    Cells contain plain Python. Errors of a cell are raised.
    """
    import matplotlib

    matplotlib.use("agg")
    names: dict[str, Any] = {}
    parts: list[str] = []
    images: dict[str, bytes] = {}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        printed = io.StringIO()
        with chdir(folder), redirect_stdout(printed):
            exec(compile(source, f"{path.name}, cell {number}", "exec"), names)  # noqa: S102  # our own code
        if printed.getvalue():
            parts.append(f"```text\n{printed.getvalue().rstrip()}\n```")
        for figure in _take_figures():
            image = f"{path.stem}_{len(images) + 1}.png"
            images[image] = figure
            parts.append(f"![Figure of this cell]({image})")
    return "\n\n".join(parts) + "\n", images


def _take_figures() -> list[bytes]:
    """Return the open figures of pyplot as PNG, and close them."""
    from matplotlib import pyplot

    found = []
    for number in pyplot.get_fignums():
        buffer = io.BytesIO()
        pyplot.figure(number).savefig(buffer, format="png", bbox_inches="tight")
        found.append(buffer.getvalue())
    pyplot.close("all")
    return found
