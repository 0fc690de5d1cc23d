"""Layers of unknown origin: files outside of the folders that were given, cycles, huge and damaged content."""

from __future__ import annotations

import random
import time
import zipfile
from pathlib import Path

import pytest

import ossature
from ossature.assets import Resolver
from ossature.diagnostics import Limits, Report, Source
from ossature.formats.usd import open_stage, read_usd
from ossature.isolated_python_processes import PreparedProgram
from usd import HEADER, body, read, stage


def names(report: Report) -> set[str]:
    return {found.rule.name for found in report}


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.usda").write_text(content)


def layer(content: str, metadata: str = "") -> str:
    return f'#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\ndefaultPrim = "robot"\n{metadata}\n)\n{content}\n'


def referring(asset: str, arc: str = "references") -> str:
    if arc == "subLayers":
        return layer("", f"subLayers = [@{asset}@]")
    return layer(f'def "robot" (\n{arc} = @{asset}@\n)\n{{\n}}')


PART = layer(f'def Xform "robot"\n{{\n{body("a")}}}')


@pytest.mark.parametrize("arc", ["references", "payload", "subLayers"])
def test_layers_in_the_folder_are_composed(tmp_path: Path, arc: str) -> None:
    write(tmp_path / "parts", part=PART)
    write(tmp_path, robot=referring("./parts/part.usda", arc))
    world, report = ossature.read(tmp_path / "robot.usda")
    assert world is not None, str(report)
    assert not report.has_errors
    assert list(world.models["robot"].bodies.names()) == ["a"]


@pytest.mark.parametrize("arc", ["references", "payload", "subLayers"])
@pytest.mark.parametrize("spelled", ["../secret.usda", "{outside}/secret.usda", "sub/../../secret.usda", "link.usda"])
def test_files_outside_of_the_folder_are_not_opened(tmp_path: Path, arc: str, spelled: str) -> None:
    inside = tmp_path / "inside"
    write(tmp_path, secret=PART)
    asset = spelled.format(outside=tmp_path)
    write(inside, robot=referring(asset, arc))
    (inside / "link.usda").symlink_to(tmp_path / "secret.usda")
    world, report = ossature.read(inside / "robot.usda")
    assert world is None
    assert "missing-file" in names(report)
    assert "outside" in str(report)
    allowed, _ = ossature.read(inside / "robot.usda", allow=[tmp_path])
    assert allowed is not None


def test_the_layers_of_a_layer_are_checked_too(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    write(tmp_path, secret=PART)
    write(inside / "parts", middle=referring("../../secret.usda"))
    write(inside, robot=referring("parts/middle.usda"))
    world, report = ossature.read(inside / "robot.usda")
    assert world is None
    assert "parts/middle.usda refers to '../../secret.usda'" in str(report)


@pytest.mark.parametrize(
    "asset", ["http://127.0.0.1:9/a.usda", "https://example.org/a.usda", "file:///etc/passwd", "/etc/passwd", "`${X}`"]
)
def test_nothing_is_fetched_and_no_other_file_is_opened(tmp_path: Path, asset: str) -> None:
    write(tmp_path, robot=layer(f'def Xform "robot" (\nreferences = @{asset}@\n)\n{{\n{body("a")}}}'))
    world, report = ossature.read(tmp_path / "robot.usda")
    assert world is not None
    assert "missing-file" in names(report)


def test_a_missing_layer_is_reported(tmp_path: Path) -> None:
    write(tmp_path, robot=layer(f'def Xform "robot" (\nreferences = @./gone.usda@\n)\n{{\n{body("a")}}}'))
    world, report = ossature.read(tmp_path / "robot.usda")
    assert world is not None
    assert names(report) >= {"missing-file"}


def test_cyclic_references_end(tmp_path: Path) -> None:
    write(tmp_path, robot=referring("./other.usda"), other=referring("./robot.usda"))
    world, report = ossature.read(tmp_path / "robot.usda")
    assert world is None
    assert report.has_errors


def test_a_damaged_layer_is_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        robot=layer(f'def Xform "robot" (\nreferences = @./part.usda@\n)\n{{\n{body("a")}}}'),
        part='#usda 1.0\ndef "x" (',
    )
    world, report = ossature.read(tmp_path / "robot.usda")
    assert world is not None
    assert "unreadable-layer" in names(report)


def test_a_syntax_error_has_its_line_and_no_path_of_a_copy(tmp_path: Path) -> None:
    text = '#usda 1.0\ndef Xform "robot"\n{\n    float mass = = 1\n}\n'
    write(tmp_path, robot=text, outer=layer('def "x" (references = @./robot.usda@) {}'))
    (error,) = ossature.check(tmp_path / "robot.usda").errors
    assert error.location is not None
    assert (error.location.line, error.location.column) == (4, 5)
    assert "layer.usda" not in error.message
    (other,) = [one for one in ossature.check(tmp_path / "outer.usda") if one.rule.name == "unreadable-layer"]
    assert other.message.startswith("robot.usda, to which outer.usda refers: 4:5: ")


def test_values_of_other_files_are_not_opened(tmp_path: Path) -> None:
    """Value clips would be opened when an attribute is read."""
    paths = f'asset[] assetPaths = [@{tmp_path}/secret.usda@]\nstring primPath = "/robot"\n'
    clips = f"clips = {{\ndictionary default = {{\n{paths}}}\n}}"
    write(tmp_path, secret=PART)
    write(tmp_path / "inside", robot=layer(f'def Xform "robot" (\n{clips}\n)\n{{\n{body("a")}}}'))
    world, report = ossature.read(tmp_path / "inside" / "robot.usda")
    assert world is not None
    assert "animated-usd-value" in names(report)


def test_many_layers_exceed_the_limit(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path, **{f"layer{number}": referring(f"./layer{number + 1}.usda")})
    write(tmp_path, robot=referring("./layer0.usda"))
    report = Report(limits=Limits(documents=5))
    source = Source(str(tmp_path / "robot.usda"), (tmp_path / "robot.usda").read_bytes())
    assert read_usd(source, report, resolver=Resolver(folder=tmp_path), folder=tmp_path) is None
    assert "too-many-documents" in names(report)


def test_nested_references_that_double_exceed_a_limit() -> None:
    """A small file with two to the 18th prims."""
    both = "".join(f'def "{name}" (references = </level{{}}>)\n{{{{\n}}}}\n' for name in "xy")
    levels = "".join(f'def "level{n}"\n{{\n{both.format(n + 1, n + 1)}}}\n' for n in range(18))
    limits = Limits(elements=5000, seconds=1)
    own = Report(limits=limits)
    assert read(layer(levels + 'def "level18"\n{\n}'), own) is None
    assert names(own) & {"too-many-elements", "reading-too-long", "out-of-memory"}


def test_a_huge_array_exceeds_the_limit() -> None:
    points = ", ".join(["(0, 0, 0)"] * 50_000)
    mesh = f'def Mesh "m"\n{{\npoint3f[] points = [{points}]\n}}\n'
    own = Report(limits=Limits(array_bytes=500_000))
    assert read(stage(body("a") + mesh), own) is None
    assert names(own) & {"file-too-large", "out-of-memory", "array-too-large", "reading-too-long"}


def test_deeply_nested_prims_end() -> None:
    depth = 3000
    content = "".join(f'def "p{n}"\n{{\n' for n in range(depth)) + "}\n" * depth
    own = Report()
    start = time.process_time()
    assert read(layer(content), own) is None
    assert time.process_time() - start < 2.0  # walking outwards from every prim takes more
    assert own.has_errors


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1", "1e38"])
@pytest.mark.parametrize(
    "attribute",
    ["float physics:mass", "double size", "float newton:damping"],
)
def test_strange_numbers_give_finite_models_or_findings(value: str, attribute: str) -> None:
    own = Report()
    world = read(stage(body("a", f"{attribute} = {value}\n", kind="Cube")), own)
    assert world is not None
    ossature.check(world, report=own)
    assert value == "1e38" or len(own) > 0 or value in ("inf", "-inf")


def exported(suffix: str, folder: Path) -> bytes:
    from pxr import Sdf

    made = Sdf.Layer.CreateAnonymous(".usda")
    made.ImportFromString(stage(body("a", kind="Cube")).decode())
    path = folder / f"robot.{suffix}"
    made.Export(str(path))
    return path.read_bytes()


def test_binary_layers_are_read(tmp_path: Path) -> None:
    exported("usdc", tmp_path)
    world, report = ossature.read(tmp_path / "robot.usdc")
    assert world is not None
    assert not report.has_errors


def test_archives_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "robot.usdz", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("robot.usda", referring("./parts/part.usda"))
        archive.writestr("parts/part.usda", PART)
    world, report = ossature.read(tmp_path / "robot.usdz")
    assert world is not None, str(report)
    assert not report.has_errors


def test_archives_cannot_refer_to_files_outside(tmp_path: Path) -> None:
    write(tmp_path, secret=PART)
    with zipfile.ZipFile(tmp_path / "robot.usdz", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("robot.usda", referring("../secret.usda"))
    world, report = ossature.read(tmp_path / "robot.usdz")
    assert world is None
    assert "missing-file" in names(report)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_binary_layers_end_with_findings(tmp_path: Path, seed: int) -> None:
    """The process of the library may end in any way; this one reports it."""
    rng = random.Random(seed)
    data = bytearray(exported("usdc", tmp_path))
    if seed % 3 == 0:
        data = data[: rng.randrange(8, len(data))]
    else:
        for _ in range(rng.choice([1, 4, 30])):
            data[rng.randrange(8, len(data))] = rng.randrange(256)
    own = Report(limits=Limits(seconds=20))
    world = read(bytes(data), own)
    assert world is not None or own.has_errors


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_stage, "find_spec", lambda _: None)
    own = Report()
    assert read(stage(body("a")), own) is None
    (found,) = own.take("missing-usd-library")
    assert "ossature[usd]" in found.message


def test_no_copies_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert read(stage(body("a")), Report()) is not None
    assert read(HEADER + "def (", Report()) is None
    assert list(tmp_path.iterdir()) == []


def test_a_change_of_a_layer_is_seen_by_the_cache(tmp_path: Path) -> None:
    """Files that other layers name are read through the resolver, which logs them."""
    from ossature.assets.file_access_log import logged_file_access

    write(tmp_path, part=PART, robot=referring("./part.usda"))
    with logged_file_access() as log:
        ossature.read(tmp_path / "robot.usda")
    assert str(tmp_path / "part.usda") in log.digests


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b'def "robot"\n{\n  double a\xa9 = 1\n}', "\N{REPLACEMENT CHARACTER}", 11),
        (b'def "robot"\n{\n  double3 a = (1, 2e0.5, 3)\n}', "unexpected text at '.5, 3)' in </robot.a>", 11),
        (b'def "robot"\n{\n  token a = "b\n}', "unexpected end of the line in </robot.a>", 11),
        (b'def "robot"\n{\n  double3 a = (1, 2' + b"b" * 500 + b", 3)\n}", f"at '{'b' * 60}…' in </robot.a>", 11),
    ],
)
def test_a_text_that_cannot_be_parsed_is_quoted_at_its_line(tmp_path: Path, content: bytes, message: str, line: int) -> None:
    (tmp_path / "robot.usda").write_bytes(layer("").encode() + content)
    world, report = ossature.read(tmp_path / "robot.usda")
    assert world is None
    (found,) = report.errors
    assert found.rule.name == "unreadable-layer"
    assert found.location is not None and found.location.line == line
    assert message in found.message
    assert "pxr" not in found.message


@pytest.mark.parametrize("unit", ["0", "-1", "1e308", "1e-320", "inf", "nan"])
def test_units_whose_products_are_no_numbers_are_not_used(unit: str) -> None:
    report = Report()
    world = read(stage(body("a"), HEADER.replace("metersPerUnit = 1", f"metersPerUnit = {unit}")), report)
    assert world is not None
    assert names(report) == {"invalid-usd-value"}
    assert world.models["robot"].bodies["a"].inertial.mass == 1.0


def test_prims_are_nested_up_to_the_limit_of_depth() -> None:
    def nested(depth: int) -> str:
        return HEADER + "".join(f'def Xform "p{i}" {{\n' for i in range(depth)) + "}\n" * depth

    at_limit, above_limit = Report(), Report()
    assert read(nested(Limits().depth), at_limit) is None
    assert names(at_limit) == {"no-usd-bodies"}
    assert read(nested(Limits().depth + 1), above_limit) is None
    assert names(above_limit) == {"nesting-too-deep"}


def test_a_process_that_fails_has_its_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, robot=PART)
    monkeypatch.setattr(open_stage, "_PROGRAM", PreparedProgram("import no_such_module", ""))
    _, report = ossature.read(tmp_path / "robot.usda")
    assert "No module named 'no_such_module'" in str(report)
    assert names(report) == {"unreadable-layer"}
