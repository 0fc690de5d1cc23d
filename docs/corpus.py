"""Writes docs/corpus.md: every model file of the corpora, with what reading and checking it finds.

It needs the corpora (`../shared`, or the folder that `OSSATURE_CORPUS` names): `make corpus`. Without them the page stays as
it is.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [path for path in (str(DOCS.parent / "tests"),) if path not in sys.path]

from validation import CORPORA as SIMULATED_CORPORA  # noqa: E402

import ossature  # noqa: E402
from linting import known_findings  # noqa: E402
from ossature.diagnostics import Severity  # noqa: E402
from sdf.test_corpus import EXPECTED_ERRORS  # noqa: E402

PAGE = DOCS / "corpus.md"
CORPORA = {
    **SIMULATED_CORPORA,
    "openrave-elements": (".dae", ".zae", ".ZAE"),
    "mjcf": (".xml",),
    "mjcf-elements": (".xml",),
    "sdf": (".sdf", ".world"),
    "usd": (".usda", ".usd", ".usdc", ".usdz"),
}
"""The suffixes of model files, by corpus."""
PARTS = ("*_sim.yaml", "*_solver.yaml", "solver*.yaml")
"""Patterns of the names of files that are parts of others."""
REFUSED = {"mjcf": "MuJoCo refuses it", "mjcf-elements": "MuJoCo refuses it", "sdf": "libsdformat 12.3 finds errors in it"}
"""What the reference of a corpus states about a file."""
KNOWN_FINDINGS = {
    "urdf": known_findings.URDF,
    "openrave": known_findings.COLLADA,
    "mjcf": known_findings.MJCF,
    "sdf": known_findings.SDF,
}
_NO_DATABASE = "files of OpenRAVE's own folder, which is not in the search path"
KNOWN_ERRORS = {
    "skel/kima/kima_human_left_leg.skel": "a box has the size -0.21 m",
    "openrave-elements/s11_sensors.dae": "made with references to a body that does not exist",
    **{
        f"openrave-elements/{name}.dae": _NO_DATABASE
        for name in ("s15_minimal_openrave_uri", "s15b_minimal_zae", "s15c_minimal_pgdae", "s15d_minimal_relzae")
    },
    "openrave-elements/s15e_host.dae": "an address with a host: nothing is loaded from a network",
    "openrave-elements/s15f_auth.dae": "an address with a host: nothing is loaded from a network",
    "mjcf-elements/converter/ball_joints.xml": "no XML: no blank between two attributes, which MuJoCo's parser accepts",
    "mjcf-elements/converter/hinge_joints.xml": "no XML: no blank between two attributes, which MuJoCo's parser accepts",
    "mjcf-elements/model/surfacevel/treadmill.xml": "includes a file of another folder; `--allow-path` permits it",
    **{
        f"sdf/{name}": "includes models that are found with `--search-path`, in the folder integration/model"
        for name in (
            "include_model_with_plugin.sdf",
            "include_pose_1_9.sdf",
            "includes.sdf",
            "includes_1.5.sdf",
            "includes_rotations_in_degrees.sdf",
            "includes_rotations_in_quaternions.sdf",
            "includes_rotations_in_radians.sdf",
            "integration/model/sub_nested/model.sdf",
            "integration/model/test_nested_model_with_frames/model.sdf",
            "integration/model/top_nested/model.sdf",
            "placement_frame.sdf",
            "whitespace.sdf",
        )
    },
    "usd/from_urdf/pioneer-lx-devil/pioneer-lx-devil.usda": "the URDF file has reversed limits",
    "usd/from_mjcf/shadow_hand/MuJoCo Model.usda": "written from an MJCF file without bodies",
    "mjcf-elements/test/user/testdata/auto_limits.xml": "two parallel hinges of one body, which MuJoCo accepts",
}
"""Why a file is refused or has errors, although the program of its format accepts it, by corpus and path."""
HEADER = ("file", "outcome", "errors", "warnings", "notes", "errors and warnings by rule", "known reasons")

INTRODUCTION = """# Files of the corpora

This page is written by `make corpus`, which reads and checks every model file of the corpora: real files of other projects,
small files with one feature each, and files that are invalid on purpose.

- *outcome*: **read**; **read with errors**: there is a World, without what the errors name; **refused**: there is none.
- *errors*, *warnings* and *notes*: numbers of findings. [Rules](rules.md) explains each.
- *known reasons*: why the findings are true, or the file is refused, if somebody looked it up. For MJCF files they state
  whether MuJoCo refuses the file, for SDFormat files whether libsdformat finds errors.

"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One file, and what reading and checking it found."""

    name: str
    outcome: str
    counts: tuple[int, int, int]
    rules: tuple[tuple[str, int], ...]
    reasons: tuple[str, ...]

    def line(self) -> str:
        """Return the row of a table."""
        rules = ", ".join(f"{rule} ({count})" if count > 1 else rule for rule, count in self.rules)
        cells = (self.name, self.outcome, *map(str, self.counts), rules, "; ".join(self.reasons))
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def files_of(root: Path, corpus: str) -> Iterator[Path]:
    """Yield the model files of a corpus."""
    for path in sorted((root / corpus).rglob("*")):
        is_mesh = corpus in ("urdf", "mjcf") and {"meshes", "assets"} & set(path.relative_to(root).parts)
        is_layer = corpus == "usd" and {"Payload", "Geometry"} & set(path.relative_to(root).parts)
        is_part = any(map(path.match, PARTS)) or is_mesh or is_layer
        if path.suffix in CORPORA[corpus] and path.is_file() and not is_part:
            yield path


def examine(path: Path, corpus: str, name: str, is_refused_by_program: bool) -> Row:
    """Return what reading and checking a file finds."""
    world, report = ossature.read(path)
    if world is not None:
        ossature.check(world, report=report)
    severities = Counter(finding.severity for finding in report)
    judged = Counter(finding.rule.name for finding in report if finding.severity is not Severity.NOTE)
    outcome = "refused" if world is None else "read with errors" if severities[Severity.ERROR] else "read"
    return Row(
        name=name,
        outcome=outcome,
        counts=(severities[Severity.ERROR], severities[Severity.WARNING], severities[Severity.NOTE]),
        rules=tuple(sorted(judged.items())),
        reasons=tuple(_reasons(corpus, name, judged, is_refused_by_program=is_refused_by_program)),
    )


def _reasons(corpus: str, name: str, rules: Iterable[str], *, is_refused_by_program: bool) -> Iterator[str]:
    path = Path(name)
    stems = {path.stem, f"{path.parent.name}/{path.stem}"}
    if is_refused_by_program:
        yield REFUSED[corpus]
    if corpus == "sdf" and name in EXPECTED_ERRORS:
        yield EXPECTED_ERRORS[name]
    if f"{corpus}/{name}" in KNOWN_ERRORS:
        yield KNOWN_ERRORS[f"{corpus}/{name}"]
    known = KNOWN_FINDINGS.get(corpus, {})
    yield from (known[rule][0] for rule in sorted(rules) if rule in known and stems & set(known[rule][1].split()))


def _examine_job(job: tuple[Path, str, str, bool]) -> Row:
    return examine(*job)


def refused_by_programs(root: Path) -> set[tuple[str, str]]:
    """Return corpus and path of the files that MuJoCo refuses to compile, or in which libsdformat finds errors."""
    found = set()
    for corpus, file in (("mjcf", "models.json"), ("mjcf-elements", "elements.json")):
        reference = root.parent / "reference" / "mjcf" / file
        models = json.loads(reference.read_text(encoding="utf-8")) if reference.exists() else {}
        found |= {(corpus, name) for name, model in models.items() if not model["ok"]}
    references = root.parent / "reference" / "sdf"
    for file in references.rglob("*.json"):
        if json.loads(file.read_text(encoding="utf-8"))["errors"]:
            found.add(("sdf", file.relative_to(references).as_posix().removesuffix(".json")))
    return found


def page(root: Path) -> str:
    """Return the text of the page."""
    refused = refused_by_programs(root)
    jobs = []
    for corpus in CORPORA:
        for path in files_of(root, corpus):
            name = path.relative_to(root / corpus).as_posix()
            jobs.append((path, corpus, name, (corpus, name) in refused))
    with multiprocessing.Pool(2) as pool:
        rows = list(zip((job[1] for job in jobs), pool.imap(_examine_job, jobs, chunksize=4), strict=True))
    lines = ["| corpus | files | read | read with errors | refused |", "|---|---|---|---|---|"]
    for corpus in CORPORA:
        outcomes = Counter(row.outcome for own, row in rows if own == corpus)
        counts = (outcomes.total(), outcomes["read"], outcomes["read with errors"], outcomes["refused"])
        lines.append(f"| [{corpus}](#{corpus}) | {' | '.join(map(str, counts))} |")
    for corpus in CORPORA:
        lines += ["", f"## {corpus}", "", f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|"]
        lines += [row.line() for own, row in rows if own == corpus]
    return INTRODUCTION + "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    root = Path(os.environ.get("OSSATURE_CORPUS", DOCS.parent.parent / "shared")) / "corpus"
    if not root.is_dir():
        print(f"{PAGE.name} stays as it is: there are no corpora; set OSSATURE_CORPUS")
        return
    PAGE.write_text(page(root), encoding="utf-8", newline="\n")
    print(PAGE)


if __name__ == "__main__":
    main()
