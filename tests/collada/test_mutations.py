"""Seeded mutations of COLLADA documents and archives: each ends in a World or in findings, soon, and opens no foreign file.

The few of every test run are the first of the many behind ``make fuzz``.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets.archives import packed
from collada_coverage import FILES
from collada_documents import document, geometry, robot, shown, technique
from mutant_count import MANY
from ossature.assets import AssetError
from ossature.assets.filesystem import DiskFiles
from ossature.checks import check
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats import collada
from ossature.kinematics import FormulaError, poses
from ossature.model import TriangleMesh, World
from ossature.simulation import Simulation, SimulationError
from xml_mutations import ALL, Mutation, mutate

DOCUMENTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(FILES.glob("*.dae"))}
FOLDER = "/robots"
BESIDE = {
    f"{FOLDER}/parts/peg.dae": (FILES / "parts" / "peg.dae").read_bytes(),
    **{f"{FOLDER}/{name}": text.encode() for name, text in DOCUMENTS.items()},
    f"{FOLDER}/all.zae": packed(
        {"manifest.xml": b"<dae_root>nodes.dae</dae_root>", **{name: text.encode() for name, text in DOCUMENTS.items()}}
    ),
}
"""The files that there are."""
FOREIGN = [
    *("../secret.dae", "../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "parts/../../secret.dae#x"),
    *("http://example.org/x.dae#y", "openrave:/secret.dae", "openrave://host/../secret.dae", "package://p/x.dae", "//x/y.dae"),
    *(
        "kinematics.dae#turntable",
        "loop.dae",
        "all.zae#carriage",
        "all.zae",
        "parts/peg.dae#peg",
        "units.dae#vscene",
        "C:\\x.dae",
    ),
    *("%2e%2e/secret.dae", "a\0b.dae", "#", "", "parts/", "openrave://user:word@[::1/x.dae"),
]
LONGEST = 30.0
"""No document takes longer [s]; most take some hundredths."""
FEW, BATCH = 50, min(250, MANY)


class Door:
    """A file system in memory that remembers what was opened."""

    def __init__(self) -> None:
        self.opened: set[str] = set()

    def read(self, path: Path) -> bytes:
        self.opened.add(str(path))
        if str(path) not in BESIDE:
            raise FileNotFoundError(str(path))
        return BESIDE[str(path)]


@pytest.fixture(autouse=True)
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """The only way to files."""
    made = Door()
    monkeypatch.setattr(DiskFiles, "is_file", lambda files, path: str(path) in BESIDE)
    monkeypatch.setattr(DiskFiles, "read", lambda files, path, most_bytes: made.read(path))
    monkeypatch.setattr(DiskFiles, "read_beneath", lambda files, root, inside, most_bytes: made.read(root / inside))
    yield made
    assert made.opened <= set(BESIDE)


def refer_elsewhere(text: str, rng: random.Random) -> str:
    """Let a reference lead out of the document."""
    found = [match.span(1) for match in re.finditer(r'\s(?:url|target|xml:base|convex_hull_of)="([^"<>]*)"', text)]
    if not found:
        return text
    start, stop = rng.choice(found)
    return text[:start] + rng.choice(FOREIGN) + text[stop:]


KINDS: tuple[Mutation, ...] = (*ALL, refer_elsewhere)


def mutant(rng: random.Random) -> bytes:
    """Return a document with a few things changed, sometimes in an archive, which may be changed itself."""
    name = rng.choice(sorted(DOCUMENTS))
    data = mutate(DOCUMENTS[name], rng, kinds=KINDS)
    if rng.random() > 0.1:
        return data
    archive = packed({"manifest.xml": f"<dae_root>./{name}</dae_root>".encode(), name: data, "parts/peg.dae": b"<COLLADA/>"})
    if rng.random() < 0.5:
        return archive
    place = rng.randrange(len(archive))
    return archive[:place] + bytes(rng.randrange(256) for _ in range(rng.randint(0, 8))) + archive[place + rng.randint(0, 8) :]


def exercise(data: bytes) -> None:
    """Do with a document all that a user would."""
    report = Report()
    world = collada.read_collada(Source(f"{FOLDER}/mutant.dae", data), report, folder=Path(FOLDER))
    str(report)
    if world is None:
        assert report.has_errors
        return
    check(world)
    fetch(world)
    try:
        poses(world)
    except FormulaError:
        return  # joints that follow each other, which a check tells
    collada.read_openrave(Source(f"{FOLDER}/mutant.dae", data), Report(), folder=Path(FOLDER))
    if hasattr(collada, "write_collada"):
        collada.write_collada(world, Ledger())
    try:
        Simulation(world, report=Report()).step(2)
    except SimulationError as error:
        assert error.report.has_errors


def fetch(world: World) -> None:
    """Ask for all triangles: they are there, or an AssetError says why not."""
    for model in world.models:
        for body in model.bodies:
            for shape in (*body.visuals, *body.collisions, *(body.self_collisions or ())):
                if isinstance(shape.geometry, TriangleMesh):
                    try:
                        triangles = shape.geometry.surface.triangles
                    except AssetError as error:
                        assert error.reason
                        continue
                    assert triangles.faces.min() >= 0
                    assert triangles.faces.max() < len(triangles.vertices)


def run(first: int, count: int) -> None:
    for seed in range(first, first + count):
        data = mutant(random.Random(seed))
        start = time.process_time()
        try:
            exercise(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        assert time.process_time() - start < LONGEST, f"seed {seed}"


@pytest.mark.parametrize("first", range(0, FEW, 50))
def test_a_few(first: int) -> None:
    run(first, 50)


@pytest.mark.parametrize("seed", [610, 2767])
def test_units_of_astronomical_length(seed: int) -> None:
    run(seed, 1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int) -> None:
    run(first, BATCH)


# Documents that ask for much

MANY_TIMES = 5_000


def bomb(depth: int) -> str:
    """Return a document in which each node shows the next one ten times."""
    copies = [f'<instance_node url="#n{i + 1}"/>' * 10 for i in range(depth)]
    nodes = "".join(f'<node id="n{i}">{copy}</node>' for i, copy in enumerate(copies))
    last = f'<node id="n{depth}">{shown("g")}</node>'
    return robot(
        libraries=f"<library_nodes>{nodes}{last}</library_nodes>",
        nodes='<node><instance_node url="#n0"/></node>',
        geometries=geometry("g"),
    )


def same_names(tag: str) -> str:
    return document(
        f"<library_geometries>{geometry('g')}</library_geometries><library_visual_scenes><visual_scene id='v'>"
        + f'<node name="{tag}" id="{tag}">{shown("g")}</node>' * MANY_TIMES
        + "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#v'/></scene>"
    )


def named_in_circles(levels: int) -> str:
    """Return a document in which systems inside systems name a parameter by itself, in two ways."""
    parameter = '<newparam sid="a"><SIDREF>a</SIDREF></newparam><newparam sid="b"><SIDREF>s{0}/a</SIDREF></newparam>'
    systems = "".join(
        f'<articulated_system id="s{i}"><motion><instance_articulated_system url="#s{i + 1}" sid="i{i}">{parameter.format(i)}'
        "</instance_articulated_system></motion></articulated_system>"
        for i in range(levels)
    )
    libraries = f"<library_articulated_systems>{systems}</library_articulated_systems>"
    text = robot(libraries=libraries, value="<param>b</param>").replace('url="#arm_motion"', 'url="#s0"')
    return text.replace(f'"#s{levels}"', '"#arm_motion"')


OPEN_ATTACHMENT = '<attachment_full joint="x"><link{}/></attachment_full>'
ONE_BODY = '<instance_rigid_body body="rigid_hand" sid="x" target="#hand_node"/>'
UNNAMED_ARM = technique("manipulator", '<frame_origin link="base"/><frame_tip link="hand"/>')
ASKING = {
    "copies of copies": bomb(40),
    "bodies of one name": same_names("stone"),
    "links without names": robot(hand=OPEN_ATTACHMENT.format("") * MANY_TIMES),
    "links of one name": robot(hand=OPEN_ATTACHMENT.format(' name="x"') * MANY_TIMES),
    "joints of one name": robot(joints='<joint sid="x"/>' * MANY_TIMES),
    "bodies of one node": robot(instances=ONE_BODY * MANY_TIMES),
    "manipulators without names": robot(motion_extra=UNNAMED_ARM * MANY_TIMES),
    "sensors without names": robot(motion_extra=technique("attach_sensor", "") * MANY_TIMES),
    "parameters in circles": named_in_circles(60),
    "deep nodes": robot(hand_node="<node>" * 180 + "</node>" * 180),
    "deeper nodes": robot(hand_node="<node>" * 5000 + "</node>" * 5000),
    "a huge count": robot(
        geometries=geometry("g").replace('count="4" stride', 'count="9999999999999" stride'), base_node=shown("g")
    ),
    "a huge offset": robot(geometries=geometry("g").replace('offset="0"', 'offset="9999999999999"'), base_node=shown("g")),
    "a huge corner": robot(geometries=geometry("g").replace("0 2 1", "0 2 999999999999"), base_node=shown("g")),
    "copies of a broken geometry": robot(
        geometries='<geometry id="g"><mesh><polylist count="1"/></mesh></geometry>', hand_node=shown("g") * MANY_TIMES
    ),
    "unresolved references": robot(
        hand_node="".join(shown(f"thing{i}") for i in range(MANY_TIMES)),
        geometries="".join(f'<geometry id="thin{i}"/>' for i in range(MANY_TIMES)),
    ),
    "pairs of links": robot(
        hand="".join(OPEN_ATTACHMENT.format(f' sid="l{i}" name="l{i}"') for i in range(MANY_TIMES)),
        model_extra=technique("collision", "".join(f'<ignore_link_pair link0="l{i}" link1="x"/>' for i in range(MANY_TIMES))),
    ),
}


@pytest.mark.parametrize("text", ASKING.values(), ids=ASKING)
def test_a_document_that_asks_for_much_is_soon_read(text: str) -> None:
    report = Report()
    start = time.process_time()
    world = collada.read_collada(Source("robot.dae", text.encode()), report)
    assert time.process_time() - start < LONGEST
    if world is not None:
        fetch(world)


def test_a_document_of_documents_ends() -> None:
    """Documents that refer to each other round and round are each opened once."""
    text = robot(base_node='<instance_geometry url="kinematics.dae#nothing"/><instance_node url="mutant.dae#arm_node"/>')
    report = Report()
    collada.read_collada(Source(f"{FOLDER}/mutant.dae", text.encode()), report, folder=Path(FOLDER))
    assert report.take("cyclic-reference") or report.take("unresolved-reference")
