"""Numbers in XML files are written with ASCII characters, as the programs read them that own the formats."""

from __future__ import annotations

import pytest

import ossature

FILES = {
    "urdf": '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
    '<origin xyz="{}"/></joint></robot>',
    "skel": '<skel version="1.0"><world><skeleton name="s"><body name="b"><transformation>0 0 0 {}</transformation></body>'
    '<joint type="free" name="j"><parent>world</parent><child>b</child></joint></skeleton></world></skel>',
    "sdf": '<sdf version="1.9"><model name="m"><pose>0 0 0 {}</pose><link name="a"/></model></sdf>',
    "mjcf": '<mujoco><worldbody><body pos="{}"><geom size="1"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize("format_name", FILES)
@pytest.mark.parametrize("numbers", ["\u0663 0 0", "\uff11 0 0", "1\u00a02\u00a03", "1\u20032 3"], ids=ascii)
def test_digits_and_blanks_of_other_scripts_are_no_numbers(format_name: str, numbers: str) -> None:
    text = FILES[format_name].format(numbers)
    _, report = ossature.read(text, format=format_name)
    finding = next(found for found in report if found.severity.name == "ERROR")
    assert finding.rule.name in ("invalid-number", "invalid-pose", "mujoco-error"), finding
    if format_name in ("urdf", "skel"):
        assert finding.hint == "use the digits 0 to 9, and ordinary blanks between numbers"
