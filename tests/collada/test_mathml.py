"""MathML ⇄ expressions: to the bit, by whatever way it is spelled, and never with an exception."""

from __future__ import annotations

import math
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossature.diagnostics import Location, Report, Source
from ossature.formats.collada.mathml.operators import LARGEST_FORMULA
from ossature.formats.collada.mathml.read import DEEPEST_FORMULA, Definition, read_mathml
from ossature.formats.collada.mathml.write import write_mathml
from ossature.formats.collada.rules import RULES
from ossature.kinematics import evaluate
from ossature.model import Expression, JointPosition, formula_text, position_text
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode
from random_expressions import A, B, expressions, line, number, of


def parsed(text: str) -> XmlNode:
    report = Report()
    node = xml_parser.parse(Source("f.dae", text.encode()), report)
    assert node is not None, str(report)
    return node


def resolve(text: str, location: Location) -> JointPosition | None:
    name, _, index = text.removeprefix("kmodel1/").partition("[")
    return JointPosition(joint=name, coordinate=int(index[:-1]) if index else 0)


def read(text: str, report: Report, definitions: dict[str, Definition] | None = None) -> Expression | None:
    return read_mathml(parsed(text), resolve, report, definitions=definitions)


def applied(operator: str, *operands: str) -> str:
    return f"<apply><{operator}/>{''.join(operands)}</apply>"


def called(function: str, *operands: str, url: str = "") -> str:
    head = f'<csymbol encoding="text/xml" definitionURL="{url}" type="function">{function}</csymbol>'
    return f"<apply>{head}{''.join(operands)}</apply>"


def cn(value: float) -> str:
    return f"<cn>{value!r}</cn>"


X, Y = '<csymbol encoding="COLLADA">kmodel1/a</csymbol>', "<ci> b </ci>"


# There and back


@given(expressions())
@settings(max_examples=120)
def test_expression_round_trip_is_bit_exact(expression: Expression) -> None:
    report = Report()
    text = xml.serialize(write_mathml(expression, position_text))
    back = read(text, report)
    assert not report
    assert repr(back) == repr(expression)  # which tells zeros of different signs apart


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_short_and_whole(value: float) -> None:
    (node,) = write_mathml(number(value), position_text).children
    assert len(node.text) <= len(repr(value))
    assert float(node.text) == value


def test_the_text_of_a_line(report: Report) -> None:
    written = xml.serialize(write_mathml(line(A, 0.33333, 0.8727), lambda position: f"kmodel1/{position.joint}"))
    assert '<csymbol encoding="COLLADA">kmodel1/a</csymbol>' in written
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML">' in written
    assert read(written, report) == line(A, 0.33333, 0.8727)


# What is read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"<math>{applied('plus', applied('times', cn(0.5), X), cn(0.1))}</math>", line(A, 0.5, 0.1)),
        (applied("minus", X), of("negate", A)),
        (applied("minus", X, Y), of("subtract", A, B)),
        (applied("root", X), of("root", A, 2.0)),
        (applied("root", f"<degree>{cn(3.0)}</degree>", X), of("root", A, 3.0)),
        (applied("root", X, f"<degree>{cn(3.0)}</degree>"), of("root", A, 3.0)),
        (applied("root", cn(3.0), X), of("root", A, 3.0)),
        (applied("log", X), of("logarithm", A, 10.0)),
        (applied("log", f"<logbase>{cn(2.0)}</logbase>", X), of("logarithm", A, 2.0)),
        (applied("lt", X, Y), of("less", A, B)),
        (applied("lt", cn(0.0), X, Y), of("and", of("less", 0.0, A), of("less", A, B))),
        ("<pi/>", number(math.pi)),
        ("<math><true/></math>", number(1.0)),
        ("<semantics><pi/><annotation>three and a bit</annotation></semantics>", number(math.pi)),
        ("<apply><csymbol>a</csymbol></apply>", A),
        ('<m:math xmlns:m="urn:m"><m:apply><m:plus/><m:cn> 1 </m:cn><m:ci>a</m:ci></m:apply></m:math>', of("add", 1.0, A)),
        (
            f"<piecewise><piece>{X}{applied('gt', X, Y)}</piece><piece>{Y}<true/></piece><otherwise>{cn(2.0)}</otherwise>"
            "</piecewise>",
            of("choose", of("greater", A, B), A, of("choose", 1.0, B, 2.0)),
        ),
        ('<cn type="integer" base="16">ff</cn>', number(255.0)),
        ('<cn type="e-notation">2.5<sep/>-3</cn>', number(0.0025)),
        ('<cn type="rational">1<sep/>3</cn>', number(1.0 / 3.0)),
        ('<cn type="e-notation">2.5</cn>', number(2.5)),
    ],
)
def test_reading(text: str, expected: Expression, report: Report) -> None:
    assert read(text, report) == expected


VALUES = {
    "sec": lambda x: 1.0 / math.cos(x),
    "csc": lambda x: 1.0 / math.sin(x),
    "cot": lambda x: 1.0 / math.tan(x),
    "sech": lambda x: 1.0 / math.cosh(x),
    "csch": lambda x: 1.0 / math.sinh(x),
    "coth": lambda x: 1.0 / math.tanh(x),
    "arccot": lambda x: math.pi / 2.0 - math.atan(x),
    "arcsech": lambda x: math.acosh(1.0 / x),
    "arccsch": lambda x: math.asinh(1.0 / x),
    "sqrt": math.sqrt,
    "cbrt": lambda x: x ** (1.0 / 3.0),
    "exp": math.exp,
    "ln": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "arcsinh": math.asinh,
    "arctanh": math.atanh,
    "sinh": math.sinh,
    "tan": math.tan,
    "ceil": math.ceil,
    "floor": math.floor,
    "abs": abs,
    "not": lambda x: 0.0,
}


@pytest.mark.parametrize("name", VALUES)
def test_functions_of_one_operand(name: str, report: Report) -> None:
    expression = read(applied(name, X), report)
    assert expression is not None
    assert evaluate(expression, {A: 0.4}) == pytest.approx(VALUES[name](0.4), rel=1e-14)


@pytest.mark.parametrize("name", ["arcsec", "arccsc", "arccoth", "arccosh"])
def test_inverses_beyond_one(name: str, report: Report) -> None:
    inverse = {"arcsec": "sec", "arccsc": "csc", "arccoth": "coth", "arccosh": "cosh"}[name]
    expression = read(applied(inverse, applied(name, X)), report)
    assert expression is not None
    assert evaluate(expression, {A: 1.7}) == pytest.approx(1.7, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (applied("xor", "<true/>", "<false/>"), 1.0),
        (applied("xor", cn(2.0), cn(3.0)), 0.0),
        (applied("xor", "<true/>", "<true/>", "<true/>"), 1.0),
        (applied("implies", "<true/>", "<false/>"), 0.0),
        (applied("implies", "<false/>", "<false/>"), 1.0),
        (applied("quotient", cn(-7.0), cn(2.0)), -4.0),
        (applied("rem", cn(-7.0), cn(2.0)), -1.0),
        (applied("eq", cn(1.0), cn(1.0), cn(2.0)), 0.0),
        (applied("max", cn(1.0), cn(3.0), cn(2.0)), 3.0),
        (called("atan2", cn(1.0), cn(-1.0)), 0.75 * math.pi),
        (called("INRANGE", cn(1.0), cn(1.0), cn(2.0)), 1.0),
        (called("INRANGE", cn(2.5), cn(1.0), cn(2.0)), 0.0),
        (called("SSSA", cn(3.0), cn(4.0), cn(5.0)), math.asin(0.6)),
        (called("SSSA", cn(5.0), cn(4.0), cn(3.0)), math.pi / 2.0),
        (called("SSSA", cn(1.0), cn(1.0), cn(2.0)), 0.0),
        (called("SASS", cn(3.0), cn(math.pi / 2.0), cn(4.0)), 5.0),
        (called("SASA", cn(3.0), cn(math.pi / 2.0), cn(4.0)), math.asin(0.6)),
    ],
)
def test_values(text: str, value: float, report: Report) -> None:
    expression = read(text, report)
    assert expression is not None
    assert evaluate(expression, {}) == pytest.approx(value, abs=1e-15)


def test_triangles_close(report: Report) -> None:
    """Two sides and the angle between them give the third side; three sides give back all angles."""
    rng = random.Random(3)
    for _ in range(200):
        a, b, angle = rng.uniform(0.1, 3.0), rng.uniform(0.1, 3.0), rng.uniform(0.05, 3.1)

        def value(name: str, *operands: float) -> float:
            expression = read(called(name, *map(cn, operands)), report)
            assert expression is not None
            return float(evaluate(expression, {}))

        c = value("SASS", a, angle, b)
        alpha = value("SASA", a, angle, b)
        beta = value("SASA", b, angle, a)
        assert alpha + beta + angle == pytest.approx(math.pi, abs=1e-12)
        assert value("SSSA", a, b, c) == pytest.approx(alpha, abs=1e-9)
        assert value("SSSA", c, a, b) == pytest.approx(angle, abs=1e-9)


def test_otherwise_may_be_at_any_place(report: Report) -> None:
    """The grammar of MathML 3 interleaves the elements of <piecewise>."""
    pieces = [f"<piece>{cn(1.0)}{applied('gt', X, cn(2.0))}</piece>", f"<piece>{cn(2.0)}{applied('gt', X, cn(1.0))}</piece>"]
    otherwise = f"<otherwise>{cn(3.0)}</otherwise>"
    last, *others = [
        read(f"<piecewise>{''.join(children)}</piecewise>", report)
        for children in ([*pieces, otherwise], [otherwise, *pieces], [pieces[0], otherwise, pieces[1]])
    ]
    assert last is not None
    assert others == [last, last]
    assert not report


def test_piecewise_without_a_true_case(report: Report) -> None:
    expression = read(f"<piecewise><piece>{cn(1.0)}{applied('gt', X, cn(0.0))}</piece></piecewise>", report)
    assert expression is not None
    assert evaluate(expression, {A: 1.0}) == 1.0
    assert math.isnan(evaluate(expression, {A: -1.0}))


# Functions that a file defines


def definition(body: str, *parameters: str) -> Definition:
    return Definition(parameters=parameters, body=parsed(f"<math>{body}</math>"))


P, Q = '<csymbol encoding="COLLADA">p</csymbol>', "<ci>q</ci>"
DEFINED = {
    "half": definition(applied("divide", P, cn(2.0)), "p"),
    "mean": definition(called("half", applied("plus", P, Q)), "p", "q"),
    "sin": definition(applied("plus", P, cn(7.0)), "p"),
}


def test_a_defined_function_is_written_out(report: Report) -> None:
    expected = of("divide", of("add", A, of("negate", B)), 2.0)
    assert read(called("mean", X, applied("minus", Y)), report, DEFINED) == expected
    assert read(called("anything", X, url="f.dae#half"), report, DEFINED) == of("divide", A, 2.0)


def test_a_standard_function_has_priority_unless_a_url_is_given(report: Report) -> None:
    assert read(called("sin", X), report, DEFINED) == of("sine", A)
    assert read(called("sin", X, url="#sin"), report, DEFINED) == of("add", A, 7.0)


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("round", called("round", P), "calls itself"),
        ("odd", called("odder", P), "not supported"),
        ("lost", applied("plus", P, "<ci>elsewhere</ci>"), "not a parameter of the function 'lost'"),
        ("two", applied("plus", P, "<ci>q</ci>"), "has 1 operand, not 2"),
    ],
)
def test_bad_definitions(name: str, body: str, message: str, report: Report) -> None:
    parameters = ("p", "q") if name == "two" else ("p",)
    definitions = {name: definition(body, *parameters)}
    assert read(called(name, X), report, definitions) is None
    (finding,) = [*report.take("malformed-formula"), *report.take("unsupported-formula")]
    assert message in finding.message


def test_functions_that_double_again_and_again_end(report: Report) -> None:
    definitions = {"f0": definition(applied("plus", P, P), "p")}
    for level in range(1, 40):
        definitions[f"f{level}"] = definition(called(f"f{level - 1}", called(f"f{level - 1}", P)), "p")
    text = X
    for _ in range(60):
        text = called("f0", text)
    assert read(text, report, definitions) is None
    assert read(called("f39", X), report, definitions) is None
    assert {finding.rule.name for finding in report} == {"malformed-formula"}
    report.take("malformed-formula")


# What cannot be taken


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        (applied("factorial", X), "unsupported-formula", "'factorial'"),
        (applied("lcm", X, Y), "unsupported-formula", "'lcm'"),
        ("<vector><ci>a</ci></vector>", "unsupported-formula", "<vector>"),
        ("<infinity/>", "unsupported-formula", "<infinity>"),
        (called("SASSY", X, X, X), "unsupported-formula", "'SASSY'"),
        ('<cn type="complex-polar">1<sep/>2</cn>', "unsupported-formula", "'complex-polar'"),
        (applied("divide", X), "malformed-formula", "has 1 operand, not 2"),
        (applied("minus", X, X, X), "malformed-formula", "has 3 operands, not 1 or 2"),
        (applied("plus"), "malformed-formula", "has 0 operands, not 1 or more"),
        (applied("sin", X, f"<degree>{cn(1.0)}</degree>"), "malformed-formula", "'sin' has no degree"),
        ("<apply/>", "malformed-formula", "<apply> is empty"),
        ("<math/>", "malformed-formula", "<math> has 0 child elements"),
        ("<math><pi/><pi/></math>", "malformed-formula", "<math> has 2 child elements"),
        ("<cn>one</cn>", "malformed-formula", "'one' is not a number"),
        ("<cn/>", "malformed-formula", "'' is not a number"),
        ("<cn>1e999</cn>", "malformed-formula", "'1e999' is not a number"),
        ("<cn>1_000</cn>", "malformed-formula", "'1_000' is not a number"),
        ("<cn>nan</cn>", "malformed-formula", "'nan' is not a number"),
        ('<cn type="integer" base="40">1</cn>', "malformed-formula", "'1' is not a number"),
        ('<cn type="rational">1<sep/>0</cn>', "malformed-formula", "is not a number"),
        ('<cn type="e-notation">1<sep/>999</cn>', "malformed-formula", "is not a number"),
        ("<ci/>", "malformed-formula", "<ci> is empty"),
        (
            f"<piecewise><otherwise>{cn(1.0)}</otherwise><otherwise>{cn(2.0)}</otherwise></piecewise>",
            "malformed-formula",
            "<otherwise>",
        ),
        (f"<piecewise><piece>{X}</piece></piecewise>", "malformed-formula", "<piece>"),
    ],
)
def test_findings(text: str, rule: str, message: str, report: Report) -> None:
    assert read(f"<math>{text}</math>" if text != "<math/>" else text, report) is None
    (finding,) = report.take(rule)
    assert message in finding.message
    assert finding.location is not None
    assert finding.location.line == 1


def test_a_hint_suggests_a_similar_name(report: Report) -> None:
    assert read(applied("sine", X), report) is None
    (finding,) = report.take("unsupported-formula")
    assert finding.hint == "did you mean 'sin'?"


def test_every_finding_of_a_formula_is_reported(report: Report) -> None:
    assert read(applied("plus", applied("factorial", X), "<cn>?</cn>"), report) is None
    assert len(report.take("malformed-formula")) == len(report.take("unsupported-formula")) == 1


def test_an_unknown_joint_is_the_callers_to_tell(report: Report) -> None:
    assert read_mathml(parsed(applied("plus", X, cn(1.0))), lambda text, location: None, report) is None


def nested(depth: int) -> XmlNode:
    node = xml.element("cn", text="1")
    for _ in range(depth):
        outer = xml.element("apply")
        outer.children = [xml.element("minus"), node]
        node = outer
    return node


def test_depth_is_limited_without_recursion(report: Report) -> None:
    deepest = read_mathml(nested(DEEPEST_FORMULA), resolve, report)
    assert deepest is not None
    assert evaluate(deepest, {}) == 1.0
    assert read_mathml(nested(50_000), resolve, report) is None
    assert "nested operations" in report.take("malformed-formula")[0].message


def test_size_is_bounded(report: Report) -> None:
    assert read(applied("plus", *[cn(1.0)] * (LARGEST_FORMULA - 1)), report) is not None
    assert read(applied("plus", *[cn(1.0)] * LARGEST_FORMULA), report) is None
    report.take("malformed-formula")


@pytest.mark.parametrize("seed", range(300))
def test_damaged_formulas_end_in_findings(seed: int) -> None:
    rng = random.Random(seed)
    whole = xml.serialize(write_mathml(of("choose", of("less", A, B), line(A, 2.0), of("root", B, 3.0)), position_text))
    report = Report()
    node = xml_parser.parse(Source("f", whole.encode()), report)
    assert node is not None
    parts = [node]
    for part in parts:
        parts.extend(part.children)
    for _ in range(rng.randint(1, 4)):
        victim = rng.choice(parts)
        damage = rng.randrange(4)
        if damage == 0 and victim.children:
            victim.children.pop(rng.randrange(len(victim.children)))
        elif damage == 1:
            victim.children.insert(0, xml.element(rng.choice(["apply", "cn", "sep", "plus", "piece", "degree", "nonsense"])))
        elif damage == 2:
            victim.tag = rng.choice(["apply", "cn", "ci", "csymbol", "piece", "otherwise", "m:math", "degree", "plus", "times"])
        else:
            victim.text = rng.choice(["", "a", "1", "1e999", "\ufffd", "-"])
    expression = read_mathml(node, resolve, report)
    assert (expression is None) == bool(report)


def test_rules_are_sentences() -> None:
    for rule in RULES:
        assert rule.summary.endswith(".")
        assert rule.explanation.endswith(".")


# Real files


def formulas_of(root: XmlNode) -> list[XmlNode]:
    found, pending = [], [root]
    while pending:
        node = pending.pop()
        if node.tag == "formula":
            found.append(node)
        pending.extend(node.children)
    return found


def documents(folder: Path) -> list[tuple[str, bytes]]:
    found = []
    for path in sorted(folder.iterdir()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                found += [(path.name, archive.read(name)) for name in archive.namelist() if name.endswith(".dae")]
        elif path.suffix == ".dae":
            found.append((path.name, path.read_bytes()))
    return found


def maths_of(node: XmlNode) -> list[XmlNode]:
    if node.tag.rpartition(":")[2] == "math":
        return [node]
    return [found for child in node.children for found in maths_of(child)]


@pytest.mark.parametrize("folder", ["openrave", "openrave-elements"])
def test_all_formulas_of_real_files_are_read(corpus: Path, folder: str, report: Report) -> None:
    count = 0
    for name, data in documents(corpus / "corpus" / folder):
        if b"<math" not in data and b":math" not in data:
            continue
        root = xml_parser.parse(Source(name, data), report)
        assert root is not None
        for formula in formulas_of(root):
            for math_node in maths_of(formula):
                expression = read_mathml(math_node, resolve, report)
                assert expression is not None
                assert read(xml.serialize(write_mathml(expression, position_text)), report) == expression
                assert formula_text(expression)
                count += 1
    assert count


def test_the_triangles_of_a_real_file_are_ours(corpus: Path, report: Report) -> None:
    """A file that defines the triangle functions itself means by them what they are taken for here."""
    (document,) = [data for name, data in documents(corpus / "corpus" / "openrave") if name == "kuka-kr150.zae"]
    root = xml_parser.parse(Source("kuka-kr150.dae", document), report)
    assert root is not None
    own = {}
    for formula in formulas_of(root):
        if "id" in formula.attributes:
            parameters = tuple(child.attributes["sid"] for child in formula if child.tag == "newparam")
            own[formula.attributes["id"]] = Definition(parameters=parameters, body=maths_of(formula)[0])
    assert {"SASA", "SASS", "atan2"} <= set(own)
    for name in ("SASA", "SASS"):
        operands = (cn(185.009), X, cn(811.464))
        ours = read(called(name, *operands), report, own)
        theirs = read(called(name, *operands, url=f"#{name}"), report, own)
        assert ours is not None and theirs is not None
        angles = np.linspace(0.1, 3.0, 50)
        np.testing.assert_allclose(evaluate(ours, {A: angles}), evaluate(theirs, {A: angles}), rtol=1e-12)
